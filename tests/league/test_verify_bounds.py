"""Numbers of an export that are far too large: named as wrong, in the memory that the export itself needs."""

from __future__ import annotations

import copy
import resource
from collections.abc import Iterator
from typing import Any

import pytest

from tests.league.sample_events import event

HUGE = (10**9, (1 << 31) - 1, 10**30)
ROOM_BYTES = 256 << 20


@pytest.fixture
def _little_memory() -> Iterator[None]:
    """So much more than this process has already, and no more."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with open("/proc/self/status") as status:  # noqa: PTH123
        held = next(int(line.split()[1]) << 10 for line in status if line.startswith("VmData"))
    resource.setrlimit(resource.RLIMIT_DATA, (held + ROOM_BYTES, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def numbers_of(value: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every whole number of a document: the name it goes by, and its place."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        called = f"{name}.{key}" if isinstance(value, dict) else name
        if type(part) is int:
            yield called, value, key
        yield from numbers_of(part, called)


@pytest.mark.usefixtures("_little_memory")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("name", ["eventful", "in_passes", "double", "movement"])
def test_numbers_that_are_too_large_are_disagreements(name: str, huge: int) -> None:
    document = event(name).document()
    for called in sorted({called for called, *_ in numbers_of(document)}):
        changed = copy.deepcopy(document)
        for other, holder, key in list(numbers_of(changed)):
            if other == called:
                holder[key] = huge
        assert event(name).found(changed), called
