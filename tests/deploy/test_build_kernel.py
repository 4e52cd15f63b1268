"""Compiling the kernel: once, and without a compiler a line that says what is missing."""

import os
import subprocess
import sys
from pathlib import Path

from engine import kernel

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy" / "build_kernel.py"


def built(path):
    return subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_without_a_compiler_one_line_says_what_is_missing(tmp_path):
    done = built(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1)
    assert "a C compiler is missing. Remedy: as root, apt-get install gcc" in done.stderr


def test_what_is_compiled_already_is_left_alone():
    assert kernel.is_compiled, "make setup compiles it, with what deploy/system-packages.sh tests installs"
    assert built(os.environ["PATH"]).returncode == 0
    modules = sorted((ROOT / "engine" / "kernel").glob("*.so"))
    assert [path.name.partition(".")[0] for path in modules] == sorted(
        path.stem for path in (ROOT / "engine" / "kernel").glob("*.pxd")
    )
    before = [path.stat().st_mtime_ns for path in modules]
    done = built(os.environ["PATH"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.stat().st_mtime_ns for path in modules] == before
