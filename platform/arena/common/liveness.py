"""A file that changes while the main loop of this process runs, for health checks of container platforms.

RENSHO_LIVENESS  path of the file, of this process alone (default: none is written)
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)

VARIABLE = "RENSHO_LIVENESS"


def liveness_mark() -> None:
    """Set the file's time to now. Workers, play and analysis do so at least every ten seconds."""
    path = os.environ.get(VARIABLE, "").strip()
    if not path:
        return
    try:
        Path(path).touch(mode=0o600)
    except OSError as error:
        log.warning("%s: %s cannot be written: %s", VARIABLE, path[:200], error.strerror)
