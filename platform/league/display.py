"""Display of fixtures in a ``StageDisplay``: winners and notes, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable

from league.scoring import FixtureOutcome
from league.stage import Caption, DisplayColumn, DisplaySlot, Pairing


def winner_of(fixture: FixtureOutcome) -> str | None:
    """Return the first entry of the best side, or with a bye; None if void, unfinished or level."""
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


def notes_of(fixture: FixtureOutcome) -> tuple[Caption, ...]:
    """Return the note on a fixture without a winner; empty if there is one."""
    if fixture.is_void:
        return (Caption("void"),)
    if fixture.is_bye:
        return (Caption("bye"),)
    if fixture.totals is None:
        return (Caption("playing"),)
    return () if winner_of(fixture) is not None else (Caption("draw"),)


def drawn_slot(round_number: int, position: int, fixture: FixtureOutcome) -> DisplaySlot:
    """Return the slot of a drawn fixture; round and position in it from 1."""
    return DisplaySlot(round_number, position, fixture.entries, winner_of(fixture), notes_of(fixture))


def future_slot(pairing: Pairing) -> DisplaySlot:
    return DisplaySlot(None, None, pairing, None, (Caption("bye"),) if len(pairing) == 1 else ())


def round_column(number: int, slots: Iterable[DisplaySlot]) -> DisplayColumn:
    return DisplayColumn(Caption("round", number), tuple(slots))


def drawn_columns(rounds: Iterable[Iterable[FixtureOutcome]]) -> tuple[DisplayColumn, ...]:
    return tuple(
        round_column(
            number,
            (drawn_slot(number, position, fixture) for position, fixture in enumerate(drawn, 1)),
        )
        for number, drawn in enumerate(rounds, 1)
    )
