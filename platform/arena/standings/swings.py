"""The most decisive boards: the largest swings, and the hardest boards.

The *swing* of a board is its largest board score, its *hardness* the mean of its absolute board scores over
all fixtures: 0 if all entries do the same with the same cards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from typing import NamedTuple

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from arena.competition.models import Entry, Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.matches.fixture_selectors import ENTRY_NAMES
from arena.matches.models import BoardSet, Fixture, FixtureEntry
from arena.standings.models import BoardFigures


class Swing(NamedTuple):
    tournament: Tournament
    """Name, id and preset."""
    board_set: str
    stage: int
    round: int
    board: int
    fixture: str
    """Public id of the fixture with the largest score."""
    winners: tuple[Entry, ...]
    """Entries of the side with that score, with player, versions and bots."""
    others: tuple[Entry, ...]
    value: Fraction
    """Largest board score in stones; greater than 0."""
    mean: Fraction
    """Mean of the absolute board scores of all fixtures, in stones."""
    fixtures: int
    is_comparable: bool
    """Whether the fixture has two sides and is settled: two tables have played the board."""


def biggest_swings(tournaments: Iterable[Tournament] | None = None, limit: int = 5) -> list[Swing]:
    """Return the closed boards with the largest scores, of equal ones the latest; by default of public
    events.

    Two queries. The caller checks that the viewer may see the tournaments.
    """
    return swings_of(_rows(tournaments).filter(swing__gt=0).order_by("-swing", "-board_set", "board"), limit)


def hardest_boards(tournaments: Iterable[Tournament], limit: int = 5) -> list[Swing]:
    """Like ``biggest_swings``, by mean of absolute board scores."""
    return swings_of(_rows(tournaments).filter(swing__gt=0).order_by("-spread", "-board_set", "board"), limit)


def round_swings(board_sets: Collection[int]) -> dict[int, Swing]:
    """Return the largest swing of each closed board set, by primary keys, of a board with a settled fixture.

    Sets without a swing are missing. Of equal swings the first board. Two queries, whatever the number of
    fixtures. The caller checks that the viewer may see the tournaments.
    """
    settled = BoardFigures.objects.filter(swing__gt=0, best_fixture__state=Fixture.State.SETTLED)
    largest = settled.filter(board_set=OuterRef("board_set")).order_by("-swing", "board").values("pk")[:1]
    rows = BoardFigures.objects.filter(board_set__in=board_sets, board_set__state=BoardSet.State.CLOSED)
    figures = _with_names(rows.filter(pk=Subquery(largest)))
    return {each.board_set_id: _swing(each) for each in figures}


def latest_swing(tournament: Tournament) -> Swing | None:
    """Return the largest swing of the round that closed last; None without a closed round or a swing.

    Three queries. The caller checks that the viewer may see the tournament.
    """
    closed = BoardSet.objects.filter(round__stage__tournament=tournament, state=BoardSet.State.CLOSED)
    latest = closed.order_by("-closed_seq").values_list("pk", flat=True).first()
    return None if latest is None else round_swings([latest]).get(latest)


def boards_decided(tournament: Tournament) -> int:
    return _rows([tournament]).filter(swing__gt=0).count()


def figures_of(board_set: BoardSet, numbers: Collection[int] | None = None) -> dict[int, BoardFigures]:
    """Return the figures of a closed set by number of the board. One query."""
    if board_set.is_sealed:
        return {}
    rows = BoardFigures.objects.filter(board_set=board_set)
    if numbers is not None:
        rows = rows.filter(board__in=numbers)
    return {figures.board: figures for figures in rows.order_by("board")}


def _rows(tournaments: Iterable[Tournament] | None) -> QuerySet[BoardFigures]:
    rows = BoardFigures.objects.filter(board_set__state=BoardSet.State.CLOSED)
    if tournaments is not None:
        return rows.filter(tournament__in=[tournament.pk for tournament in tournaments])
    return rows.filter(
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        tournament__kind=Tournament.Kind.TOURNAMENT,
    )


def swings_of(rows: QuerySet[BoardFigures], limit: int) -> list[Swing]:
    """Return the swings of closed boards in the order of the rows. Two queries."""
    return [_swing(figures) for figures in _with_names(rows)[:limit]]


def _with_names(rows: QuerySet[BoardFigures]) -> QuerySet[BoardFigures]:
    sides = FixtureEntry.objects.select_related(*ENTRY_NAMES).order_by("fixture_id", "position")
    return rows.select_related("tournament", "board_set__round__stage", "best_fixture").prefetch_related(
        Prefetch("best_fixture__sides", sides)
    )


def _swing(figures: BoardFigures) -> Swing:
    members = list(figures.best_fixture.sides.all())
    best = next((member.side for member in members if member.entry_id == figures.best_entry_id), None)
    return Swing(
        tournament=figures.tournament,
        board_set=figures.board_set.public_id,
        stage=figures.board_set.round.stage.number,
        round=figures.board_set.round.number,
        board=figures.board,
        fixture=figures.best_fixture.public_id,
        winners=tuple(member.entry for member in members if member.side == best),
        others=tuple(member.entry for member in members if member.side != best),
        value=figures.best,
        mean=figures.mean,
        fixtures=figures.fixtures,
        is_comparable=figures.best_fixture.state == Fixture.State.SETTLED
        and len({member.side for member in members}) == 2,
    )
