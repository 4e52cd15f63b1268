"""Rankings of each family of presets: its strongest bots with intervals, then its other lists and ladders."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound, mark_translated, quoted
from arena.common.game_titles import preset_title
from arena.competition.games import family_keys, preset_family
from arena.features.ladders.models import Ladder
from arena.features.ladders.selectors import ladders
from arena.features.ratings.current import current_lists
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.movements import movements_of
from arena.features.ratings.panels.forest import Forest, ForestLine, forest_of, scale_of_list
from arena.features.ratings.panels.lines import boards_text, list_title
from arena.features.ratings.selectors import leaders_of, seasons
from arena.web.base.list_parameters import ListRequest
from arena.web.base.wording import join_facts
from league.rating.guards import MIN_BOARDS, MIN_FIXTURES

TOP_RANKS = 10
LADDER_RANKS = 5
"""Ranks of a ladder on the page of all games."""
LEADER_RANKS = 3
"""Ranks of a list that is not drawn."""
MAX_DRAWN = 1
"""Lists of each kind drawn per family on the page of all games."""
MAX_DRAWN_OF_FAMILY = 2
"""Lists of each kind drawn on the page of one family or preset."""
MAX_SEASONS = 24


class Ranking(NamedTuple):
    rating_list: RatingList
    title: str
    played: str
    zero: str
    """Meaning of 0."""
    leaders: list[ForestLine]
    forest: Forest | None
    """The leaders as a plot; None for a list that is not drawn."""
    more: int
    """Rated lines of the list that are not shown."""
    ladder: Ladder | None
    """Ladder with the same rules and seats."""


class EmptyRanking(NamedTuple):
    """A list without a rated line, or a ladder without a list."""

    title: str
    page: str
    bots: int
    boards: int


class FamilyRankings(NamedTuple):
    family: str
    drawn: list[Ranking]
    undrawn: list[Ranking]
    empty: list[EmptyRanking]


class Rankings(NamedTuple):
    request: ListRequest
    seasons: list[str]
    season: str
    """Empty for the newest list of each kind."""
    families: list[FamilyRankings]
    first_drawn: str
    """Public id of the first list that is drawn; empty without one."""
    fixtures_required: int = MIN_FIXTURES
    boards_required: int = MIN_BOARDS


def rankings_of(viewer: Viewer, request: ListRequest, season: str = "") -> Rankings:
    """Return the rankings of a season, or the current ones. Seven queries, and two per list not cached.

    Raises:
        NotFound: code ``season_not_found``.
    """
    quarters = seasons()
    if season and season not in quarters:
        message = _("There is no rating list for %(season)s. There are lists for: %(seasons)s.")
        known = pgettext("between two facts", ", ").join(quarters) or "-"
        values = {"season": quoted(season), "seasons": known}
        raise mark_translated(NotFound(message % values, "season_not_found"))
    chosen = [request.game] if request.game else family_keys()
    rating_lists = [
        row for row in current_lists("", request.preset, season) if preset_family(row.preset) in chosen
    ]
    by_kind = {
        (row.preset, row.board_kind, row.seats): row
        for row in ladders()
        if preset_family(row.preset) in chosen and request.preset in ("", row.preset)
    }
    drawn, undrawn = _divide(rating_lists, MAX_DRAWN_OF_FAMILY if request.is_filtered else MAX_DRAWN)
    leaders = leaders_of(drawn, TOP_RANKS) | leaders_of(undrawn, LEADER_RANKS)

    def ranks(row: RatingList) -> int:
        if row not in drawn:
            return LEADER_RANKS
        is_short = row.kind == RatingList.Kind.LADDER and not request.is_filtered
        return LADDER_RANKS if is_short else TOP_RANKS

    lines = {row.pk: _first_column(leaders[row.pk])[: ranks(row)] for row in (*drawn, *undrawn)}
    movements = movements_of([line for row in drawn for line in lines[row.pk]])

    def ranking(row: RatingList) -> Ranking:
        scale = scale_of_list(row)
        forest = forest_of(lines[row.pk], scale, viewer, movements.get(row.pk))
        return Ranking(
            row,
            list_title(row),
            boards_text(row),
            scale.zero,
            list(forest.lines),
            forest if row in drawn else None,
            row.rated - len(forest.lines),
            by_kind.get((row.preset, row.board_kind, row.seats)),
        )

    def of_family(rows: Collection[RatingList], family: str) -> list[Ranking]:
        return [ranking(row) for row in rows if preset_family(row.preset) == family]

    families = []
    for family in chosen:
        section = FamilyRankings(
            family,
            of_family(drawn, family),
            of_family(undrawn, family),
            _empty(
                [row for row in rating_lists if preset_family(row.preset) == family],
                [] if season else [row for row in by_kind.values() if preset_family(row.preset) == family],
            ),
        )
        if section.drawn or section.undrawn or section.empty:
            families.append(section)
    first = [row.rating_list.public_id for section in families for row in section.drawn]
    return Rankings(request, quarters[:MAX_SEASONS], season, families, first[0] if first else "")


def _divide(rating_lists: Sequence[RatingList], at_most: int) -> tuple[list[RatingList], list[RatingList]]:
    """Return the rated lists with most bots of each family and kind, lists of tournaments and newest seasons
    first, and the other rated lists."""
    rated = [row for row in rating_lists if row.rated]
    rated.sort(key=lambda row: (row.season, row.rated, row.boards), reverse=True)
    rated.sort(key=lambda row: row.kind == RatingList.Kind.LADDER)
    drawn: list[RatingList] = []
    undrawn: list[RatingList] = []
    for row in rated:
        kind = preset_family(row.preset), row.kind
        is_drawn = sum((preset_family(other.preset), other.kind) == kind for other in drawn) < at_most
        (drawn if is_drawn else undrawn).append(row)
    return drawn, undrawn


def _first_column(lines: Sequence[Rating]) -> list[Rating]:
    """Return the lines of the first column that has any: with itself as partner, else with others."""
    alone = [line for line in lines if line.partner == Rating.Partner.SELF]
    return alone or list(lines)


def _empty(rating_lists: Sequence[RatingList], family_ladders: Collection[Ladder]) -> list[EmptyRanking]:
    """Return the lists without ratings, those with most boards first."""
    empty = [
        EmptyRanking(list_title(row), row.page, row.unrated, row.boards)
        for row in rating_lists
        if not row.rated
    ]
    with_list = {
        (row.preset, row.board_kind, row.seats) for row in rating_lists if row.kind == RatingList.Kind.LADDER
    }
    for row in family_ladders:
        if (row.preset, row.board_kind, row.seats) not in with_list:
            title = join_facts([preset_title(row.preset, row.seats), _("ladder")])
            empty.append(EmptyRanking(title, row.page, getattr(row, "placed", None) or 0, 0))
    return sorted(empty, key=lambda row: (-row.boards, row.title))
