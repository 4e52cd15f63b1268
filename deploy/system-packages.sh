#!/bin/sh
# Installs what the sandbox needs from the system: bubblewrap, and tools of util-linux.
# Does nothing if all is there. Without the right to install it says what to do and ends well: everything
# but sandboxed play works without, and `manage.py doctor` names what is missing.
set -u

missing=
for tool in bwrap setpriv unshare prlimit choom; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
[ -z "$missing" ] && exit 0

remedy() {
    echo "Missing for the sandbox:$missing. $1"
    echo "Remedy: as root, apt-get install bubblewrap util-linux (or what your system calls them)."
    exit 0
}

command -v apt-get >/dev/null 2>&1 || remedy "There is no apt-get here."
if [ "$(id -u)" -eq 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    remedy "Installing takes root or a sudo that asks no password."
fi

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
options="-qq -o DPkg::Lock::Timeout=60 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 -o Acquire::Retries=1"

apt() { # SECONDS ARGUMENT.. - one quiet, bounded apt-get
    seconds=$1
    shift
    # shellcheck disable=SC2086
    timeout -k 10 "$seconds" $as_root env DEBIAN_FRONTEND=noninteractive apt-get $options "$@" >>"$log" 2>&1 </dev/null
}

install() {
    apt 300 install -y --no-install-recommends bubblewrap util-linux
}

echo "installing bubblewrap"
if ! apt-cache show bubblewrap >/dev/null 2>&1; then
    apt 180 update
    install || failed=1
else
    # Known, but the list may be older than the archive.
    install || { apt 180 update; install; } || failed=1
fi
if [ -n "${failed-}" ]; then
    tail -n 5 "$log"
    remedy "apt-get could not install it."
fi
