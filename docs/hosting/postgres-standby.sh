#!/bin/sh
# compose.cluster.yaml starts its PostgreSQL servers like this. Without PRIMARY a server starts as the image does. With it, what
# is empty becomes a copy of that server, and follows it; docs/scale.md has the steps after a failover.
set -eu
[ -n "${PRIMARY-}" ] || exec docker-entrypoint.sh postgres "$@"
# pg_control is copied last, so a copy without it was cut off.
if [ ! -s "$PGDATA/global/pg_control" ]; then
  # The image makes the folder with a mode that a server refuses.
  chmod 0700 "$PGDATA"
  rm -rf "${PGDATA:?}"/*
  until PGPASSWORD="$POSTGRES_PASSWORD" pg_basebackup --host "$PRIMARY" --port "${PRIMARY_PORT:-5432}" \
    --username replicator --pgdata "$PGDATA" --wal-method stream --checkpoint fast --write-recovery-conf; do
    rm -rf "${PGDATA:?}"/*
    sleep 2
  done
  # A copy that is promoted must not wait for itself.
  sed -i '/synchronous_standby_names/d' "$PGDATA/postgresql.auto.conf"
fi
exec postgres "$@"
