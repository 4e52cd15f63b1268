"""Bots that are no Python: in JavaScript on node/1, in C on binary/1, at real tables in the real sandbox."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from referee.bundle import Bundle, import_archive
from referee.capability import offer_named
from tests.referee.archives import zipped

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
COMPILE_TIMEOUT_S = 120


def is_here(runtime: str) -> bool:
    """Whether this machine runs the runtime; if not, the run's summary says why, and CI fails."""
    offer = offer_named(runtime)
    if not offer.refusal:
        return True
    notice = f"{runtime} is not tried here: {offer.refusal}. {offer.remedy}"
    if "CI" in os.environ:
        pytest.fail(notice)
    # From this one line, whoever asks: the summary then tells it once.
    warnings.warn(notice, stacklevel=1)
    return False


def compiled(folder: Path, source: str, *flags: str) -> bytes:
    """The program that the C compiler makes of ``source``."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "there is no C compiler. Remedy: apt-get install gcc libc6-dev"
    (folder / "source.c").write_text(source)
    done = subprocess.run(
        [compiler, "-O2", *flags, "-o", "program", "source.c"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=COMPILE_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (folder / "program").read_bytes()


def packed(runtime: str, entry_point: str, content: bytes | str, **others: bytes) -> Bundle:
    """The bundle of a bot with one program, and perhaps other files."""
    manifest = f'name = "x"\nruntime = "{runtime}"\nentry_point = "{entry_point}"\n'
    program = content.encode() if isinstance(content, str) else content
    return import_archive(
        zipped({"rensho.toml": manifest.encode(), entry_point: program} | others), "bot.zip"
    )
