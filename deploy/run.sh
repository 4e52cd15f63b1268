#!/bin/sh
# Run a command of manage.py like the units do, with the settings of the env file:
#     deploy/run.sh COMMAND [ARGUMENT..]
# As root it first switches to the account of the units and reads the file as that account, so that passwords never
# appear on a command line, which every user of the machine can read. RENSHO_ENV selects another file.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/deploy/settings.sh"

account=rensho
[ $# -gt 0 ] || stop "usage: deploy/run.sh COMMAND [ARGUMENT..], such as: deploy/run.sh doctor"
if [ "$(id -u)" = 0 ]; then
    id "$account" >/dev/null 2>&1 || stop "There is no account $account. deploy/README.md, step 1, makes it."
    exec runuser -u "$account" -- "$here/deploy/run.sh" "$@"
fi
settings_export "${RENSHO_ENV:-$settings_usual}"
cd "$here"
exec "$here/.venv/bin/python" manage.py "$@"
