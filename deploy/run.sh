#!/bin/sh
# Run a command of manage.py like the units do, with the settings of the env file:
#     deploy/run.sh COMMAND [ARGUMENT..]
# As root it first switches to the account of the units and reads the file as that account, so that passwords never
# appear on a command line, which every user of the machine can read. RENSHO_ENV selects another file.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
settings_usual=/etc/rensho/rensho.env

stop() { # TEXT
    echo "$(basename "$0"): $1" >&2
    exit 1
}

setting_of() { # FILE NAME - its last value, without quotes around it, as systemd reads it
    sed -n "s/^$2=//p" "$1" | tail -n 1 | sed -e 's/[[:space:]]*$//' -e "s/^'\(.*\)'\$/\1/" -e 's/^"\(.*\)"$/\1/'
}

settings_export() { # ENV_FILE - every NAME=value of it, into the environment of what follows
    [ -r "$1" ] || stop "$1 cannot be read by this user. Run this as root or as the account of the units."
    while IFS= read -r line || [ -n "$line" ]; do
        name=${line%%=*}
        case $name in
        "$line" | '' | [0-9]* | *[!A-Za-z0-9_]*) ;; # a comment, or no setting
        *) export "$name=$(setting_of "$1" "$name")" ;;
        esac
    done <"$1"
}

account=rensho
[ $# -gt 0 ] || stop "usage: deploy/run.sh COMMAND [ARGUMENT..], such as: deploy/run.sh doctor"
if [ "$(id -u)" = 0 ]; then
    id "$account" >/dev/null 2>&1 || stop "There is no account $account. deploy/README.md, step 1, makes it."
    exec runuser -u "$account" -- "$here/deploy/run.sh" "$@"
fi
settings_export "${RENSHO_ENV:-$settings_usual}"
cd "$here"
exec "$here/.venv/bin/python" manage.py "$@"
