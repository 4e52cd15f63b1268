"""The page of a fixture: sides, result, boards, tables with their faults, rulings."""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.paginator import Paginator
from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from arena.common.causes import Cause
from arena.matches.board_tables import (
    adjacent_fixtures,
    rulings_on,
    seats_by_table,
    sides_with_names,
    stones_by_table,
    tables_of,
)
from arena.matches.fixture_selectors import ENDED_STATE
from arena.matches.models import Adjudication, Fixture, FixtureEntry, Table, TableSeat
from arena.standings.board_scores import (
    BestBoard,
    best_board_score,
    fixture_board_scores,
    fixture_totals_of,
)
from arena.web.base.figures import format_column, format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_facts
from arena.web.drawing.plots import PlotBar, bar_strip
from arena.web.drawing.sides import ambiguous_names, side_text, sides_heading
from arena.web.tournaments.rounds import compare_totals
from viewer.games import deals_of
from viewer.texts import viewer_texts

BOARDS_PER_PAGE = 48
TABLES_PER_PAGE = 48
"""Boards and tables are paginated, since a fixture can have a thousand boards on as many tables."""
CELLS_PER_PAGE = 160
"""Maximum cells of the strip with more than two sides; more sides mean fewer boards per page."""


@dataclasses.dataclass(frozen=True)
class FixtureSide:
    """A side of a fixture. The fields after ``number`` are empty until the boards are unsealed and scored."""

    entries: tuple[EntryLabel, ...]
    number: int
    """Number of its crest, from 0."""
    total_text: str = ""
    result: str = ""
    """``win``, ``draw`` or ``loss``; empty with more than two sides."""
    place: int = 0
    """Place by total, from 1, with more than two sides; else 0."""
    forfeited: bool = False


@dataclasses.dataclass(frozen=True)
class BoardCell:
    number: int
    bar: PlotBar | None
    """Upwards if the first side won; None while sealed, or without a score."""
    text: str


@dataclasses.dataclass(frozen=True)
class FixtureSwing:
    """The board with the largest board score of a fixture, and the side that has it."""

    board: int
    side: FixtureSide
    text: str


@dataclasses.dataclass(frozen=True)
class SideCells:
    side: FixtureSide
    cells: tuple[tuple[str, str], ...]
    """Kind and text per board."""


@dataclasses.dataclass(frozen=True)
class SeatFault:
    seat: int
    entry: str
    """Name of its bot."""
    verdicts: str
    """Translated verdicts, with their counts if above 1."""
    board: int
    """Board of the first fault; 0 before the first deal or if unknown."""
    forfeited: bool


@dataclasses.dataclass(frozen=True)
class FixtureTable:
    id: str
    number: int
    """Rotation, from 1."""
    first: int
    last: int
    state: str
    boards_done: int
    boards: int
    attempt: int
    since: datetime.datetime | None
    """Start of the current attempt."""
    note: str
    """Reason why it waits or is held back."""
    seats: tuple[tuple[str, str], ...]
    """Seats and stones of each side, in the order of the sides; empty while sealed."""
    faults: tuple[SeatFault, ...]

    @property
    def is_quarantined(self) -> bool:
        return self.state == Table.State.QUARANTINED


@dataclasses.dataclass(frozen=True)
class RulingLine:
    kind: str
    text: str
    forfeiters: str
    reason: str
    by: str
    """User name; empty for the system."""
    created_at: datetime.datetime
    is_last: bool


RULING_TEXTS = {
    Adjudication.Kind.FORFEIT: gettext_lazy("ruled a forfeit"),
    Adjudication.Kind.DRAW: gettext_lazy("ruled a draw: every board scores 0"),
    Adjudication.Kind.VOID: gettext_lazy("ruled void: it does not count"),
    Adjudication.Kind.LIFT: gettext_lazy("ruling lifted: counts as played"),
}


