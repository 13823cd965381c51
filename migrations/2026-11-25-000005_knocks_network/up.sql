-- A fingerprint of the network from which a device asks to join: so that one network's requests push out no other's.
ALTER TABLE knocks ADD COLUMN network TEXT NOT NULL DEFAULT '';
