import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from referee.capability import offers
from referee.sandbox import stage_root
from tests.referee.sandbox.cases import PROGRAMS


@pytest.fixture(scope="session")
def staged() -> Iterator[Path]:
    """A folder that the service users can read; pytest's own are closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=stage_root()))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


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


def held() -> tuple[set[int], set[str], str]:
    """What a process has that outlives a call: children of any degree, descriptors, mounts."""
    descriptors = {path.name for path in Path("/proc/self/fd").iterdir()}
    return descendants(os.getpid()), descriptors, Path("/proc/self/mountinfo").read_text()


@pytest.fixture(scope="session")
def _trees_held() -> None:
    """A process holds a descriptor of each tree it uses until it ends: taken before anything is counted."""
    offers()


@pytest.fixture(autouse=True)
def _nothing_left(_trees_held: None) -> Iterator[None]:
    """No test adds anything to this process that stays. What an earlier one left may go meanwhile."""
    children, descriptors, mounts = held()
    yield
    children_after, descriptors_after, mounts_after = held()
    assert children_after <= children
    assert descriptors_after <= descriptors
    assert mounts_after == mounts
