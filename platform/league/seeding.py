"""The order in which a stage takes its entries: by seeds and lots, or by the standings before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any


def order_by_seed(entries: Sequence[tuple[str, int | None]], lots: Mapping[str, str]) -> tuple[str, ...]:
    """Entries in the order of play: the organiser's seeds first, then by lot."""
    return tuple(
        name
        for name, _ in sorted(
            entries, key=lambda e: (e[1] is None, e[1] if e[1] is not None else 0, lots[e[0]])
        )
    )


def qualified_entries(
    table: Sequence[tuple[str, Mapping[str, Any]]], qualify: int | None, gone: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Entries that advance to the next stage, in its seeding order, with their group (from 1).

    ``table`` is the standings before, best first: entries with their values. Those who are gone are
    skipped, and of the others the first ``qualify`` go on, or all. Without groups nobody has an origin.
    """
    still_in = [(name, values) for name, values in table if name not in gone][:qualify]
    origins = {
        name: int(Fraction(values["group"])) for name, values in still_in if values.get("group") is not None
    }
    return tuple(name for name, _ in still_in), origins
