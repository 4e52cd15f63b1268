"""What ``rensho new --language`` copies for a language other than Python: the bots of ``examples``."""

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
"""The first is that of the templates."""
BUILD_TIMEOUT_S = 120
_FLAGS = ("-O2", "-std=c11", "-static")
_MAX_ERROR_CHARS = 200


def example_files(language: str, name: str) -> tuple[str, str, dict[str, bytes]]:
    """The program's source, the command that builds it with ``{folder}`` in it, and every file by name.

    The program is built already; without a command there is nothing to build.

    Raises:
        EnvironmentFailure: no compiler or interpreter of the language is here; nothing has been written.
    """
    if language == "javascript":
        prepare_host(["node/1"])
        return "main.js", "", _renamed_files(language, ("main.js", "rensho.toml"), name)
    files = _renamed_files(language, ("Makefile", "bot.c", "rensho.toml"), name)
    return "bot.c", "make -C {folder}", {**files, "bot": _compile(files["bot.c"])}


def examples_folder() -> Path:
    """Where the examples are: beside the packages in a clone, inside ``bots`` where a wheel is installed."""
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
    asked = os.environ.get("CC", "").split()
    compiler = asked[0] if asked else shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise EnvironmentFailure(
            "no C compiler is here: install one (apt-get install gcc libc6-dev), then repeat"
        )
    if shutil.which(compiler) is None:
        raise EnvironmentFailure(
            f"the C compiler {quoted(compiler)}, which CC names, is not here: name another"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "bot.c").write_bytes(source)
        try:
            done = subprocess.run(
                [compiler, *asked[1:], *_FLAGS, "-o", "bot", "bot.c"],
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
                "then repeat"
            )
        return (path / "bot").read_bytes()
