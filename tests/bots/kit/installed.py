"""The wheel in an empty environment: built here, installed with what its metadata asks for and no more.

What it depends on is copied from the environment of the tests, which holds exactly what
requirements/dev.lock pins, so no network is needed and no cache trusted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[3]
UV = ROOT / ".tools" / "bin" / "uv"


class Installed(NamedTuple):
    """An environment with the kit and nothing of the platform."""

    folder: Path
    wheel: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "rensho"


def install(folder: Path) -> Installed:
    """Build the wheel and install it below ``folder``."""
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT)
    (wheel,) = folder.glob("rensho-*.whl")
    environment = folder / "environment"
    uv = str(UV) if UV.exists() else shutil.which("uv")
    assert uv is not None, "uv is not here: make setup fetches it"
    run([uv, "venv", "--quiet", "--offline", "--python", sys.executable, str(environment)], cwd=folder)
    installed = Installed(environment, wheel)
    pip = [uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(installed.python)]
    run([*pip, str(wheel)], cwd=folder)
    (packages,) = environment.glob("lib/python*/site-packages")
    own = next(iter(Distribution.discover(name="rensho", path=[str(packages)])))
    for name in sorted(needed_by(own)):
        _copy(distribution(name), packages)
    return installed


def needed_by(dist: Distribution) -> set[str]:
    """Names of all that a distribution needs here, extras aside, and of all that these need."""
    found: set[str] = set()
    todo = [dist]
    while todo:
        for text in todo.pop().requires or []:
            requirement = Requirement(text)
            name = canonicalize_name(requirement.name)
            if name not in found and (
                requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ):
                found.add(name)
                todo.append(distribution(name))
    return found


def _copy(dist: Distribution, packages: Path) -> None:
    """The files of a distribution, its commands aside."""
    for file in dist.files or []:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = packages / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)


def run(
    command: list[str], *, cwd: Path, timeout_s: float = 300.0, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run to the end; its words if it fails."""
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        command, cwd=cwd, env={**own, **env}, capture_output=True, text=True, timeout=timeout_s, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done
