#!/bin/sh
# Runs a command of manage.py as the units run theirs, with the settings of the env file:
#     deploy/run.sh COMMAND [ARGUMENT..]
# As root it becomes the account of the units first and reads the file as that account, so that no password of the
# file is ever on a command line, where every user of the machine could read it. RENSHO_ENV names another file.
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
