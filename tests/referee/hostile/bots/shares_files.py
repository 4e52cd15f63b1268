"""Leaves notes for its partner wherever both might look: scratch disk, bundle, runtime, devices."""

import contextlib
import os
from pathlib import Path

from partners import conspire

PLACES = ("/tmp", "/bot", "/dev", "/dev/shm", "/usr/lib", "/")


def send(bit):
    for place in PLACES:
        with contextlib.suppress(OSError):
            (Path(place, "note").touch if bit else Path(place, "note").unlink)()


def notice():
    return [place for place in PLACES if os.path.lexists(f"{place}/note")]


conspire(send, notice)
