"""Who may read an installation's files: its user alone.

The data folder holds bots, the site's key and secrets of events that are being played. It has mode 0700,
and the programs of an installation create files for their user only, wherever they are.
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
"""What a data folder that is in use holds."""


def restrict_new_files() -> None:
    """From now on this process, and what it starts, creates files and folders for its user alone."""
    os.umask(UMASK)


def data_folder_of(environment: Mapping[str, str], usual: Path) -> Path:
    """The absolute path of the data folder: ``RENSHO_DATA``, else ``usual``, also where it is empty."""
    return Path(environment.get(DATA_VARIABLE, "").strip() or usual).resolve()


def prepare_data_folder(data: Path) -> Path:
    """The data folder, made if missing, closed to others if it is ours to close; no error if it cannot be.

    A folder that holds other things was named by mistake, or is shared: its mode is left as it is.
    """
    with contextlib.suppress(OSError):
        data.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        found = data.stat()
        names = {path.name for path in data.iterdir()}
        if (
            found.st_uid == os.geteuid()
            and found.st_mode & UMASK
            and (not names or names & DATA_FOLDER_ENTRIES)
        ):
            data.chmod(stat.S_IMODE(found.st_mode) & ~UMASK)
    return data
