"""Fills its scratch disk, by bytes and by a file a terabyte long."""

import os
from pathlib import Path

from attempts import attempt_all
from honest import play

TRIES = {
    "Path('/tmp/a').write_bytes(bytes(5 << 20))": "5242880",
    "Path('/tmp/b').write_bytes(bytes(5 << 20))": "ENOSPC",
    "os.truncate('/tmp/a', 1 << 40)": "EFBIG",
    "os.posix_fallocate(os.open('/tmp/c', os.O_CREAT | os.O_RDWR), 0, 6 << 20)": "ENOSPC",
    "os.unlink('/tmp/a') or os.unlink('/tmp/b') or os.unlink('/tmp/c')": "None",
    "unlinked()": "ENOSPC",
}


def unlinked():
    """Space of files that have no name any more counts, too."""
    kept = []
    for n in range(3):
        file = os.open(f"/tmp/unlinked{n}", os.O_CREAT | os.O_WRONLY)
        Path(f"/tmp/unlinked{n}").unlink()
        kept.append(file)
        os.write(file, bytes(3 << 20))
        os.write(file, bytes(3 << 20))


attempt_all(TRIES, {"Path": Path, "os": os, "unlinked": unlinked})
play()
