#!/bin/sh
# Generate the secrets of a new site, for compose.yaml and for Kubernetes:
#     sh deploy/images/secrets.sh FOLDER
# Writes one file for each secret; files that exist stay. Only the owner can enter the folder. In it, the files are
# readable, because each container has only those that are mounted, and its users differ.
set -eu
[ $# = 1 ] || {
    echo "usage: sh deploy/images/secrets.sh FOLDER" >&2
    exit 2
}
umask 077
mkdir -p "$1"
chmod 0700 "$1"
cd "$1"

random() {
    od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

write() { # FILE TEXT
    if [ -e "$1" ]; then
        echo "kept $1"
    else
        printf '%s\n' "$2" >"$1"
        chmod 0444 "$1"
    fi
}

write secret_key "$(random)$(random)"
write database_password "$(random)"
write queue.conf "requirepass $(random)"
write storage_key_id "$(random)"
write storage_secret "$(random)"
write metrics "token:$(random)"
write database_url "postgres://rensho:$(cat database_password)@database:5432/rensho"
write redis_url "redis://:$(sed "s/^requirepass //" queue.conf)@queue:6379/0"
write storage.json "{\"identities\": [{\"name\": \"site\", \"actions\": [\"Admin\"], \"credentials\": [{\"accessKey\": \"$(cat storage_key_id)\", \"secretKey\": \"$(cat storage_secret)\"}]}]}"