def fixture_context(fixture: Fixture, boards_page: int = 1, tables_page: int = 1) -> dict[str, Any]:
    """Return the template context of a fixture. At most eleven queries, for any size."""
    board_set = fixture.board_set
    is_sealed = board_set.is_sealed
    fixture_entries = sides_with_names(fixture)
    members: dict[int, list[FixtureEntry]] = defaultdict(list)
    for member in fixture_entries:
        members[member.side].append(member)
    sides = len(members)
    side_of = {member.entry_id: member.side for member in fixture_entries}
    labels = {member.entry_id: entry_label(member.entry) for member in fixture_entries}
    tables = Paginator(tables_of(fixture), TABLES_PER_PAGE).get_page(tables_page)
    rows = list(tables.object_list)
    conduct = {} if is_sealed else seats_by_table(rows)
    stones = {} if is_sealed else stones_by_table(rows)
    boards_per_page = BOARDS_PER_PAGE if sides <= 2 else max(8, CELLS_PER_PAGE // sides)
    boards = Paginator(range(1, board_set.boards + 1), boards_per_page).get_page(boards_page)
    numbers = list(boards.object_list)
    scores = {} if is_sealed else fixture_board_scores(fixture, numbers)
    best = best_board_score(fixture)
    totals = fixture_totals_of(fixture)
    rulings = rulings_on(fixture)
    forfeited = {side_of[seat.entry_id] for seats in conduct.values() for seat in seats if seat.forfeited}
    lines = _sides(members, labels, totals, forfeited)
    state = ENDED_STATE if is_sealed and fixture.state in Fixture.DONE else fixture.state
    table_lines = tuple(
        _table(table, conduct.get(table.pk, ()), stones.get(table.pk, {}), labels, side_of) for table in rows
    )
    ordered = sorted(lines, key=lambda side: side.place) if sides > 2 else lines
    return {
        "id": fixture.public_id,
        "number": fixture.number,
        "heading": sides_heading([side.entries for side in lines]),
        "adjacent": adjacent_fixtures(fixture),
        "board_set": board_set.public_id,
        "state": state,
        "is_sealed": is_sealed,
        "is_bye": len(fixture_entries) == 1,
        "reason": "" if is_sealed else fixture.reason,
        "same_owner": fixture.same_owner,
        "is_many": len(ordered) > 2,
        "is_open": state == Fixture.State.OPEN,
        "is_void": state == Fixture.State.VOID,
        "sides": tuple(ordered),
        "is_comparable": sides == 2
        and not is_sealed
        and fixture.state == Fixture.State.SETTLED
        and deals_of(fixture.tournament.game) is not None
        and all(table.view_sha256 and table.state == Table.State.FINISHED for table in rows),
        "headline": "" if is_sealed else _headline(fixture, lines, totals),
        "swing": _swing(best, lines, members) if best else None,
        "boards": boards,
        "cells": _cells(numbers, scores, members),
        "side_cells": _side_cells(numbers, scores, members, ordered) if sides > 2 and scores else (),
        "tables": tables,
        "table_lines": table_lines,
        "rulings": tuple(ruling_line(ruling, labels, is_last=ruling == rulings[-1]) for ruling in rulings),
        "progress": (sum(table.boards_done for table in rows), sum(table.board_count for table in rows)),
    }


def _swing(
    best: BestBoard, lines: Sequence[FixtureSide], members: Mapping[int, Sequence[FixtureEntry]]
) -> FixtureSwing | None:
    for line, of_side in zip(lines, members.values(), strict=True):
        if any(member.entry_id == best.entry for member in of_side):
            return FixtureSwing(best.board, line, format_exact(best.value, signed=True))
    return None


def _sides(
    members: Mapping[int, Sequence[FixtureEntry]],
    labels: Mapping[int, EntryLabel],
    totals: Mapping[int, Fraction],
    forfeited: set[int],
) -> list[FixtureSide]:
    of_sides = [totals.get(of_side[0].entry_id) for of_side in members.values()]
    known = [total for total in of_sides if total is not None]
    has_scores = len(known) == len(of_sides) > 1
    texts = format_column(known, signed=True) if has_scores else [""] * len(of_sides)
    lines = []
    for number, (side, of_side) in enumerate(members.items()):
        line = FixtureSide(
            tuple(labels[member.entry_id] for member in of_side), number, forfeited=side in forfeited
        )
        if has_scores:
            own = known[number]
            line = dataclasses.replace(
                line,
                total_text=texts[number],
                result=compare_totals(own, sum(known) - own) if len(known) == 2 else "",
                place=1 + sum(total > own for total in known) if len(known) > 2 else 0,
            )
        lines.append(line)
    return lines


def _headline(fixture: Fixture, sides: Sequence[FixtureSide], totals: Mapping[int, Fraction]) -> str:
    if fixture.state == Fixture.State.VOID:
        return _("Void: it does not count.")
    if not totals:
        return ""
    if len(sides) == 2:
        winners = [side for side in sides if side.result == "win"]
        if not winners:
            return _("Drawn.")
    else:
        winners = [side for side in sides if side.place == 1]
    shared = ambiguous_names(entry for side in sides for entry in side.entries)
    names = _(" and ").join(
        f"{entry.name} ({entry.player})" if entry.name in shared else entry.name
        for side in winners
        for entry in side.entries
    )
    values = {"names": names, "total": winners[0].total_text}
    if len(winners) > 1:
        return _("%(names)s share first place with %(total)s stones each.") % values
    return _("%(names)s won with %(total)s stones.") % values


def _cells(
    numbers: Sequence[int],
    scores: Mapping[int, Mapping[int, Fraction]],
    members: Mapping[int, Sequence[FixtureEntry]],
) -> tuple[BoardCell, ...]:
    if len(members) != 2 or not scores:
        return tuple(BoardCell(number, None, "") for number in numbers)
    first = next(iter(members.values()))[0].entry_id
    values = {number: scores[number].get(first) for number in numbers if number in scores}
    known = [number for number in numbers if values.get(number) is not None]
    bars = bar_strip([values[number] or Fraction() for number in known])
    by_number = dict(zip(known, bars, strict=True))
    return tuple(
        BoardCell(number, by_number.get(number), by_number[number].text if number in by_number else "")
        for number in numbers
    )


def _side_cells(
    numbers: Sequence[int],
    scores: Mapping[int, Mapping[int, Fraction]],
    members: Mapping[int, Sequence[FixtureEntry]],
    sides: Sequence[FixtureSide],
) -> tuple[SideCells, ...]:
    in_order = list(members.values())
    rows = []
    for side in sides:
        entry = in_order[side.number][0].entry_id
        cells = []
        for number in numbers:
            value = scores.get(number, {}).get(entry)
            kind = "none" if value is None else "plus" if value > 0 else "minus" if value < 0 else "zero"
            cells.append((kind, "" if value is None else format_exact(value, signed=True)))
        rows.append(SideCells(side, tuple(cells)))
    return tuple(rows)


def _table(
    table: Table,
    conduct: Sequence[TableSeat],
    stones: Mapping[int, int],
    labels: Mapping[int, EntryLabel],
    side_of: Mapping[int, int],
) -> FixtureTable:
    is_playing = table.state == Table.State.LEASED
    by_side: dict[int, list[int]] = defaultdict(list)
    for seat in conduct:
        by_side[side_of[seat.entry_id]].append(seat.seat)
    seats = tuple(
        (
            side_text(side_seats),
            format_exact(Fraction(stones[side_seats[0]]), signed=True) if side_seats[0] in stones else "",
        )
        for _side, side_seats in sorted(by_side.items())
    )
    return FixtureTable(
        id=table.public_id,
        number=table.rotation + 1,
        first=table.first_board,
        last=table.first_board + table.board_count - 1,
        state="playing" if is_playing else table.state,
        boards_done=table.boards_done,
        boards=table.board_count,
        attempt=table.attempt,
        since=table.started_at if is_playing else None,
        note=_note(table),
        seats=seats,
        faults=seat_faults(conduct, labels),
    )


def seat_faults(seats: Iterable[TableSeat], labels: Mapping[int, EntryLabel]) -> tuple[SeatFault, ...]:
    return tuple(
        SeatFault(
            seat.seat,
            labels[seat.entry_id].name,
            _verdicts(seat),
            next((fault["board"] for fault in seat.faults), 0),
            seat.forfeited,
        )
        for seat in seats
        if seat.forfeited or seat.verdict not in ("", "OK")
    )


def _verdicts(seat: TableSeat) -> str:
    texts = viewer_texts(get_language() or "en")
    counts = Counter(fault["verdict"] for fault in seat.faults) or {seat.verdict: 1}
    verdicts = [
        f"{texts.verdict(code)} ×{count}" if count > 1 else texts.verdict(code)
        for code, count in counts.items()
    ]
    return pgettext("between two facts", ", ").join(verdicts)


def _note(table: Table) -> str:
    """Return the public reason why a table does not continue."""
    if table.state == Table.State.WAITING and table.waiting_for:
        return table.reason
    if table.state == Table.State.QUARANTINED:
        part = Cause(table.cause).label if table.cause else _("too many failures")
        return _("quarantined after platform faults: %(part)s. No bot is penalised.") % {"part": part}
    return ""


def ruling_line(ruling: Adjudication, labels: Mapping[int, EntryLabel], *, is_last: bool) -> RulingLine:
    losers = [label.name for label in labels.values() if label.id in ruling.entries]
    return RulingLine(
        kind=ruling.kind,
        text=str(RULING_TEXTS[Adjudication.Kind(ruling.kind)]),
        forfeiters=join_facts(losers),
        reason=ruling.reason,
        by=ruling.actor.username if ruling.actor else "",
        created_at=ruling.created_at,
        is_last=is_last,
    )
