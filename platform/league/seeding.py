"""Seeding order of the entries of a stage: by seeds and lots, or by the previous standings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any


def order_by_seed(entries: Sequence[tuple[str, int | None]], lots: Mapping[str, str]) -> tuple[str, ...]:
    """Return entries by the organiser's seeds, then by lot."""
    return tuple(
        name
        for name, _ in sorted(
            entries, key=lambda e: (e[1] is None, e[1] if e[1] is not None else 0, lots[e[0]])
        )
    )


def qualified_entries(
    table: Sequence[tuple[str, Mapping[str, Any]]], qualify: int | None, withdrawn: Collection[str] = ()
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the entries that advance to the next stage, in its seeding order, with their groups (from 1).

    ``table`` is the previous standings, best first: entries with their values. Of the entries that are not
    withdrawn, the first ``qualify`` advance, or all. Without groups the second result is empty.
    """
    still_in = [(name, values) for name, values in table if name not in withdrawn][:qualify]
    origins = {
        name: int(Fraction(values["group"])) for name, values in still_in if values.get("group") is not None
    }
    return tuple(name for name, _ in still_in), origins
