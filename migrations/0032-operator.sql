-- Accounts that may see the operator's page, and when compression and backup last ran. No process of the version before reads
-- or writes either.
ALTER TABLE account ADD COLUMN is_operator boolean NOT NULL DEFAULT false;

CREATE TABLE maintenance_run (
    task text NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    milliseconds bigint NOT NULL,
    -- Of a compression: the lists that it examined, those that failed, and the entries that it removed.
    lists bigint,
    failed bigint,
    entries bigint,
    -- Of a backup: the size of its file.
    bytes bigint,
    PRIMARY KEY (task, ended_at)
);
