#!/bin/sh
# compose.cluster.yaml runs it once, when the first PostgreSQL server makes its database: the second may copy it, HAProxy may
# ask it, and from its next start on every commit waits for the second.
set -eu
psql -U "$POSTGRES_USER" -d postgres -v ON_ERROR_STOP=1 \
  -c "create role replicator replication login password '$POSTGRES_PASSWORD'" \
  -c 'create role keepsake_check login' \
  -c "alter system set synchronous_standby_names = 'standby'"
{
  echo 'host postgres keepsake_check all trust'
  echo 'host replication replicator all scram-sha-256'
  cat "$PGDATA/pg_hba.conf"
} >"$PGDATA/pg_hba.new"
mv "$PGDATA/pg_hba.new" "$PGDATA/pg_hba.conf"
