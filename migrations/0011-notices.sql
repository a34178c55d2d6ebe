-- What services have noticed and an operator should know: the newest of each kind. `trolleyd doctor` shows it.
CREATE TABLE notice (
    name text PRIMARY KEY,
    detail text NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT now()
);
