-- Classes that their owners offer to other teachers: to share, or to own. They hold until they are answered or taken back.
CREATE TABLE class_offers (
    class_id   TEXT    NOT NULL REFERENCES classes (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    owner      BOOLEAN NOT NULL,                  -- to own a class that the account shares already
    PRIMARY KEY (account_id, class_id)
);
CREATE INDEX class_offers_class ON class_offers (class_id);
-- Invitations to make an account that were not used yet. The link carries its proof, which is not here.
CREATE TABLE sign_up_links (
    id         TEXT   NOT NULL PRIMARY KEY,
    good_until BIGINT NOT NULL
);
-- Who has no account and wants no invitations by mail: a MAC of the address, which does not tell it.
CREATE TABLE unwanted_mail (
    address TEXT NOT NULL PRIMARY KEY
);
