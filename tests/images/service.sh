#!/bin/sh
# Start one service like the image does that compose.yaml names for it.
set -eu
case "$1" in
postgres)
    shift
    programs=/usr/lib/postgresql/15/bin
    data=/var/lib/postgresql/data
    as="setpriv --reuid postgres --regid postgres --clear-groups --"
    mkdir -p "$data" /var/run/postgresql
    chown postgres:postgres "$data" /var/run/postgresql
    chmod 0700 "$data"
    if [ ! -e "$data/PG_VERSION" ]; then
        install -o postgres -m 0400 "$POSTGRES_PASSWORD_FILE" /tmp/password
        $as "$programs/initdb" --pgdata "$data" --username "$POSTGRES_USER" --pwfile /tmp/password \
            --auth scram-sha-256 --encoding UTF8 --no-locale >/dev/null
        echo "CREATE DATABASE $POSTGRES_DB" | $as "$programs/postgres" --single -D "$data" postgres >/dev/null
    fi
    exec $as "$programs/postgres" -D "$data" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@"
    ;;
valkey-server)
    cd /data
    exec "$@"
    ;;
server)
    # Its process must be told which of the addresses is its own.
    exec weed "$@" -ip=127.0.0.1 -ip.bind=127.0.0.1 -volume.max=8 -volume.minFreeSpace=0 -master.electionTimeout=1s
    ;;
*)
    XDG_DATA_HOME=/data exec caddy run --config /etc/caddy/Caddyfile --adapter caddyfile
    ;;
esac
