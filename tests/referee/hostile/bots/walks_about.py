"""Walks every folder it can reach and looks for orders, records, logs, keys and other bots' files."""

import os
from pathlib import Path

from attempts import attempt_all
from honest import play

WORDS = ("bundles", "stage", "canary", "record", "blob", ".sqlite", "secret", ".env", "id_rsa", "manage.py")
TRIES = {
    "walked() > 500": "True",
    "[path for path in every() if any(word in path.lower() for word in WORDS) and not known(path)]": "[]",
    "[path for path in every() if not readable(path)]": "[]",
}


def every():
    for top in ("/bot", "/tmp", "/dev", "/usr"):
        for where, folders, files in os.walk(top):
            yield from (f"{where}/{name}" for name in (*folders, *files))


def walked():
    return sum(1 for _ in every())


def known(path):
    return path.startswith(("/usr/lib/python", "/usr/lib/rensho/engine/", "/usr/lib/rensho/numpy"))


def readable(path):
    return Path(path).is_symlink() or os.access(path, os.R_OK)


attempt_all(
    TRIES, {"os": os, "every": every, "walked": walked, "known": known, "readable": readable, "WORDS": WORDS}
)
play()
