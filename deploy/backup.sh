#!/bin/sh
# Back up an installation, running or stopped, to a new folder:
#     deploy/backup.sh FOLDER [ENV_FILE]
# Settings come from ENV_FILE (default: /etc/rensho/rensho.env if it exists), else from the environment.
# The database is saved before the files, because files are written before the rows that refer to them. The folder
# contains the site's secret key and unrevealed secrets of running tournaments: protect it like the site.
set -eu
umask 077
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/deploy/settings.sh"

folder=${1-}
[ -n "$folder" ] || stop "usage: deploy/backup.sh FOLDER [ENV_FILE]"
settings_read "${2-}"
if [ -e "$folder" ]; then stop "$folder exists. Name a new folder: a backup never replaces another."; fi
[ -d "$RENSHO_DATA" ] || stop "RENSHO_DATA is $RENSHO_DATA, which is no folder. Correct it in $settings_from."
mkdir -p "$(dirname "$folder")"
# Renamed when complete: a folder with the final name is a complete backup.
draft="$folder.draft.$$"
mkdir "$draft"
trap 'rm -rf "$draft"' EXIT
# Without this, a signal would end the shell without the cleanup and leave secrets in the draft.
trap 'stop "interrupted; nothing was saved"' HUP INT TERM

if is_postgres; then
    postgres_address
    pg_dump --format=custom --no-owner --no-privileges --file="$draft/database.dump" --dbname="$postgres_url" \
        || stop "pg_dump could not read DATABASE_URL of $settings_from (see its message above)."
else
    database=$(sqlite_path)
    [ -f "$database" ] || stop "$database is missing. Is RENSHO_DATA the folder of this installation?"
    # Not a copy of the file: the newest data are in the write-ahead log.
    python3 -c 'import sqlite3, sys
with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True) as source, sqlite3.connect(sys.argv[2]) as target:
    source.backup(target)' "$database" "$draft/arena.sqlite3"
fi
# Queue, logs and collected static files can be recreated. Files that disappear during the backup are ignored: a
# file being written has a name beginning with a dot.
tar --create --gzip --file="$draft/files.tar.gz" --directory="$RENSHO_DATA" --warning=no-file-removed \
    --warning=no-file-changed --ignore-failed-read --exclude='./arena.sqlite3*' --exclude='./broker' \
    --exclude='./logs' --exclude='./static' --exclude='./up.*' --exclude='./lost+found' --exclude='./beat*' . || [ $? -eq 1 ]
git -C "$here" rev-parse HEAD >"$draft/revision" 2>/dev/null || echo unknown >"$draft/revision"
(cd "$draft" && sha256sum -- * >SHA256SUMS)
# Contents are synced first, so that a power cut never leaves an incomplete folder with the final name.
sync --file-system "$draft"
mv "$draft" "$folder"
sync "$(dirname "$folder")"
echo "saved to $folder (revision $(cut -c1-12 "$folder/revision"))"
