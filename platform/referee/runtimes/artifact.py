"""Runtime artefacts in the staging area: fetched by hash, and verified on every read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from engine.refusals import quoted
from referee.contract import FaultCause
from referee.errors import PlatformFault
from referee.runtimes.stage import safe_folder, stage_root

FOLDER = "artifacts"
KEEP_S = 7 * 24 * 3600.0
Fetch = Callable[[str], bytes]
"""Fetches the bytes with this hex SHA-256."""


def stage_artifact(sha256: str, fetch: Fetch) -> None:
    """Fetch the artefact of this hash into the staging area if it is missing or damaged there.

    Raise ``PlatformFault`` if the fetched bytes have another hash, ``SandboxUnavailable`` without a safe
    area.
    """
    if _read(sha256) is not None:
        return
    data = fetch(sha256)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise PlatformFault(f"the store returned other bytes for artefact {sha256}", FaultCause.RUNTIME)
    file = _file(sha256)
    aside = file.with_name(f".{file.name}-{os.getpid()}")
    aside.write_bytes(data)
    aside.chmod(0o600)
    aside.replace(file)


def is_staged(sha256: str) -> bool:
    """Return whether the staging area has the artefact of this hash, undamaged."""
    return _read(sha256) is not None


def staged_artifact(sha256: str) -> bytes:
    """Return the bytes of a staged artefact, or raise ``PlatformFault`` if it is missing or damaged."""
    data = _read(sha256)
    if data is None:
        raise PlatformFault(f"artefact {sha256} is not in the staging area, or damaged", FaultCause.RUNTIME)
    return data


def clean_artifacts() -> list[str]:
    """Remove artefacts unused for ``KEEP_S`` and old unfinished files; return the names."""
    removed = []
    for file in sorted(safe_folder(stage_root() / FOLDER).iterdir()):
        with contextlib.suppress(OSError):
            if file.stat().st_mtime < time.time() - KEEP_S:
                file.unlink()
                removed.append(file.name)
    return removed


def _read(sha256: str) -> bytes | None:
    try:
        data = _file(sha256).read_bytes()
    except FileNotFoundError:
        return None
    if hashlib.sha256(data).hexdigest() != sha256:
        return None
    # This user may not be allowed to touch files of root.
    with contextlib.suppress(OSError):
        os.utime(_file(sha256))
    return data


def _file(sha256: str) -> Path:
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise PlatformFault(f"{quoted(sha256)} is not the hash of an artefact", FaultCause.RUNTIME)
    return safe_folder(stage_root() / FOLDER) / sha256
