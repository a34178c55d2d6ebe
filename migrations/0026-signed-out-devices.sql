-- The token of a device that was signed out is kept as its hash, so that the service can tell the device why it is no longer
-- known. No existing row is rewritten: of devices that were signed out before, the service doesn't know.

ALTER TABLE device ADD COLUMN signed_out_hash bytea;

CREATE UNIQUE INDEX device_signed_out ON device (signed_out_hash) WHERE signed_out_hash IS NOT NULL;
