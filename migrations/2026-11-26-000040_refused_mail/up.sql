-- Why a mail server refused the last mail to the address of an account.
ALTER TABLE accounts ADD COLUMN mail_refused TEXT;
-- Whether a mail server refused the invitation.
ALTER TABLE invited_addresses ADD COLUMN refused BOOLEAN NOT NULL DEFAULT FALSE;
