"""File permissions of an installation: only its user may read its files.

The data folder contains bots, the site's key and secrets of running tournaments. It has mode 0700, and the
programs of an installation create all files for their user only.
"""

import contextlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

DATA_VARIABLE = "RENSHO_DATA"
UMASK = 0o077
FOLDER_MODE, FILE_MODE = 0o700, 0o600
DATA_FOLDER_ENTRIES = frozenset({"secret_key", "arena.sqlite3", "blobs"})
"""Entries that identify a data folder in use."""


def restrict_new_files() -> None:
    """Set the umask, so that this process and its subprocesses create files for their user only."""
    os.umask(UMASK)


def data_folder_of(environment: Mapping[str, str], usual: Path) -> Path:
    """Return the absolute path of the data folder: ``RENSHO_DATA`` unless empty, otherwise ``usual``."""
    return Path(environment.get(DATA_VARIABLE, "").strip() or usual).resolve()


def prepare_data_folder(data: Path) -> Path:
    """Create the data folder if missing, and restrict it to its user if it is ours; ignore errors.

    The mode of a folder with other contents is unchanged, because it was named by mistake or is shared.
    """
    with contextlib.suppress(OSError):
        data.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        stat_result = data.stat()
        names = {path.name for path in data.iterdir()}
        if (
            stat_result.st_uid == os.geteuid()
            and stat_result.st_mode & UMASK
            and (not names or names & DATA_FOLDER_ENTRIES)
        ):
            data.chmod(stat.S_IMODE(stat_result.st_mode) & ~UMASK)
    return data
