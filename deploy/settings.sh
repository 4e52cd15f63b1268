# Sourced by the scripts of this folder: settings of an installation, and ``stop``, which exits with a message.

settings_usual=/etc/rensho/rensho.env

stop() { # TEXT
    echo "$(basename "$0"): $1" >&2
    exit 1
}

setting_of() { # FILE NAME - its last value, without quotes around it, as systemd reads it
    sed -n "s/^$2=//p" "$1" | tail -n 1 | sed -e 's/[[:space:]]*$//' -e "s/^'\(.*\)'\$/\1/" -e 's/^"\(.*\)"$/\1/'
}

is_closed() { # FOLDER - whether it exists but this user cannot read it
    [ -d "$1" ] && [ ! -x "$1" ]
}

settings_read() { # [ENV_FILE] - sets RENSHO_DATA, DATABASE_URL and settings_from
    settings_from=${1:-$settings_usual}
    if [ -n "${1-}" ] && [ ! -r "$1" ]; then stop "$1 cannot be read. Name the env file of the units, or none."; fi
    if [ -r "$settings_from" ]; then
        RENSHO_DATA=$(setting_of "$settings_from" RENSHO_DATA)
        DATABASE_URL=$(setting_of "$settings_from" DATABASE_URL)
    elif [ -e "$settings_from" ] || is_closed "$(dirname "$settings_from")"; then
        # No fallback to the environment: the file belongs to the installation on this machine.
        stop "$settings_from is there but this user may not read it. Run this as root."
    else
        settings_from="the environment"
    fi
    RENSHO_DATA=${RENSHO_DATA:-$here/var}
    DATABASE_URL=${DATABASE_URL-}
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

sqlite_path() { # - the file of an SQLite database
    case $DATABASE_URL in
    sqlite:///?*) echo "${DATABASE_URL#sqlite:///}" ;;
    *) echo "$RENSHO_DATA/arena.sqlite3" ;;
    esac
}

is_postgres() {
    case $DATABASE_URL in
    '' | sqlite:*) return 1 ;;
    postgres://* | postgresql://*) return 0 ;;
    *) stop "DATABASE_URL of $settings_from is neither postgres:// nor sqlite://. Correct it." ;;
    esac
}

# Every user can read command lines, but not the environment of other users' processes. So the password moves
# from the address to PGPASSWORD, which pg_dump and psql read.
postgres_address() { # - sets postgres_url, which has no password, and PGPASSWORD
    parts=$(DATABASE_URL=$DATABASE_URL python3 -c '
import os
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit
url = urlsplit(os.environ["DATABASE_URL"])
login, mark, host = url.netloc.rpartition("@")
user, _, password = login.partition(":")
query = parse_qsl(url.query, keep_blank_values=True)
password = dict(query).get("password", unquote(password))
rest = urlencode([(name, value) for name, value in query if name != "password"], quote_via=quote)
print(f"{url.scheme}://{user}{mark}{host}{url.path}{rest and chr(63)}{rest}")
print(password)') || stop "DATABASE_URL of $settings_from cannot be read. Correct it."
    postgres_url=$(printf '%s\n' "$parts" | sed -n 1p)
    password=$(printf '%s\n' "$parts" | sed -n 2p)
    if [ -n "$password" ]; then export PGPASSWORD="$password"; fi
}
