"""What the sandbox costs a bot's start: from nothing to the first line of a program that prints one.

    python benchmarks/bench_sandbox.py [--rounds 45]

Beside it ``python3 -I`` with the same program. Both pinned to one core, interleaved, medians compared;
status 0 if the ratio keeps its bar. What a decision costs is in bench_referee.py.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from referee.contract import Limits
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver, require_level, stage_root

START_BAR = 4.0
INTERPRETER = str(Path(sys.executable).resolve())
TRIVIAL = "import sys\nprint('ready', flush=True)\nsys.stdin.read()\n"


def sandboxed_start_ms(bundle: Path) -> float:
    """One start through the whole chain, in ms."""
    runtime = runtime_named("python/1")
    driver = SandboxedDriver(bundle, runtime, "trivial.py", Limits(), cpu_limit_s=10, label="start")
    began = time.perf_counter()
    driver.start()
    driver.collect(cpu_limit_ms=3000, wall_limit_ms=10_000)
    took = time.perf_counter() - began
    driver.close()
    return took * 1e3


def bare_start_ms(bundle: Path) -> float:
    """One start of the interpreter alone, in ms."""
    argv = [INTERPRETER, "-I", str(bundle / "trivial.py")]
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        process.stdout.readline()
        took = time.perf_counter() - began
        process.kill()
    return took * 1e3


def main() -> int:
    """Measure, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=45, help="interleaved rounds")
    rounds = parser.parse_args().rounds
    found = require_level()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    bundle = Path(tempfile.mkdtemp(prefix="bench-", dir=stage_root()))
    sandboxed, bare = [], []
    try:
        bundle.chmod(0o755)
        (bundle / "trivial.py").write_text(TRIVIAL)
        for _ in range(rounds):
            sandboxed.append(sandboxed_start_ms(bundle))
            bare.append(bare_start_ms(bundle))
    finally:
        shutil.rmtree(bundle)
    ratio = statistics.median(sandboxed) / statistics.median(bare)
    print(f"level {found.level.name}, {rounds} interleaved rounds on one core, medians")
    print(
        f"start     sandboxed {statistics.median(sandboxed):6.1f} ms   bare {statistics.median(bare):6.1f} ms"
    )
    print(f"ratio {ratio:.2f}   bar {START_BAR}   {'PASS' if ratio <= START_BAR else 'FAIL'}")
    return 0 if ratio <= START_BAR else 1


if __name__ == "__main__":
    sys.exit(main())
