from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.capability import offers
from referee.runtimes import tree_store
from tests.referee.ordinary import ordinary_uid
from tests.referee.sandbox.cases import PROGRAMS
from tests.referee.stages import MOUNTED_BY_TESTS, folder_in_memory


@pytest.fixture(scope="session")
def staged() -> Iterator[Path]:
    """A folder that the service users can read; pytest's own are closed to them."""
    with folder_in_memory("test") as folder:
        yield folder


@pytest.fixture(scope="session")
def hostile(staged: Path) -> Path:
    """The programs drivers are tried on, as one staged bundle."""
    return Path(shutil.copytree(PROGRAMS, staged / "programs", ignore=shutil.ignore_patterns("__pycache__")))


def descendants(pid: int) -> set[int]:
    """Every process below ``pid``, zombies included."""
    found: set[int] = set()
    # A thread, or a whole process, may end while it is being looked at.
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):
                for child in map(int, (task / "children").read_text().split()):
                    found |= {child, *descendants(child)}
    return found


class Held(NamedTuple):
    """What this process has that outlives a call."""

    processes: set[int]
    """Children of any degree."""
    descriptors: set[str]
    mounts: set[str]

    def beyond(self, earlier: Held) -> Held:
        return Held(*(now - then for now, then in zip(self, earlier, strict=True)))


def held() -> Held:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    # Tests beside this one may mount a disk.
    mounts = {line for line in lines if f" {MOUNTED_BY_TESTS} " not in line}
    return Held(descendants(os.getpid()), set(descriptors()), mounts)


def descriptors() -> Iterator[str]:
    """What this process has open, by number and name, but for the trees it uses and holds on purpose."""
    for path in list(Path("/proc/self/fd").iterdir()):
        # That of the folder being listed is gone by now.
        with suppress(FileNotFoundError):
            name = f"{path.name} {path.readlink()}"
            if int(path.name) not in tree_store._locks.values():
                yield name


@pytest.fixture(scope="session")
def _trees_held() -> None:
    """A process holds a descriptor of each tree it uses, and of its user's lock, until it ends."""
    offers()
    if os.geteuid() == 0:
        ordinary_uid()


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest, _trees_held: None) -> Iterator[None]:
    """No test adds anything to this process that stays; what a failed one did is cleared away in silence.

    What an earlier one left may go meanwhile.
    """
    before, failures = held(), request.session.testsfailed
    yield
    left = held().beyond(before)
    for pid in left.processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    if request.session.testsfailed == failures:
        assert left == Held(set(), set(), set())
