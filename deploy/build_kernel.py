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
from concurrent.futures import Future, ThreadPoolExecutor
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
COMPILE_S = 1800


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
    os.chdir(ROOT)
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
    """Return the compiled modules in ``var/kernel``; rebuild those whose sources or command have changed.

    This process translates one module after another to C, so that Cython is loaded once. Meanwhile the C
    compiler runs on each core. After a failure no further module is started.
    """
    modules = {source: BUILD / f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}" for source in sources}
    outdated = [source for source in sources if not is_current(source, modules[source], command)]
    # The largest first, so that the cores end together.
    outdated.sort(key=lambda source: source.stat().st_size, reverse=True)
    with (
        tempfile.TemporaryDirectory(dir=BUILD) as unfinished,
        ThreadPoolExecutor(len(os.sched_getaffinity(0))) as compilers,
    ):
        builds: list[Future[None]] = []
        try:
            for source in outdated:
                c_file = Path(unfinished, f"{source.stem}.c")
                translate(source, c_file)
                builds.append(compilers.submit(build, source, c_file, modules[source], command))
                if any(done.done() and done.exception() for done in builds):
                    break
            for done in builds:
                done.result()
        finally:
            compilers.shutdown(cancel_futures=True)
    return list(modules.values())


def is_current(source: Path, module: Path, command: list[str]) -> bool:
    stamp = stamp_of(module)
    return module.exists() and stamp.exists() and stamp.read_text() == digest_of(source, command)


def stamp_of(module: Path) -> Path:
    return module.with_name(f"{module.name}.made-of")


def hashes_of(source: Path) -> str:
    # A module may use the types of any other.
    sources = [source, *sorted(KERNEL.glob("*.pxd"))]
    return " ".join(f"{path.name}={hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sources)


def digest_of(source: Path, command: list[str]) -> str:
    script = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    inputs = [hashes_of(source), script, repr([*command, sys.version])]
    return hashlib.sha256("\0".join(inputs).encode()).hexdigest()


def translate(source: Path, c_file: Path) -> None:
    # Only a build needs Cython.
    from Cython.Compiler.Main import compile as cython_compile

    done = cython_compile(str(source), language_level=3, output_file=str(c_file))
    if done.num_errors:
        sys.exit(f"Cython cannot translate {source}: its errors are above.")


def build(source: Path, c_file: Path, module: Path, command: list[str]) -> None:
    with c_file.open("a") as file:
        made_of = f"rensho-made-of: {hashes_of(source)};"
        file.write(f'\nstatic const char made_of[] __attribute__((used)) = "{made_of}";\n')
    unfinished = c_file.with_suffix(".so")
    run([*command, str(c_file), "-o", str(unfinished)])
    c_file.replace(BUILD / c_file.name)
    unfinished.replace(module)
    stamp_of(module).write_text(digest_of(source, command))


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
