"""The page of a board: its deal, and the tables that played it, by fixture."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.competition.rules import sides_of
from arena.matches.board_tables import fixtures_on_board, fixtures_with_tables_on_board, stone_counts
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table
from arena.standings.board_scores import scores_on
from arena.standings.swings import figures_of
from arena.web.base.bidi import isolated
from arena.web.base.figures import format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_sentences
from arena.web.boards.fixture_tables import RulingLine, SeatFault, ruling_line, seat_faults
from arena.web.drawing.board_costs import BoardCosts, costs_by_table, field_of, leads_of
from arena.web.drawing.board_facts import BoardFacts, DealFacts, facts_by_table
from arena.web.drawing.plots import Plot, PlotValue, dot_plots, histograms, sign_kind
from arena.web.drawing.sides import side_text
from arena.web.tournaments.rounds import compare_totals
from viewer.cards import CRESTS

CELLS_PER_PAGE = 140
"""Maximum seats and table headings per page; a fixture of n sides has n tables of n seats."""
MAX_DEALS_LISTED = 60
"""Maximum deals of a game in the list; the replay has all."""
STRIP_BOARDS = 24
"""Maximum boards in the strip of links, around the present one."""


@dataclasses.dataclass(frozen=True)
class BoardSide:
    """A side of a table or fixture on this board."""

    entries: tuple[EntryLabel, ...]
    mark: int | None
    """Number of the crest, from 0; None if there are too many entries."""
    stones: str
    """Stones won as played, or the board score; empty if the table was not finished."""
    kind: str
    """``plus``, ``minus`` or ``zero``; empty without ``stones``."""
    seats: str = ""
    """Seats as text; only for sides of tables."""


@dataclasses.dataclass(frozen=True)
class BoardTable:
    id: str
    number: int
    """Rotation, from 1."""
    sides: tuple[BoardSide, ...]
    faults: tuple[SeatFault, ...]
    facts: BoardFacts | None
    """Lead and pictures; None without a view."""
    costs: BoardCosts | None
    """None without a view, or if no table has notes."""
    is_void: bool
    has_record: bool

    @property
    def ending(self) -> str:
        """Number of deals of a game, or winner of a deal of Kakkuri, as text."""
        if self.facts is None:
            return ""
        if len(self.facts.deals) > 1:
            return ngettext("%(n)d deal", "%(n)d deals", len(self.facts.deals)) % {"n": len(self.facts.deals)}
        if not self.facts.winner:
            return _("no winner")
        return _("won by %(side)s, lap %(lap)d") % {
            "side": side_text(self.facts.winner),
            "lap": self.facts.laps,
        }


@dataclasses.dataclass(frozen=True)
class BoardFixture:
    id: str
    sides: tuple[BoardSide, ...]
    """Sides in the order of the pairing, with board scores."""
    result: str
    """``win``, ``draw`` or ``loss`` of the first side; empty with more than two sides."""
    state: str
    ruling: RulingLine | None
    reason: str
    tables: tuple[BoardTable, ...]

    @property
    def is_many(self) -> bool:
        return len(self.sides) > 2

    @property
    def is_comparable(self) -> bool:
        """Whether both tables of two sides have replays."""
        return len(self.sides) == 2 and _replays(self.tables) == 2


def _replays(tables: Sequence[BoardTable]) -> int:
    return sum(table.facts is not None and not table.is_void for table in tables)


class GameCell(NamedTuple):
    """A deal of a game at one table."""

    table: str
    """Public id."""
    winner: str
    """Winning seats as text; empty if the game was over before this deal."""
    stones: str


@dataclasses.dataclass(frozen=True)
class GameDeal:
    number: int
    cells: tuple[GameCell, ...]


@dataclasses.dataclass(frozen=True)
class GameDeals:
    block: BoardFixture
    deals: tuple[GameDeal, ...]
    left_out: int


@dataclasses.dataclass(frozen=True)
class StripBoard:
    number: int
    swing: str
    """Largest board score; empty if there is none."""


@dataclasses.dataclass(frozen=True)
class SidePlot:
    side: str
    plot: Plot
    is_dots: bool


class LeadValue(NamedTuple):
    seat: int
    value: str
    """Stones to the first playing side."""


class FieldTable(NamedTuple):
    id: str
    number: int
    name: str
    """Entry in the seat that plays."""
    position: str


class FieldLine(NamedTuple):
    cards: tuple[str, ...]
    mark: str
    is_best: bool
    tables: tuple[FieldTable, ...]


def board_context(board_set: BoardSet, number: int, page_number: int, game_of: str) -> dict[str, Any]:
    """Return the template context of a board of a closed set. At most thirteen queries.

    ``game_of`` is the public id of the fixture whose game is listed deal by deal.
    """
    sides = sides_of(board_set.round.stage.tournament)
    per_page = max(1, CELLS_PER_PAGE // (len(sides) * (len(sides) + 3)))
    page = Paginator(fixtures_on_board(board_set, number), per_page).get_page(page_number)
    fixtures = fixtures_with_tables_on_board(list(page.object_list), number)
    scores = scores_on(fixtures, number)
    tables = [table for fixture in fixtures for table in fixture.tables.all()]
    facts = facts_by_table(tables, number)
    costs = costs_by_table(tables, number)
    labels = {
        member.entry_id: entry_label(member.entry) for fixture in fixtures for member in fixture.sides.all()
    }
    marks = _crests(fixtures, labels)
    blocks = tuple(
        _board_fixture(fixture, number, scores, labels, marks, facts, costs, sides) for fixture in fixtures
    )
    around = _strip_numbers(number, board_set.boards)
    figures = figures_of(board_set, {*around, number})
    own = figures.get(number)
    first_facts = next((facts[table.pk] for table in tables if table.pk in facts), None)
    is_game, is_many = board_set.kind == "game", len(sides) > 2
    table_facts = [table.facts for block in blocks for table in block.tables if table.facts is not None]
    has_leads = not is_game and any(each.lead for each in table_facts)
    has_pictures = not is_game and any(each.pictures for each in table_facts)
    has_endings = is_game or any(each.laps for each in table_facts)
    return {
        "number": number,
        "is_game": is_game,
        "is_many": is_many,
        "has_leads": has_leads,
        "has_pictures": has_pictures,
        "has_endings": has_endings,
        "has_costs": bool(costs),
        "is_turns": any(each.laps for each in facts.values()),
        "columns": 1
        + len(sides)
        + (0 if is_many else 1 + has_leads + has_pictures)
        + has_endings
        + bool(costs),
        **_solved(costs, tables, labels),
        "boards": board_set.boards,
        "before": number - 1 if number > 1 else None,
        "after": number + 1 if number < board_set.boards else None,
        "strip": tuple(
            StripBoard(board, format_exact(figures[board].best, signed=True) if board in figures else "")
            for board in around
        ),
        "seats": tuple(side_text(side) for side in sides),
        "facts": first_facts,
        "plots": _plots(board_set, number, page, blocks, sides),
        "legend": tuple((mark, labels[entry]) for entry, mark in marks.items()),
        "swing": format_exact(own.best, signed=True) if own else "",
        "mean": format_exact(Fraction(round(own.mean * 100), 100)) if own else "",
        "fixtures": own.fixtures if own else 0,
        "verdict": _verdict(blocks, side_text(sides[0])) if own and own.fixtures == 1 else "",
        "page": page,
        "blocks": blocks,
        "game": _game(blocks, game_of) if is_game else None,
    }


def _verdict(blocks: Sequence[BoardFixture], seats: str) -> str:
    """Return what the two tables of a round's only fixture say about a board; empty without two sides."""
    if len(blocks) != 1 or len(blocks[0].sides) != 2 or len(blocks[0].tables) != 2:
        return ""
    stones = [table.sides[0].stones for table in blocks[0].tables]
    if not all(stones):
        return ""
    values = {"side": capfirst(seats), "first": stones[0], "second": stones[1]}
    if stones[0] == stones[1]:
        return _("%(side)s: %(first)s stones at both tables, so the cards decided this board.") % values
    winner = next((side for side in blocks[0].sides if side.kind == "plus"), None)
    text = _("%(side)s: %(first)s stones at table 1, %(second)s at table 2.") % values
    if winner is None:
        return text
    won = _("The play was worth %(score)s for %(name)s.")
    return join_sentences(text, won % {"score": winner.stones, "name": isolated(winner.entries[0].name)})


