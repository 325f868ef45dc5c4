#!/bin/sh
# Runs once, in a new Postgres: the login of servers and workers, which owns nothing and becomes erstwhile_app in each transaction.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$ERSTWHILE_SERVER_PASSWORD" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE erstwhile_app NOLOGIN;
CREATE ROLE erstwhile_server LOGIN PASSWORD :'password' IN ROLE erstwhile_app;
SQL
