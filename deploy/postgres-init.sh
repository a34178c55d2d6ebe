#!/bin/sh
# Creates Trolley's role and database in a new PostgreSQL of the official image (see docker-compose.yml), which runs this
# file once, before the server listens on the network.
#
# The role is no superuser: code that runs in the database, such as a backup's when it is restored, can't run programs
# or read files there. The superuser loses its password, so it can only log in inside of the container:
#   docker compose exec postgres psql --username postgres
set -eu

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv password TROLLEY_DATABASE_PASSWORD
\getenv superuser POSTGRES_USER
BEGIN;
CREATE ROLE trolley LOGIN PASSWORD :'password';
-- Lets the service see where the database's disk is, which it monitors if it can reach it.
GRANT pg_read_all_settings TO trolley;
ALTER ROLE :"superuser" PASSWORD NULL;
COMMIT;
CREATE DATABASE trolley OWNER trolley;
SQL
