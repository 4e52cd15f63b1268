"""Attempts to learn what is hidden, and to tell one's partner what it may not know."""

from __future__ import annotations

from tests.referee.hostile.case import GENEROUS, Case, contained


def closed(bot: str, *rows: int) -> Case:
    """Two partners try; what the one notices is the same whatever the other sends."""
    return contained(bot, *rows, seats=(2, 4), channel="closed", clock=GENEROUS)


def open_to_some(bot: str, *rows: int) -> Case:
    """Two partners try, and isolation cannot stop them: docs/threats.md says how much gets through."""
    return contained(bot, *rows, seats=(2, 4), channel="open", clock=GENEROUS)


CASES: tuple[Case, ...] = (
    contained("guesses_the_deal", tells={"seeds found": "0 of True"}, clock=GENEROUS),
    contained(
        "compares_tellings",
        tells={
            "telling names": lambda came: came == [],
            "hex words of 32 digits or more": "0",
            "ids given twice": "0",
        },
    ),
    closed("shares_files", 5, 31),
    closed("locks_files", 31),
    closed("leases_files", 29, 31),
    closed("sets_times", 5, 31),
    closed("counts_the_machine", 31),
    closed("meets_in_memory", 11, 31),
    closed("wakes_its_partner", 11, 31, 34),
    closed("calls_its_partner", 1, 21, 31),
    closed("changes_core", 31),
    open_to_some("delays_its_answers"),
    closed("counts_pipes", 34),
    closed("counts_kernel_pipes", 34)._replace(makes_pipes=True),
)
