"""What hostile archives cost to refuse: CPU, memory, bytes unpacked and the length of what is said.

    python benchmarks/bench_archives.py [--only WORDS]

Each is imported in a process of its own. The bars: 1 s of CPU, 128 MiB more than before, refusals of 500
characters, and nothing unpacked beyond what a bot may be. Ordinary bundles of the largest size come last.
Status 0 if every bar is kept. tests/referee/bombs.py says what the archives try.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import resource
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine.refusals import REFUSAL_CHARS
from referee.archives import MAX_ARCHIVE_BYTES, Meter
from referee.bundle import import_archive
from referee.errors import BundleError
from tests.referee.archives import FILES
from tests.referee.bombs import BOMBS, MIB, UPLOAD_BYTES

CPU_S = 1.0
GROWTH_MIB = 128
CHUNK = 64 << 10


def main() -> int:
    """Import, print, and tell whether the bars are kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="only archives whose names hold this")
    only = parser.parse_args().only
    head = f"{'archive':<40}{'KiB':>8}{'CPU s':>8}{'+ MiB':>8}{'unpacked':>12}{'ratio':>8}{'chars':>7}  code"
    print(head)
    kept = [_row(name, make) for name, make in _archives() if only in name]
    bar = f"{CPU_S} s of CPU, {GROWTH_MIB} MiB, {REFUSAL_CHARS} characters"
    print(f"bar: {bar}   {'PASS' if all(kept) and kept else 'FAIL'}")
    return 0 if all(kept) and kept else 1


def _archives() -> Iterator[tuple[str, Callable[[], bytes]]]:
    yield from ((name, make) for name, (_, make) in BOMBS.items())
    yield "ordinary: 31 MiB of noise", lambda: _large(random.Random(1).randbytes)
    yield "ordinary: 31 MiB of four letters", lambda: _large(_letters)


def _letters(count: int) -> bytes:
    return bytes(random.Random(2).choices(b"acgt", k=count))


def _large(content: Callable[[int], bytes]) -> bytes:
    """A zip of nearly all a bot may be."""
    out = io.BytesIO()
    half = UPLOAD_BYTES // 2 - MIB // 2
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in {**FILES, "a": content(half), "b": content(half)}.items():
            archive.writestr(name, data)
    return out.getvalue()


def _row(name: str, make: Callable[[], bytes]) -> bool:
    data = make()
    found = _measured(data)
    is_kept = bool(
        found["cpu_s"] <= CPU_S
        and found["growth_mib"] <= GROWTH_MIB
        and found["unpacked"] <= MAX_ARCHIVE_BYTES + CHUNK
        and found["chars"] <= REFUSAL_CHARS
    )
    ratio = found["unpacked"] / len(data)
    print(
        f"{name:<40}{len(data) / 1024:8.0f}{found['cpu_s']:8.3f}{found['growth_mib']:8.0f}"
        f"{found['unpacked']:12,}{ratio:8.1f}{found['chars']:7}  {found['code']}"
        f"{'' if is_kept else '  OVER'}",
        flush=True,
    )
    return is_kept


def _measured(data: bytes) -> dict[str, Any]:
    """What importing cost, measured in a child process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(_import(data)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    found: dict[str, Any] = json.loads(answer)
    return found


def _import(data: bytes) -> dict[str, Any]:
    meter, code, chars = Meter(), "bundle", 0
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began_s = time.process_time()
    try:
        import_archive(data, "bot.zip", meter)
    except BundleError as error:
        code, chars = error.code, len(error.message)
    cpu_s = time.process_time() - began_s
    growth_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) / 1024
    return {
        "cpu_s": cpu_s,
        "growth_mib": growth_mib,
        "unpacked": meter.unpacked_bytes,
        "chars": chars,
        "code": code,
    }


if __name__ == "__main__":
    sys.exit(main())
