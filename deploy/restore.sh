#!/bin/sh
# Restore a backup into a new, empty installation:
#     deploy/restore.sh FOLDER [ENV_FILE]
# RENSHO_DATA must be empty or missing and the database of DATABASE_URL without tables: nothing is overwritten.
# Stop the units first; flush the queue and start them afterwards (deploy/README.md has every step).
set -eu
umask 077
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/deploy/settings.sh"

writable_check() { # FOLDER - stops unless it, or its nearest existing parent, is writable
    place=$1
    while [ ! -e "$place" ]; do place=$(dirname "$place"); done
    if [ ! -d "$place" ] || [ ! -w "$place" ] || [ ! -x "$place" ]; then
        stop "$1 cannot be made or written: $place is no folder that this user may write to. Nothing was changed."
    fi
}

folder=${1-}
[ -n "$folder" ] || stop "usage: deploy/restore.sh FOLDER [ENV_FILE]"
settings_read "${2-}"
[ -f "$folder/SHA256SUMS" ] || stop "$folder holds no SHA256SUMS: it is no backup made by backup.sh."
(cd "$folder" && sha256sum --check --quiet SHA256SUMS) || stop "$folder is damaged. Take another backup."
# A separate file system contains lost+found.
if [ -d "$RENSHO_DATA" ] && ls -A "$RENSHO_DATA" | grep -qvx 'lost+found'; then
    stop "$RENSHO_DATA is not empty. Move it away first: mv $RENSHO_DATA $RENSHO_DATA.old"
fi
# Checked before any change: a database without its files, or without its folder, would be an incomplete site.
writable_check "$RENSHO_DATA"
if is_postgres; then
    postgres_address
    [ -f "$folder/database.dump" ] || stop "$folder was made of SQLite. Unset DATABASE_URL to restore it."
    tables=$(psql --no-psqlrc --tuples-only --no-align --dbname="$postgres_url" \
        --command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") \
        || stop "DATABASE_URL of $settings_from does not answer (see the message above)."
    [ "$tables" = 0 ] || stop "The database has $tables tables. Rename it and create an empty one (deploy/README.md)."
    # In one transaction: a partly filled database would look complete.
    pg_restore --no-owner --no-privileges --exit-on-error --single-transaction --dbname="$postgres_url" \
        "$folder/database.dump" || stop "pg_restore failed; the database is empty as before."
elif [ ! -f "$folder/arena.sqlite3" ]; then
    stop "$folder was made of PostgreSQL. Set DATABASE_URL to an empty database to restore it."
else
    if [ -e "$(sqlite_path)" ]; then stop "$(sqlite_path) exists. Move it away first."; fi
    place=$(dirname "$(sqlite_path)")
    case $place/ in
    "$RENSHO_DATA"/*) ;; # made below, with the rest
    *) [ -d "$place" ] || stop "$place, the folder of the database in DATABASE_URL, is missing. Make it first." ;;
    esac
    writable_check "$place"
fi
mkdir -p "$RENSHO_DATA"
is_postgres || mkdir -p "$place"
tar --extract --gzip --file="$folder/files.tar.gz" --directory="$RENSHO_DATA"
is_postgres || cp "$folder/arena.sqlite3" "$(sqlite_path)"
sync --file-system "$RENSHO_DATA"
is_postgres || sync --file-system "$(sqlite_path)"
# Files made by root must belong to the account of the units.
if [ "$(id -u)" = 0 ] && id rensho >/dev/null 2>&1; then
    chown -R rensho:rensho "$RENSHO_DATA"
    is_postgres || chown rensho:rensho "$(sqlite_path)"
fi
revision=$(cat "$folder/revision")
echo "restored from $folder; the backup is of revision $revision"
if [ "$(git -C "$here" rev-parse HEAD 2>/dev/null)" != "$revision" ]; then
    echo "this code has another revision: start it, which migrates the database, or run git checkout $revision first"
fi
