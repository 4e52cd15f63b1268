"""Which operations of calls that do many things by number get past the filter, in every runtime and level."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.runtimes import runtime_named
from referee.sandbox import Level, probe
from tests.referee.foreign import compiled, is_here
from tests.referee.sandbox.at_level import AtLevel
from tests.referee.sandbox.cases import START

pytestmark = pytest.mark.full

SOURCE = Path(__file__).with_name("operations.c")
BASES = (0, 1 << 31, (1 << 32) - 1024, 1 << 32, 1 << 63, (1 << 64) - (1 << 31), (1 << 64) - 1024)
OPERATIONS = 1024
SIGNALS = {*range(9), *range(10, 16), 23, 24, 26, 27, 30, *range(32, 65)}
ALLOWED: dict[str, set[int]] = {
    "prctl": {15, 16},
    "setsockopt": set(),
    "setrlimit": {2, 3, 7, 9},
    "prlimit64": {2, 3, 7, 9},
    "prlimit64 to read": set(range(16)),
    "prlimit64 of another": set(),
    "kill": SIGNALS,
    "tkill": SIGNALS,
    "tgkill": SIGNALS,
    "rt_sigqueueinfo": SIGNALS,
    "rt_tgsigqueueinfo": SIGNALS,
    "pidfd_send_signal": set(),
    # Every mask of fields known to Linux 6.1: of those tried here, all below 1024.
    "fields of statx": set(range(1024)),
}
PYTHON = """
import os, shutil
shutil.copyfile("/bot/operations", "/tmp/operations")
os.chmod("/tmp/operations", 0o755)
os.execv("/tmp/operations", ["operations"])
"""
NODE = """
const fs = require("fs");
fs.copyFileSync("/bot/operations", "/tmp/operations");
fs.chmodSync("/tmp/operations", 0o755);
const run = require("child_process").spawnSync("/tmp/operations", { encoding: "utf8" });
console.log(run.stdout.trim());
process.stdin.resume();
"""
ENTRY_POINTS = {
    "python/1": "main.py",
    "python/2": "main.py",
    "node/1": "main.js",
    "binary/1": "operations",
}


@pytest.fixture(scope="module")
def bundle(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = staged / "operations"
    folder.mkdir()
    program = compiled(tmp_path_factory.mktemp("operations"), SOURCE.read_text(), "-static")
    (folder / "operations").write_bytes(program)
    (folder / "operations").chmod(0o755)
    (folder / "main.py").write_text(PYTHON)
    (folder / "main.js").write_text(NODE)
    return folder


@pytest.fixture
def start(bundle: Path, level: Level, runtime: str) -> Iterator[Callable[[], AtLevel]]:
    if level > probe().level:
        pytest.skip(f"this machine has {probe().level.name}")
    if not is_here(runtime):
        pytest.skip(f"{runtime} is not here")
    made: list[AtLevel] = []

    def starter() -> AtLevel:
        driver = AtLevel(
            bundle, runtime_named(runtime), ENTRY_POINTS[runtime], Limits(), cpu_limit_s=20, label=runtime
        )
        driver.level = level
        made.append(driver)
        driver.start()
        return driver

    yield starter
    for driver in made:
        driver.close()


def expected(name: str) -> dict[int, set[int]]:
    """Operation that passes, by base: the kernel reads the lower 32 bits, and so must the filter."""
    return {base: {n for n in range(OPERATIONS) if (base + n) % (1 << 32) in ALLOWED[name]} for base in BASES}


def parsed(line: str) -> dict[str, dict[int, set[int]]]:
    found: dict[str, dict[int, set[int]]] = {}
    for part in line.split(" | "):
        words = part.split(" ")
        values = [word for word in words if ":" in word]
        by_base: dict[int, set[int]] = {}
        for value in values:
            base, _, ranges = value.partition(":")
            by_base[int(base)] = {
                number
                for each in ranges.split(",")
                if each
                for number in range(int(each.split("-")[0]), int(each.split("-")[1]) + 1)
            }
        found[" ".join(words[: len(words) - len(values)])] = by_base
    return found


@pytest.mark.parametrize(
    ("runtime", "level"),
    [
        *(
            (runtime, level)
            for runtime in ("python/1", "python/2", "binary/1")
            for level in (Level.COMPAT, Level.FULL1, Level.FULL)
        ),
        ("node/1", Level.FULL),
    ],
)
def test_only_listed_operations_get_past_the_filter(start: Callable[[], AtLevel]) -> None:
    found = parsed(start().collect(**START).line.decode())
    # The values that arch_prctl knows lie above those tried.
    assert found.pop("arch_prctl", {}) == (
        {base: set() for base in BASES} if platform.machine() == "x86_64" else {}
    )
    assert found == {name: expected(name) for name in ALLOWED}
