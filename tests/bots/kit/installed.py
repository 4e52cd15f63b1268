"""The wheel in an empty environment: built from the source archive, installed with its dependencies only.

Dependencies are copied from the environment of the tests, which has the versions of requirements/dev.lock, so
no network and no cache is needed. The kernel is not compiled again: the build finds the modules that ``make
setup`` compiled, which are valid only for exactly the same sources.
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
KERNEL_BUILD = Path("var", "kernel")
"""Compiled modules, by deploy/build_kernel.py."""
PACKAGES = (
    "engine",
    "bots",
    *(f"platform/{name}" for name in ("analysis", "arena", "league", "referee", "viewer")),
)
"""Packages of the wheel, relative to the root."""


def package_files(root: Path) -> set[str]:
    """Source files of the packages, relative to ``root``; without files that are made of them."""
    return {
        str(path.relative_to(root))
        for package in PACKAGES
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }


class Installed(NamedTuple):
    """An environment with the kit and nothing of the platform."""

    folder: Path
    wheel: Path
    sources: Path
    """The unpacked source archive."""

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "rensho"


def install(folder: Path) -> Installed:
    """Build the source archive, build the wheel from it, and install the wheel, all below ``folder``."""
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    run([*build, "sdist"], cwd=ROOT)
    (archive,) = folder.glob("rensho-*.tar.gz")
    shutil.unpack_archive(archive, folder)
    sources = folder / archive.name.removesuffix(".tar.gz")
    shutil.copytree(ROOT / KERNEL_BUILD, sources / KERNEL_BUILD)
    run([*build, "wheel"], cwd=sources)
    (wheel,) = folder.glob("rensho-*.whl")
    environment = folder / "environment"
    uv = str(UV) if UV.exists() else shutil.which("uv")
    assert uv is not None, "uv is not here: make setup fetches it"
    run([uv, "venv", "--quiet", "--offline", "--python", sys.executable, str(environment)], cwd=folder)
    installed = Installed(environment, wheel, sources)
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
