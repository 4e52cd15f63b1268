#!/bin/sh
# Install the required system packages:
#     (no argument)   for the sandbox: bubblewrap, and tools of util-linux; for the kernel of searches: a C
#                     compiler and the headers of Python
#     tests           for the tests as well: a C compiler with a static C library, node, openssl, the programs
#                     of a PostgreSQL server, which the tests start themselves: no cluster is made, no server
#                     started; a Chromium, in which they look at the pages, and a Japanese font
# Does nothing if all are installed. Without permission to install, it prints the remedy and exits with 0: everything
# except sandboxed play works without them, the kernel fifty times slower. `manage.py doctor` lists missing ones.
set -u

has() { command -v "$1" >/dev/null 2>&1; }

# Debian keeps the programs of a PostgreSQL server off PATH, in a folder for each version.
has_postgres() {
    if [ -n "${RENSHO_POSTGRES-}" ]; then
        [ -x "$RENSHO_POSTGRES/initdb" ]
        return
    fi
    has initdb && return
    for program in /usr/lib/postgresql/*/bin/initdb; do
        [ -x "$program" ] && return
    done
    return 1
}

has_chromium() {
    if [ -n "${RENSHO_CHROMIUM-}" ]; then
        [ -x "$RENSHO_CHROMIUM" ]
        return
    fi
    has chromium-headless-shell || has chromium || has chromium-browser || has google-chrome-stable || has google-chrome
}

# Headers of the Python that the Makefile uses. Without a Python nothing else works either.
has_headers() {
    python=${RENSHO_PYTHON-/usr/bin/python3}
    [ -x "$python" ] || python=python3
    has "$python" || return 0
    "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))'
}

# Debian packages for the missing programs.
sandbox_missing=
for tool in bwrap setpriv unshare prlimit choom; do
    has "$tool" || sandbox_missing="$sandbox_missing $tool"
done

kernel_missing=
kernel_packages=
if [ "${1-}" != tests ] && ! has cc && ! has gcc; then
    kernel_missing=" cc"
    kernel_packages="gcc libc6-dev"
fi
if ! has_headers; then
    kernel_missing="$kernel_missing Python.h"
    kernel_packages="$kernel_packages python3-dev"
fi

tests_missing=
tests_packages=
if [ "${1-}" = tests ]; then
    if ! has cc && ! has gcc; then
        tests_missing="$tests_missing cc"
        tests_packages="$tests_packages gcc libc6-dev"
    else
        compiler=cc
        has cc || compiler=gcc
        library=$("$compiler" -print-file-name=libc.a 2>/dev/null)
        if [ ! -e "$library" ]; then
            tests_missing="$tests_missing libc.a"
            tests_packages="$tests_packages libc6-dev"
        fi
    fi
    if [ -z "${RENSHO_NODE-}" ] && ! has node; then
        tests_missing="$tests_missing node"
        tests_packages="$tests_packages nodejs"
    fi
    if ! has openssl; then
        tests_missing="$tests_missing openssl"
        tests_packages="$tests_packages openssl"
    fi
    if ! has_postgres; then
        tests_missing="$tests_missing postgres"
        tests_packages="$tests_packages postgresql"
    fi
    if ! has_chromium; then
        tests_missing="$tests_missing chromium"
        # The headless shell is 25 % faster and has fewer dependencies. The font (2 MB) has the Japanese terms of
        # the pages; an installed one stays.
        tests_packages="$tests_packages chromium-headless-shell fonts-vlgothic"
    fi
fi
[ -z "$sandbox_missing$kernel_missing$tests_missing" ] && exit 0

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
options="-qq -o DPkg::Lock::Timeout=60 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1"

hindrance=
as_root=
if ! has apt-get; then
    hindrance="There is no apt-get here."
elif [ "$(id -u)" -ne 0 ]; then
    if has sudo && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        hindrance="Installing takes root or a sudo that asks no password."
    fi
fi

apt() { # SECONDS ARGUMENT.. - one quiet, bounded apt-get
    seconds=$1
    shift
    # shellcheck disable=SC2086
    timeout -k 10 "$seconds" $as_root env DEBIAN_FRONTEND=noninteractive apt-get $options "$@" >>"$log" 2>&1 </dev/null
}

# Debian's first installation of PostgreSQL creates and starts a cluster unless this file disables that.
no_cluster=/etc/postgresql-common/createcluster.d/rensho-tests.conf

install() {
    case "$*" in
    *postgresql*)
        $as_root mkdir -p "${no_cluster%/*}" && echo 'create_main_cluster = false' | $as_root tee "$no_cluster" >/dev/null
        apt 300 install -y --no-install-recommends "$@"
        status=$?
        $as_root rm -f "$no_cluster"
        return "$status"
        ;;
    *) apt 300 install -y --no-install-recommends "$@" ;;
    esac
}

known() {
    for package; do
        apt-cache show "$package" >/dev/null 2>&1 || return 1
    done
}

remedy() { # PURPOSE MISSING HINDRANCE PACKAGE..
    purpose=$1 gone=$2 why=$3
    shift 3
    echo "Missing for the $purpose:$gone. $why"
    echo "Remedy: as root, apt-get install $* (or what your system calls them)."
}

provide() { # PURPOSE MISSING PACKAGE..
    what_for=$1 lacking=$2
    shift 2
    if [ -n "$hindrance" ]; then
        remedy "$what_for" "$lacking" "$hindrance" "$@"
        return
    fi
    echo "installing $*"
    : >"$log"
    if ! known "$@"; then
        apt 180 update
        install "$@" && return
    else
        # Known packages may fail because the package list is older than the archive.
        install "$@" || { apt 180 update; install "$@"; } && return
    fi
    tail -n 5 "$log"
    remedy "$what_for" "$lacking" "apt-get could not install it." "$@"
}

# Separately, because Python bots play without a compiler or node.
[ -z "$sandbox_missing" ] || provide sandbox "$sandbox_missing" bubblewrap util-linux
# shellcheck disable=SC2086
[ -z "$kernel_missing" ] || provide kernel "$kernel_missing" $kernel_packages
# shellcheck disable=SC2086
[ -z "$tests_missing" ] || provide tests "$tests_missing" $tests_packages
exit 0