def _crests(fixtures: Sequence[Fixture], labels: Mapping[int, EntryLabel]) -> dict[int, int]:
    """Return the number of each entry's crest, in order of entry; empty if there are too few crests.

    A single fixture has a crest per side, in the order of the pairing, as on its own page.
    """
    if len(fixtures) == 1:
        members = fixtures[0].sides.all()
        sides = list(dict.fromkeys(member.side for member in members))
        if len(sides) > CRESTS:
            return {}
        return {member.entry_id: sides.index(member.side) for member in members}
    return {entry: index for index, entry in enumerate(sorted(labels))} if len(labels) <= CRESTS else {}


def _strip_numbers(number: int, boards: int) -> range:
    """Return the numbers of the boards in the strip around this one.

    >>> _strip_numbers(2, 4), _strip_numbers(500, 1000)
    (range(1, 5), range(488, 512))
    """
    first = max(1, min(number - STRIP_BOARDS // 2, boards - STRIP_BOARDS + 1))
    return range(first, min(boards, first + STRIP_BOARDS - 1) + 1)


def _board_side(
    entries: Sequence[int],
    value: Fraction | None,
    labels: Mapping[int, EntryLabel],
    marks: Mapping[int, int],
    seats: str = "",
) -> BoardSide:
    return BoardSide(
        tuple(labels[entry] for entry in entries),
        marks.get(entries[0]),
        "" if value is None else format_exact(value, signed=True),
        "" if value is None else sign_kind(value),
        seats,
    )


def _board_fixture(
    fixture: Fixture,
    number: int,
    scores: Mapping[tuple[int, int], Fraction],
    labels: Mapping[int, EntryLabel],
    marks: Mapping[int, int],
    facts: Mapping[int, BoardFacts],
    costs: Mapping[int, BoardCosts],
    sides: Sequence[Sequence[int]],
) -> BoardFixture:
    members: dict[int, list[FixtureEntry]] = defaultdict(list)
    for member in fixture.sides.all():
        members[member.side].append(member)
    values = [scores.get((fixture.pk, of_side[0].entry_id)) for of_side in members.values()]
    rulings = list(fixture.adjudications.all())
    first, last = values[0], values[-1]
    return BoardFixture(
        id=fixture.public_id,
        sides=tuple(
            _board_side([member.entry_id for member in of_side], value, labels, marks)
            for of_side, value in zip(members.values(), values, strict=True)
        ),
        result=compare_totals(first, last)
        if len(values) == 2 and first is not None and last is not None
        else "",
        state=fixture.state,
        ruling=ruling_line(rulings[-1], labels, is_last=True) if rulings else None,
        reason=fixture.reason,
        tables=tuple(
            _table(table, number, labels, marks, facts.get(table.pk), costs.get(table.pk), sides)
            for table in fixture.tables.all()
        ),
    )


def _table(
    table: Table,
    number: int,
    labels: Mapping[int, EntryLabel],
    marks: Mapping[int, int],
    facts: BoardFacts | None,
    costs: BoardCosts | None,
    sides: Sequence[Sequence[int]],
) -> BoardTable:
    by_seat = {seat.seat: seat for seat in table.seats.all()}
    stones = {result.seat: result.stones for result in table.results_on(number)}
    lines = []
    for side in sides:
        entries = list(dict.fromkeys(by_seat[seat].entry_id for seat in side))
        value = Fraction(stones[side[0]]) if side[0] in stones else None
        lines.append(_board_side(entries, value, labels, marks, side_text(side)))
    return BoardTable(
        id=table.public_id,
        number=table.rotation + 1,
        sides=tuple(lines),
        faults=seat_faults(by_seat.values(), labels),
        facts=facts,
        costs=costs,
        is_void=table.state == Table.State.VOID,
        has_record=bool(table.record_sha256),
    )


def _solved(
    costs: Mapping[int, BoardCosts], tables: Sequence[Table], labels: Mapping[int, EntryLabel]
) -> dict[str, Any]:
    """Return the values of the leads, and the field at the costliest play."""
    leads, field = leads_of(costs), field_of(costs)
    side = next((board.side for board in costs.values() if board.leads), ())
    context = {
        "leads": tuple(LeadValue(seat, format_exact(Fraction(value), signed=True)) for seat, value in leads),
        "is_same_lead": len(leads) > 1 and len({value for _, value in leads}) == 1,
        "value_side": side_text(side),
    }
    if field is None:
        return context
    rows = {table.pk: table for table in tables}

    def line(key: int, position: str) -> FieldTable:
        table = rows[key]
        entry = next(seat.entry_id for seat in table.seats.all() if seat.seat == field.moment.seat)
        return FieldTable(table.public_id, table.rotation + 1, labels[entry].name, position)

    return {
        **context,
        "field": {
            "table": rows[field.table].public_id,
            "moment": field.moment,
            "plays": tuple(
                FieldLine(play.cards, play.mark, play.is_best, tuple(line(*where) for where in play.tables))
                for play in field.plays
            ),
            "others": field.others,
        },
    }


def _game(blocks: Sequence[BoardFixture], fixture_id: str) -> GameDeals | None:
    """Return the deals of the selected fixture's game; None if no table has a view."""
    with_deals = [block for block in blocks if any(table.facts for table in block.tables)]
    block = next(
        (block for block in with_deals if block.id == fixture_id), with_deals[0] if with_deals else None
    )
    if block is None:
        return None
    played = [(table.id, table.facts.deals) for table in block.tables if table.facts is not None]
    longest = max(len(deals) for _, deals in played)

    def cell(table: str, deals: Sequence[DealFacts], index: int) -> GameCell:
        if index >= len(deals):
            return GameCell(table, "", "")
        deal = deals[index]
        if not deal.winner:
            return GameCell(table, _("no winner"), "")
        won = Fraction(deal.stones.get(deal.winner[0], 0))
        return GameCell(table, side_text(deal.winner), format_exact(won, signed=True))

    return GameDeals(
        block,
        tuple(
            GameDeal(index + 1, tuple(cell(table, deals, index) for table, deals in played))
            for index in range(min(longest, MAX_DEALS_LISTED))
        ),
        max(0, longest - MAX_DEALS_LISTED),
    )


def _plots(
    board_set: BoardSet,
    number: int,
    page: Page[Fixture],
    blocks: Sequence[BoardFixture],
    sides: Sequence[Sequence[int]],
) -> tuple[SidePlot, ...]:
    """Return a plot per side; with two sides only the first, since the other is its negative.

    Dots if all tables are on this page, else bars for all tables. At most one query.
    """
    plotted = sides[:1] if len(sides) == 2 else sides
    names = [side_text(side) for side in plotted]
    captions = [_("Stones for %(side)s") % {"side": name} for name in names]
    if page.has_other_pages():
        counted = stone_counts(board_set, number, [side[0] for side in plotted])
        bars = histograms([counted[side[0]] for side in plotted], captions)
        return tuple(SidePlot(name, plot, is_dots=False) for name, plot in zip(names, bars, strict=True))
    values = [
        [
            PlotValue(
                stones,
                "" if (mark := table.sides[index].mark) is None else str(mark),
                table.sides[index].entries[0].name,
            )
            for block in blocks
            for table in block.tables
            if (stones := _stones(table.sides[index])) is not None
        ]
        for index in range(len(plotted))
    ]
    dots = dot_plots(values, captions)
    return tuple(SidePlot(name, plot, is_dots=True) for name, plot in zip(names, dots, strict=True))


def _stones(line: BoardSide) -> Fraction | None:
    if not line.stones:
        return None
    return Fraction(line.stones.replace("\N{MINUS SIGN}", "-"))
