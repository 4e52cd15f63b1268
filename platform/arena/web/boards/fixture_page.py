"""The page of a fixture: sides, result, boards, tables with their faults, rulings."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.core.paginator import Paginator
from django.utils.translation import gettext as _

from arena.matches.board_tables import (
    adjacent_fixtures,
    rulings_on,
    seats_by_table,
    sides_with_names,
    stones_by_board,
    stones_by_table,
    tables_of,
    tables_of_boards,
)
from arena.matches.fixture_selectors import ENDED_STATE
from arena.matches.models import Fixture, FixtureEntry, Table
from arena.standings.board_scores import (
    BestBoard,
    best_board_score,
    fixture_board_scores,
    fixture_totals_of,
)
from arena.standings.past_standings import places_around_round
from arena.standings.stages import is_knockout
from arena.web.base.figures import decimals_of, format_column, format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.boards.fixture_matrix import BoardMatrix, SideRow, build_board_matrix, build_side_matrix
from arena.web.boards.fixture_tables import fixture_table, most_cpu, ruling_line
from arena.web.drawing.plots import PlotBar, bar_strip, sign_kind
from arena.web.drawing.sides import ambiguous_names, side_titles, sides_heading
from arena.web.tournaments.rounds import compare_totals
from viewer.games import deals_of

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
    places: str = ""
    """Places in the standings before and after the round; empty without them."""


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


def fixture_context(fixture: Fixture, boards_page: int = 1, tables_page: int = 1) -> dict[str, Any]:
    """Return the template context of a fixture. At most seventeen queries, for any size."""
    board_set = fixture.board_set
    is_sealed = board_set.is_sealed
    fixture_entries = sides_with_names(fixture)
    members = _by_side(fixture_entries)
    sides = len(members)
    side_of = {member.entry_id: member.side for member in fixture_entries}
    labels = {member.entry_id: entry_label(member.entry) for member in fixture_entries}
    boards_per_page = BOARDS_PER_PAGE if sides <= 2 else max(8, CELLS_PER_PAGE // sides)
    boards = Paginator(range(1, board_set.boards + 1), boards_per_page).get_page(boards_page)
    numbers = list(boards.object_list)
    scores = {} if is_sealed else fixture_board_scores(fixture, numbers)
    best = best_board_score(fixture)
    totals = fixture_totals_of(fixture)
    rulings = rulings_on(fixture)
    # The tables of the boards of this page, if all of them have finished.
    whole = tables_of_boards(fixture, numbers[0], numbers[-1]) if scores and sides == 2 else []
    has_whole = bool(whole) and all(table.state == Table.State.FINISHED for table in whole)
    tables = Paginator(tables_of(fixture), TABLES_PER_PAGE).get_page(tables_page)
    rows = whole if has_whole else list(tables.object_list)
    conduct = {} if is_sealed else seats_by_table(rows)
    is_comparable = (
        sides == 2
        and not is_sealed
        and fixture.state == Fixture.State.SETTLED
        and deals_of(fixture.tournament.game) is not None
        and all(table.view_sha256 and table.state == Table.State.FINISHED for table in rows)
    )
    first = next(iter(members.values()))
    matrix = None
    if has_whole:
        own = first[0].entry_id
        matrix = build_board_matrix(
            rows,
            conduct,
            stones_by_board(rows),
            frozenset(member.entry_id for member in first),
            {number: scores[number][own] for number in numbers if own in scores.get(number, {})},
            totals.get(own) if len(numbers) == board_set.boards else None,
            is_compared=is_comparable,
        )
    stones = {} if is_sealed or matrix else stones_by_table(rows)
    forfeited = {side_of[seat.entry_id] for seats in conduct.values() for seat in seats if seat.forfeited}
    lines = _sides(members, labels, totals, forfeited)
    if totals and not is_knockout(board_set.round.stage):
        lines = _with_places(lines, members, fixture)
    state = ENDED_STATE if is_sealed and fixture.state in Fixture.DONE else fixture.state
    table_lines = tuple(
        fixture_table(table, conduct.get(table.pk, ()), stones.get(table.pk, {}), labels, side_of)
        for table in rows
    )
    ordered = sorted(lines, key=lambda side: side.place) if sides > 2 else lines
    is_finished = not is_sealed and all(table.state == Table.State.FINISHED for table in rows)
    side_matrix = None
    if sides > 2 and is_finished and not tables.has_other_pages():
        of_sides = list(members.values())
        entries = [
            (
                SideRow(side.number, side.entries[0].name, side.total_text, ()),
                frozenset(member.entry_id for member in of_sides[side.number]),
            )
            for side in ordered
        ]
        side_matrix = build_side_matrix(rows, conduct, stones, entries)
    swing = _swing(best, lines, members) if best else None
    return {
        "id": fixture.public_id,
        "number": fixture.number,
        "heading": _heading(ordered),
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
        "is_comparable": is_comparable,
        "headline": "" if is_sealed else _headline(fixture, lines, totals, matrix),
        "swing": swing,
        "replay_board": swing.board if swing else numbers[0],
        "replay_table": next((table.public_id for table in rows if table.view_sha256), "")
        if is_finished
        else "",
        "boards": boards,
        "matrix": matrix,
        "side_matrix": side_matrix,
        "cells": _cells(numbers, scores, members),
        "side_cells": _side_cells(numbers, scores, members, ordered) if sides > 2 and scores else (),
        "tables": tables,
        "table_lines": table_lines,
        "faulty": [line for line in table_lines if line.faults],
        "cpu": most_cpu(fixture, rows, conduct, labels),
        "rulings": tuple(ruling_line(ruling, labels, is_last=ruling == rulings[-1]) for ruling in rulings),
        "progress": (sum(table.boards_done for table in rows), sum(table.board_count for table in rows)),
    }


def fixture_title(fixture: Fixture) -> str:
    """Name the sides of a fixture, of many the best ones first. At most two queries."""
    members = _by_side(sides_with_names(fixture))
    entries = [[entry_label(member.entry) for member in of_side] for of_side in members.values()]
    if len(members) > 2:
        totals = fixture_totals_of(fixture)
        own = [totals.get(of_side[0].entry_id, Fraction()) for of_side in members.values()]
        entries = [entries[index] for index in sorted(range(len(own)), key=lambda index: -own[index])]
    return sides_heading(entries)


def _by_side(fixture_entries: Iterable[FixtureEntry]) -> Mapping[int, Sequence[FixtureEntry]]:
    members: dict[int, list[FixtureEntry]] = defaultdict(list)
    for member in fixture_entries:
        members[member.side].append(member)
    return members


def _heading(sides: Sequence[FixtureSide]) -> str:
    """Name the sides, and between two of them their totals: ``rules +2 : −2 pimc``."""
    if len(sides) != 2 or not sides[0].total_text:
        return sides_heading([side.entries for side in sides])
    first, second = side_titles([side.entries for side in sides])
    return f"{first} {sides[0].total_text} : {sides[1].total_text} {second}"


def _with_places(
    lines: Sequence[FixtureSide], members: Mapping[int, Sequence[FixtureEntry]], fixture: Fixture
) -> list[FixtureSide]:
    """Add the places before and after the round. Four queries."""
    of_sides = [of_side[0].entry_id for of_side in members.values()]
    played = fixture.board_set.round
    before, after = places_around_round(played.stage, played.number, of_sides)

    def text(entry: int) -> str:
        if entry not in after:
            return ""
        if entry not in before and len(lines) > 2:
            return ""
        if entry not in before:
            return _("place %(after)d after the round") % {"after": after[entry]}
        return _("place %(before)d → %(after)d") % {"before": before[entry], "after": after[entry]}

    return [
        dataclasses.replace(line, places=text(entry)) for line, entry in zip(lines, of_sides, strict=True)
    ]


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


def _headline(
    fixture: Fixture,
    sides: Sequence[FixtureSide],
    totals: Mapping[int, Fraction],
    matrix: BoardMatrix | None,
) -> str:
    arithmetic = matrix.arithmetic if matrix else ""
    if fixture.state == Fixture.State.VOID:
        return _("Void: it does not count.")
    if not totals:
        return ""
    if len(sides) == 2:
        winners = [side for side in sides if side.result == "win"]
        if not winners:
            return _("Drawn: %(arithmetic)s.") % {"arithmetic": arithmetic} if arithmetic else _("Drawn.")
    else:
        winners = [side for side in sides if side.place == 1]
    shared = ambiguous_names(entry for side in sides for entry in side.entries)
    names = _(" and ").join(
        f"{entry.name} ({entry.player})" if entry.name in shared else entry.name
        for side in winners
        for entry in side.entries
    )
    values = {"names": names, "total": winners[0].total_text, "arithmetic": arithmetic}
    if arithmetic:
        return _("%(names)s won: %(arithmetic)s.") % values
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
    known = [value for of_board in scores.values() for value in of_board.values()]
    digits = max((decimals_of(value) or 0 for value in known), default=0)
    rows = []
    for side in sides:
        entry = in_order[side.number][0].entry_id
        cells = []
        for number in numbers:
            value = scores.get(number, {}).get(entry)
            text = "" if value is None else format_exact(value, signed=True, decimals=digits)
            cells.append(("none" if value is None else sign_kind(value), text))
        rows.append(SideCells(side, tuple(cells)))
    return tuple(rows)
