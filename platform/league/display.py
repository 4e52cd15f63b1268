"""How fixtures look in a ``Display``: winners and plain notes, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable

from league.scoring import FixtureOutcome
from league.stage import Column, Pairing, Slot


def winner_of(fixture: FixtureOutcome) -> str | None:
    """Who has more than every other side: of a side of several the entry named first.

    None of a void or unfinished fixture and where the best are level; of a bye whoever has it.
    """
    if fixture.is_void:
        return None
    if fixture.is_bye:
        return fixture.entries[0]
    if fixture.totals is None:
        return None
    leaders = [side[0] for side in fixture.sides]
    most = max(fixture.totals[entry] for entry in leaders)
    best = [entry for entry in leaders if fixture.totals[entry] == most]
    return best[0] if len(best) == 1 else None


def note_of(fixture: FixtureOutcome) -> str:
    """The note on a fixture without a winner; empty if somebody won."""
    if fixture.is_void:
        return "void"
    if fixture.is_bye:
        return "bye"
    if fixture.totals is None:
        return "being played"
    return "" if winner_of(fixture) is not None else "draw"


def drawn_slot(round_number: int, place: int, fixture: FixtureOutcome) -> Slot:
    """A fixture that was drawn; round and place in it from 1."""
    return Slot(round_number, place, fixture.entries, winner_of(fixture), note_of(fixture))


def future_slot(pairing: Pairing) -> Slot:
    """A pairing that is known before its round is drawn."""
    return Slot(None, None, pairing, None, "bye" if len(pairing) == 1 else "")


def column(title: str, slots: Iterable[Slot]) -> Column:
    """A column of these slots."""
    return Column(title, tuple(slots))


def drawn_columns(rounds: Iterable[Iterable[FixtureOutcome]]) -> tuple[Column, ...]:
    """A column for every round drawn."""
    return tuple(
        column(
            f"Round {number}",
            (drawn_slot(number, place, fixture) for place, fixture in enumerate(drawn, 1)),
        )
        for number, drawn in enumerate(rounds, 1)
    )
