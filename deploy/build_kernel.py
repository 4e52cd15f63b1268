"""Compiles the modules of ``engine/kernel`` that have C types beside them, where there is a C compiler.

``make setup`` runs it. Each ``NAME.py`` with a ``NAME.pxd`` becomes C by Cython, in ``var/kernel``, and an
extension module beside the Python file, which takes its place when imported. Without a compiler or Python's
headers a line says so, and the Python files run as they are: slower, with the same numbers.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "engine" / "kernel"
BUILD = ROOT / "var" / "kernel"
FLAGS = ("-O3", "-shared", "-fPIC", "-fwrapv", "-fno-strict-aliasing", "-DNDEBUG", "-w")
MACHINE_FLAGS = {"x86_64": ("-march=x86-64-v2",)}
"""With popcnt, which every processor of the last fifteen years has; nothing that only newer ones have."""
COMPILE_S = 300


def main() -> int:
    """Entry point; 0 also where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    headers = Path(sysconfig.get_paths()["include"])
    if compiler is None or not (headers / "Python.h").exists():
        missing = "a C compiler" if compiler is None else f"Python.h, which {headers} does not have"
        print(
            f"The kernel is not compiled and runs as plain Python, some fifty times slower: {missing} is "
            "missing. Remedy: as root, apt-get install gcc libc6-dev python3-dev (or what your system calls "
            "them), then make setup.",
            file=sys.stderr,
        )
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = [*FLAGS, *MACHINE_FLAGS.get(platform.machine(), ())]
    for types in sorted(KERNEL.glob("*.pxd")):
        build(types.with_suffix(".py"), [compiler, *flags, f"-I{headers}"])
    return 0


def build(source: Path, command: list[str]) -> None:
    """Compile one module, unless what there is was made of the same sources by the same command."""
    target = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
    c_file, stamp = BUILD / f"{source.stem}.c", BUILD / f"{source.stem}.made-of"
    content = [Path(__file__).read_bytes(), source.read_bytes(), source.with_suffix(".pxd").read_bytes()]
    made_of = hashlib.sha256(b"\0".join([*content, repr([*command, sys.version]).encode()])).hexdigest()
    if target.exists() and stamp.exists() and stamp.read_text() == made_of:
        return
    run([sys.executable, "-m", "cython", "-3", str(source), "-o", str(c_file)])
    unfinished = target.with_suffix(".unfinished")
    run([*command, str(c_file), "-o", str(unfinished)])
    # Whoever has the old one loaded keeps it.
    unfinished.replace(target)
    stamp.write_text(made_of)


def run(command: list[str]) -> None:
    """Run a compiler; what it says is shown if it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=COMPILE_S, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
