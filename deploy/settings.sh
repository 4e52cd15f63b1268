# Read by backup.sh and restore.sh: the settings of an installation, and how to stop with one sentence.

stop() { # TEXT
    echo "$(basename "$0"): $1" >&2
    exit 1
}

settings_read() { # [ENV_FILE] - sets RENSHO_DATA, DATABASE_URL and settings_from
    settings_from=${1:-/etc/rensho/rensho.env}
    if [ -n "${1-}" ] && [ ! -r "$1" ]; then stop "$1 cannot be read. Name the env file of the units, or none."; fi
    if [ -r "$settings_from" ]; then
        RENSHO_DATA=$(sed -n 's/^RENSHO_DATA=//p' "$settings_from" | tail -n 1)
        DATABASE_URL=$(sed -n 's/^DATABASE_URL=//p' "$settings_from" | tail -n 1)
    else
        settings_from="the environment"
    fi
    RENSHO_DATA=${RENSHO_DATA:-$here/var}
    DATABASE_URL=${DATABASE_URL-}
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
