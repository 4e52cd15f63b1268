#!/bin/sh
# Releases of a site in folders of their own, beside each other. As root:
#     deploy/release.sh install VERSION    clone a tag (or branch) into releases/VERSION and install its dependencies
#     deploy/release.sh activate VERSION   migrate the first step, switch `current`, restart in order
#     deploy/release.sh rollback           activate the release that ran before
#     deploy/release.sh finish             migrate the second step, once the other machines run the release
#     deploy/release.sh list               show the releases
#     deploy/release.sh remove VERSION     delete a release that is not in use
# The folder is /opt/rensho (RENSHO_HOME): `repository` is a clone, `current` a link to the running release.
set -eu
home=${RENSHO_HOME:-/opt/rensho}
releases=$home/releases
units=${RENSHO_UNITS:-/etc/systemd/system}
systemctl=${RENSHO_SYSTEMCTL:-systemctl}
complete=.installed # file in a release whose installation has ended

stop() { # TEXT
    echo "release.sh: $1" >&2
    exit 1
}

named() { # VERSION - refuse what is no name of a tag or branch
    case $1 in
    '' | .* | -* | *[!A-Za-z0-9._-]*) stop "'$1' is no version such as v1.1.0" ;;
    esac
}

link_of() { # NAME - the version to which a link points, or nothing
    [ ! -L "$home/$1" ] || basename "$(readlink "$home/$1")"
}

require_installed() { # VERSION
    [ -f "$releases/$1/$complete" ] || stop "$1 is not installed. Run: deploy/release.sh install $1"
}

point() { # NAME VERSION - replace a link at once
    ln -s "releases/$2" "$home/.$1.new"
    mv -T "$home/.$1.new" "$home/$1"
}

runs() { # UNIT - whether a unit is enabled or active on this machine
    "$systemctl" is-active --quiet "$1" || "$systemctl" is-enabled --quiet "$1" 2>/dev/null
}

restart() { # UNIT.. - those that run on this machine
    for unit in "$@"; do
        if runs "$unit"; then
            echo "restart $unit"
            "$systemctl" restart "$unit" || stop "$unit does not start: journalctl -u $unit. Then: deploy/release.sh rollback"
        fi
    done
}

install_release() { # VERSION
    named "$1"
    [ -d "$home/repository/.git" ] || stop "$home/repository is no clone. deploy/README.md, step 1, makes it."
    [ ! -f "$releases/$1/$complete" ] || stop "$1 is installed already. Run: deploy/release.sh activate $1"
    git -C "$home/repository" fetch --quiet --tags origin || stop "the repository cannot be fetched; see above"
    git -C "$home/repository" rev-parse --quiet --verify "refs/tags/$1^{commit}" >/dev/null ||
        git -C "$home/repository" rev-parse --quiet --verify "refs/remotes/origin/$1^{commit}" >/dev/null ||
        stop "the repository has no tag or branch $1. Tags: $(git -C "$home/repository" tag | tail -n 5 | tr '\n' ' ')"
    rm -rf "${releases:?}/$1" # the remains of an interrupted installation
    mkdir -p "$releases"
    if git -C "$home/repository" rev-parse --quiet --verify "refs/tags/$1^{commit}" >/dev/null; then
        git clone --quiet --branch "$1" "$home/repository" "$releases/$1" 2>/dev/null
    else
        git clone --quiet "$home/repository" "$releases/$1"
        git -C "$releases/$1" fetch --quiet origin "refs/remotes/origin/$1"
        git -C "$releases/$1" checkout --quiet --detach FETCH_HEAD
    fi
    extras=
    [ ! -e "$home/current/.venv/.extras" ] || extras=1
    make -C "$releases/$1" setup EXTRAS=$extras
    touch "$releases/$1/$complete"
    echo "$1 is installed. Run: deploy/release.sh activate $1"
}

activate() { # VERSION
    named "$1"
    require_installed "$1"
    before=$(link_of current)
    [ "$before" != "$1" ] || stop "$1 is the current release"
    # Before anything changes: an older release refuses a database that it cannot use.
    "$releases/$1/deploy/run.sh" migrate --noinput --expand ||
        stop "nothing was changed: $1 cannot use the database; see above"
    [ -z "$before" ] || point previous "$before"
    point current "$1"
    for unit in "$releases/$1"/deploy/systemd/*; do
        install -m 0644 "$unit" "$units/"
    done
    "$systemctl" daemon-reload
    restart rensho-web.service rensho-housekeeping.service rensho-beat.service
    restart rensho-play.service rensho-analysis.service rensho-notes.service
    # Each worker first finishes its tables, which takes up to eleven minutes; all of them stop at the same time.
    workers=$("$systemctl" list-units --plain --no-legend 'rensho-worker@*' | cut -d ' ' -f 1)
    [ -z "$workers" ] || echo "workers finish their tables and restart: $(echo "$workers" | tr '\n' ' ')"
    # shellcheck disable=SC2086  # one unit a line
    [ -z "$workers" ] || "$systemctl" restart $workers
    echo "$1 runs${before:+; before: $before}. When all machines run it and stay: deploy/release.sh finish"
}

finish() { # the second step waits until no process of an older release is left, and names those that are
    "$home/current/deploy/run.sh" migrate --noinput
}

rollback() {
    previous=$(link_of previous)
    [ -n "$previous" ] || stop "no earlier release is known: $home/previous is no link"
    activate "$previous"
}

list() {
    for folder in "$releases"/*/; do
        version=$(basename "$folder")
        [ "$version" != '*' ] || continue
        note=
        [ -f "$folder/$complete" ] || note=' (not installed completely)'
        [ "$version" != "$(link_of current)" ] || note="$note (current)"
        [ "$version" != "$(link_of previous)" ] || note="$note (previous)"
        echo "$version$note"
    done
}

remove() { # VERSION
    named "$1"
    [ -d "$releases/$1" ] || stop "there is no release $1"
    [ "$(link_of current)" != "$1" ] || stop "$1 is the current release"
    rm -rf "${releases:?}/$1"
    [ "$(link_of previous)" != "$1" ] || rm "$home/previous"
}

usage='usage: deploy/release.sh install VERSION | activate VERSION | rollback | finish | list | remove VERSION'
command=${1:-}
case $command:$# in
install:2) install_release "$2" ;;
activate:2) activate "$2" ;;
rollback:1) rollback ;;
finish:1) finish ;;
list:1) list ;;
remove:2) remove "$2" ;;
*) stop "$usage" ;;
esac
