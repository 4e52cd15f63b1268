"""The page of a round: boards, and paginated fixtures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator

from arena.competition.models import Round, Tournament
from arena.competition.rules import sides_of
from arena.matches.board_tables import adjacent_rounds
from arena.standings.round_order import fixtures_by_rank, result_counts, standings_of
from arena.standings.swings import figures_of, round_swings
from arena.web.base.figures import format_exact
from arena.web.base.wording import join_facts
from arena.web.drawing.swing_lines import swing_lines
from arena.web.tournaments.leader import score_text
from arena.web.tournaments.rounds import MAX_TABLES_LISTED, RoundFixture, RoundLine, build_rounds

MAX_ELEMENTS = 1100
"""Maximum HTML elements of all fixtures on a page; a page has at most 1,500."""
ELEMENTS_PER_FIXTURE, ELEMENTS_PER_SIDE, ELEMENTS_PER_TABLE = 10, 12, 4
"""HTML elements per fixture, per side, and per table of an open round."""
BOARDS_PER_PAGE = 48


@dataclasses.dataclass(frozen=True)
class RoundBoard:
    number: int
    swing: str
    """Largest board score; empty while sealed or without scores."""


def fixtures_per_page(sides: int, *, is_open: bool) -> int:
    """Return how many fixtures fit on a page.

    >>> fixtures_per_page(2, is_open=False), fixtures_per_page(2, is_open=True)
    (32, 18)
    >>> fixtures_per_page(8, is_open=True)
    8
    """
    tables = MAX_TABLES_LISTED * ELEMENTS_PER_TABLE if is_open else 0
    return MAX_ELEMENTS // (ELEMENTS_PER_FIXTURE + ELEMENTS_PER_SIDE * sides + tables)


def round_context(
    tournament: Tournament, round_row: Round, page: int = 1, boards_page: int = 1, find: str = ""
) -> dict[str, Any]:
    """Return the template context of a round, loaded with its board set. At most nineteen queries.

    ``find`` limits the fixtures to bots and players whose name contains this text.
    """
    board_set = round_row.board_set
    per_page = fixtures_per_page(len(sides_of(tournament)), is_open=board_set.is_sealed)
    fixtures = Paginator(fixtures_by_rank(round_row, find), per_page).get_page(page)
    keys = [fixture.pk for fixture in fixtures.object_list]
    (line,) = build_rounds(tournament, only=[round_row.pk], fixtures_only=keys)
    order = {fixture.public_id: position for position, fixture in enumerate(fixtures.object_list)}
    line = _with_standings(tournament, round_row, line, order)
    boards = Paginator(range(1, board_set.boards + 1), BOARDS_PER_PAGE).get_page(boards_page)
    figures = figures_of(board_set, list(boards.object_list))
    before, after = adjacent_rounds(round_row)
    return {
        "line": line,
        "find": find,
        "keep": f"{urlencode({'find': find})}&" if find else "",
        "results": None if board_set.is_sealed or find else result_counts(board_set),
        "board_set": board_set.public_id,
        "is_sealed": board_set.is_sealed,
        "boards": tuple(
            RoundBoard(number, format_exact(figures[number].best, signed=True) if number in figures else "")
            for number in boards.object_list
        ),
        "board_pages": boards,
        "page": fixtures,
        "swing": swing_lines(list(round_swings([board_set.pk]).values())),
        "before": before,
        "after": after,
    }


def _with_standings(
    tournament: Tournament, round_row: Round, line: RoundLine, order: Mapping[str, int]
) -> RoundLine:
    """Return the line with fixtures in this order, byes last, and with rank and score of each entry now."""
    ids = [entry.id for fixture in line.fixtures for side in fixture.sides for entry in side.entries]
    standings = standings_of(round_row.stage, ids, tournament.scoring)
    texts = {
        entry: f"#{rank}"
        if score is None
        else join_facts([f"#{rank}", score_text(tournament.scoring, score)])
        for entry, (rank, score) in standings.items()
    }

    def with_texts(fixture: RoundFixture) -> RoundFixture:
        sides = (
            dataclasses.replace(side, standing=texts.get(side.entry.id, "") if len(side.entries) == 1 else "")
            for side in fixture.sides
        )
        return dataclasses.replace(fixture, sides=tuple(sides))

    fixtures = sorted(line.fixtures, key=lambda fixture: (fixture.is_bye, order[fixture.id]))
    return dataclasses.replace(line, fixtures=tuple(map(with_texts, fixtures)))
