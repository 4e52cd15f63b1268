"""Where tests get their chance from: the same for each test in any order, on any worker and at any time.

``make check`` and ``make test`` draw a part of the same examples every time, ``make exhaustive`` all of them.
``make explore`` draws more and others; what it finds is kept as an ``@example`` or as a test of its own.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import Phase, register_random, settings
from hypothesis.internal.conjecture import providers

EXPLORE = int(os.environ.get("RENSHO_EXPLORE", "0"))
"""How many times as many examples are drawn, from hypothesis's own seed; 0 for the fixed ones."""

EXHAUSTIVE = os.environ.get("RENSHO_EXHAUSTIVE") == "1"
"""``make exhaustive``: what ``make check`` tries a sample of is tried in every way."""
FEWER = {"quick": 4, "full": 4}
"""Runs of these kinds draw one example in so many."""

T = TypeVar("T")

_secret = random.Random()
_share = 1
_serial = 0


def install() -> None:
    """Take from now on all chance of this process from the numbers that ``start`` sets.

    Deals, keys and ids come from ``secrets``, and what a test sees may depend on them. Properties get no
    deadline, since the machine may be busy, and no database of earlier failures.
    """
    random._urandom = _secret.randbytes  # type: ignore[attr-defined]
    # Each example of a property starts with the same secrets, so that it can be repeated alone.
    register_random(_secret)
    settings.register_profile("fixed", deadline=None, derandomize=True, database=None)
    settings.register_profile(
        "explore", deadline=None, database=None, print_blob=True, max_examples=100 * max(EXPLORE, 1)
    )
    settings.load_profile("explore" if EXPLORE else "fixed")
    # For who wants to know only that a property fails, and soon.
    settings.register_profile("unshrunk", phases=[Phase.explicit, Phase.generate])
    if not EXPLORE:
        # Hypothesis draws constants of whichever of our modules have been imported by then: other tests and
        # changes elsewhere would choose the examples.
        providers._get_local_constants = lambda: providers._local_constants


def draw_fewer(kind: str | None) -> None:
    """From now on have properties tried on as many examples as a run of this kind has, unless exploring."""
    global _share
    if not EXPLORE:
        _share = FEWER.get(kind or "", 1)
        settings.register_profile(
            "fewer", deadline=None, derandomize=True, database=None, max_examples=times(100)
        )
        settings.load_profile("fewer")


def times(count: int) -> int:
    """How often to try what ``make exhaustive`` tries so many times."""
    return max(1, count // _share) * max(EXPLORE, 1)


def at_most(whole: int, sample: int) -> int:
    """How many to try of so many: a sample, or in ``make exhaustive`` all."""
    return whole if EXHAUSTIVE else min(whole, sample)


def some(values: Sequence[T]) -> list[T]:
    """All of them; in ``make test`` and ``make check`` a quarter, drawn by a fixed seed, in their order."""
    if _share == 1:
        return list(values)
    drawn = random.Random(len(values)).sample(range(len(values)), times(len(values)))
    return [values[at] for at in sorted(drawn)]


def start(name: str, serials: int = 0) -> None:
    """Set the chance of the test with this name; its serials come after this one."""
    global _serial
    _serial = serials
    _secret.seed(name)
    random.seed(name)


def serial() -> int:
    """A number that the running test has not had yet, from 1."""
    global _serial
    _serial += 1
    return _serial


def examples(count: int) -> settings:
    """The settings of a property that is tried on so many examples; see ``times``."""
    return settings(max_examples=times(count))
