"""Where tests get their chance from: the same for each test in any order, on any worker and at any time.

``make test`` draws the same examples every time. ``make explore`` draws others, and more of them; what it
finds is kept as an ``@example`` or as a test of its own.
"""

from __future__ import annotations

import os
import random

from hypothesis import register_random, settings
from hypothesis.internal.conjecture import providers

EXPLORE = int(os.environ.get("RENSHO_EXPLORE", "0"))
"""How many times as many examples are drawn, from hypothesis's own seed; 0 for the fixed ones."""

_secret = random.Random()
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
    if not EXPLORE:
        # Hypothesis draws constants of whichever of our modules have been imported by then: other tests and
        # changes elsewhere would choose the examples.
        providers._get_local_constants = lambda: providers._local_constants


def start(name: str) -> None:
    """Set the chance of the test with this name."""
    global _serial
    _serial = 0
    _secret.seed(name)
    random.seed(name)


def serial() -> int:
    """A number that the running test has not had yet, from 1."""
    global _serial
    _serial += 1
    return _serial


def examples(count: int) -> settings:
    """The settings of a property that is tried on so many examples, more of them when exploring."""
    return settings(max_examples=count * max(EXPLORE, 1))
