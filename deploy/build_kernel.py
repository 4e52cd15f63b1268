"""Compile the modules of ``engine/kernel`` that have C types, if a C compiler is available.

``make setup`` runs it. Cython translates each ``NAME.py`` with a ``NAME.pxd`` to C, and the compiler makes an
extension module, both in ``var/kernel``; a copy next to the Python file replaces it on import. With
``--list`` the script makes no copies and prints the paths of the modules, for the wheel
(``deploy/wheel.py``). Without a compiler, Python's headers or Cython it prints a message; the Python files
then run slower, with the same results.

Each module contains the hashes of its sources; ``referee.runtimes.kernel.require_current`` compares them
before the module is published.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "engine" / "kernel"
BUILD = ROOT / "var" / "kernel"
FLAGS = ("-O3", "-shared", "-fPIC", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-DNDEBUG", "-w")
"""Without contraction, a product is rounded before it is added, on every machine and as in Python. By default
GCC joins the two operations on processors that can, such as all of arm64, with other results.
"""
MACHINE_FLAGS = {"x86_64": ("-march=x86-64-v2",)}
"""Enables popcnt, which every x86-64 processor of the last fifteen years has, and nothing newer."""
COMPILE_S = 300


def main() -> int:
    compiler = shutil.which("cc") or shutil.which("gcc")
    headers = Path(sysconfig.get_paths()["include"])
    missing = lacking(compiler, headers)
    if compiler is None or missing:
        print(
            f"The kernel is not compiled and runs as plain Python, some fifty times slower: {missing}",
            file=sys.stderr,
        )
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    command = [compiler, *FLAGS, *MACHINE_FLAGS.get(platform.machine(), ()), f"-I{headers}"]
    for built in build_all([types.with_suffix(".py") for types in sorted(KERNEL.glob("*.pxd"))], command):
        if sys.argv[1:] == ["--list"]:
            print(built)
        else:
            place(built, KERNEL / built.name)
    return 0


def lacking(compiler: str | None, headers: Path) -> str:
    """Return what this machine lacks to compile, with the remedy; empty if nothing."""
    if sys.platform != "linux":
        return f"it is compiled on Linux alone, and this is {sys.platform}."
    if compiler is None or not (headers / "Python.h").exists():
        missing = "a C compiler" if compiler is None else f"Python.h, which {headers} does not have"
        return (
            f"{missing} is missing. Remedy: as root, apt-get install gcc libc6-dev python3-dev (or what your "
            "system calls them), then make setup or pip install again."
        )
    if importlib.util.find_spec("Cython") is None:
        return "Cython is missing. Remedy: pip install Cython, then make setup or pip install again."
    return ""


def build_all(sources: list[Path], command: list[str]) -> list[Path]:
    """Return the compiled modules, built in parallel, one per core; start no further module after a
    failure."""
    failed: list[Path] = []

    def made(source: Path) -> Path:
        if not failed:
            try:
                return build(source, command)
            except SystemExit:
                failed.append(source)
                raise
        return source

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as compilers:
        return list(compilers.map(made, sources))


def build(source: Path, command: list[str]) -> Path:
    """Return the compiled module in ``var/kernel``; rebuild it only if its sources or the command have
    changed.
    """
    target = BUILD / f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}"
    stamp = BUILD / f"{target.name}.made-of"
    # A module may use the types of any other.
    sources = [source, *sorted(KERNEL.glob("*.pxd"))]
    mark = " ".join(f"{path.name}={hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sources)
    inputs = [mark, hashlib.sha256(Path(__file__).read_bytes()).hexdigest(), repr([*command, sys.version])]
    made_of = hashlib.sha256("\0".join(inputs).encode()).hexdigest()
    if target.exists() and stamp.exists() and stamp.read_text() == made_of:
        return target
    with tempfile.TemporaryDirectory(dir=BUILD) as unfinished:
        c_file, module = Path(unfinished, f"{source.stem}.c"), Path(unfinished, target.name)
        run([sys.executable, "-m", "cython", "-3", str(source), "-o", str(c_file)])
        with c_file.open("a") as file:
            file.write(f'\nstatic const char made_of[] __attribute__((used)) = "rensho-made-of: {mark};";\n')
        run([*command, str(c_file), "-o", str(module)])
        c_file.replace(BUILD / c_file.name)
        module.replace(target)
    stamp.write_text(made_of)
    return target


def place(built: Path, target: Path) -> None:
    """Copy a module to its import location unless the same file is there."""
    if target.exists() and target.read_bytes() == built.read_bytes():
        return
    unfinished = target.with_suffix(".unfinished")
    shutil.copy(built, unfinished)
    # Replaced by rename: a process that has loaded the old file keeps it.
    unfinished.replace(target)


def run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=COMPILE_S, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
