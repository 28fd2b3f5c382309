#!/bin/sh
# compose.cluster.yaml starts each PostgreSQL server after the first like this: what is empty becomes a copy of $PRIMARY that
# follows it. After a failover, delete the lost server's volume and give it the name of the living one as PRIMARY.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --host "$PRIMARY" --port "${PRIMARY_PORT:-5432}" \
    --username replicator --pgdata "$PGDATA" --wal-method stream --checkpoint fast --write-recovery-conf; do
    rm -rf "${PGDATA:?}"/*
    sleep 2
  done
  # A copy that is promoted must not wait for itself.
  sed -i '/synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
exec postgres "$@"
