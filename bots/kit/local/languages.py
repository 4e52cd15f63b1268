"""Files of ``rensho new --language`` for other languages than Python, copied from ``examples``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import bots
from bots.kit.errors import EnvironmentFailure
from bots.kit.local.pool import prepare_host
from engine.refusals import clipped, quoted

LANGUAGES = ("python", "javascript", "c")
"""Supported languages. Bots in the first one are made from the templates."""
BUILD_TIMEOUT_S = 120
_FLAGS = ("-O2", "-std=c11", "-static")
_MAX_ERROR_CHARS = 200


def example_files(language: str, name: str) -> tuple[str, str, dict[str, bytes]]:
    """Return the source file's name, the build command with ``{folder}`` (empty if none), and the files.

    The program is already built. Raise ``EnvironmentFailure`` if the compiler or interpreter is missing.
    """
    if language == "javascript":
        prepare_host(["node/1"])
        return "main.js", "", _renamed_files(language, ("main.js", "rensho.toml"), name)
    files = _renamed_files(language, ("Makefile", "bot.c", "rensho.toml"), name)
    return "bot.c", "make -C {folder}", {**files, "bot": _compile(files["bot.c"])}


def examples_folder() -> Path:
    """Return the folder of the examples: next to the packages in a clone, within ``bots`` in a wheel."""
    packages = Path(bots.__file__).parent
    inside = packages / "examples"
    return inside if inside.is_dir() else packages.parent / "examples"


def _renamed_files(language: str, names: tuple[str, ...], name: str) -> dict[str, bytes]:
    folder = examples_folder() / language
    return {
        file: (folder / file).read_bytes().replace(f"plain_{language}".encode(), name.encode())
        for file in names
    }


def _compile(source: bytes) -> bytes:
    cc_words = os.environ.get("CC", "").split()
    compiler = cc_words[0] if cc_words else shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise EnvironmentFailure(
            "no C compiler found: install one (apt-get install gcc libc6-dev), then retry"
        )
    if shutil.which(compiler) is None:
        raise EnvironmentFailure(
            f"the C compiler {quoted(compiler)} from CC was not found: set CC to another"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "bot.c").write_bytes(source)
        try:
            done = subprocess.run(
                [compiler, *cc_words[1:], *_FLAGS, "-o", "bot", "bot.c"],
                cwd=path,
                capture_output=True,
                text=True,
                timeout=BUILD_TIMEOUT_S,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EnvironmentFailure(
                f"the C compiler {compiler} does not work: {clipped(str(error))}"
            ) from None
        if done.returncode != 0:
            why = clipped(" ".join(done.stderr.split()) or f"status {done.returncode}", _MAX_ERROR_CHARS)
            raise EnvironmentFailure(
                f"the C compiler {compiler} cannot build a static program: {why}. Install gcc and libc6-dev, "
                "then retry"
            )
        return (path / "bot").read_bytes()
