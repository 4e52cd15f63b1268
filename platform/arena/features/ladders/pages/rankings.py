"""Rankings of each game: the ten strongest bots with intervals, then the other rating lists and ladders."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound, mark_translated, quoted
from arena.common.game_titles import preset_title
from arena.competition.games import game_keys
from arena.features.ladders.models import Ladder
from arena.features.ladders.selectors import ladders
from arena.features.ratings.current import current_lists
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.panels.forest import Forest, ForestLine, forest_of, scale_of_list
from arena.features.ratings.panels.lines import boards_text, list_title
from arena.features.ratings.selectors import leaders_of, seasons
from arena.web.base.list_parameters import ListRequest

TOP_RANKS = 10
LEADER_RANKS = 3
"""Ranks of a list that is not drawn."""
MAX_DRAWN = 1
"""Lists drawn per game on the page of all games."""
MAX_DRAWN_OF_GAME = 3
"""Lists drawn on the page of one game or preset."""
MAX_SEASONS = 24


class Ranking(NamedTuple):
    rating_list: RatingList
    title: str
    played: str
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


class GameRankings(NamedTuple):
    game: str
    drawn: list[Ranking]
    undrawn: list[Ranking]
    empty: list[EmptyRanking]


class Rankings(NamedTuple):
    request: ListRequest
    seasons: list[str]
    season: str
    """Empty for the newest list of each kind."""
    games: list[GameRankings]


def rankings_of(viewer: Viewer, request: ListRequest, season: str = "") -> Rankings:
    """Return the rankings of a season, or the current ones. Six queries, and two per list not cached.

    Raises:
        NotFound: code ``season_not_found``.
    """
    quarters = seasons()
    if season and season not in quarters:
        message = _("There is no rating list for %(season)s. There are lists for: %(seasons)s.")
        known = pgettext("between two facts", ", ").join(quarters) or "-"
        values = {"season": quoted(season), "seasons": known}
        raise mark_translated(NotFound(message % values, "season_not_found"))
    rating_lists = current_lists(request.game, request.preset, season)
    by_kind = {(row.preset, row.board_kind, row.seats): row for row in ladders()}
    drawn, undrawn = _divide(rating_lists, MAX_DRAWN_OF_GAME if request.is_filtered else MAX_DRAWN)
    leaders = leaders_of(drawn, TOP_RANKS) | leaders_of(undrawn, LEADER_RANKS)

    def ranking(row: RatingList, ranks: int) -> Ranking:
        lines = _first_column(leaders[row.pk])[:ranks]
        forest = forest_of(lines, scale_of_list(row), viewer)
        return Ranking(
            row,
            list_title(row),
            boards_text(row),
            list(forest.lines),
            forest if ranks == TOP_RANKS else None,
            row.rated - len(lines),
            by_kind.get((row.preset, row.board_kind, row.seats)),
        )

    games = []
    for game in game_keys():
        section = GameRankings(
            game,
            [ranking(row, TOP_RANKS) for row in drawn if row.game == game],
            [ranking(row, LEADER_RANKS) for row in undrawn if row.game == game],
            _empty(
                [row for row in rating_lists if row.game == game],
                [] if season else [row for row in by_kind.values() if row.game == game],
                request.preset,
            ),
        )
        if section.drawn or section.undrawn or (section.empty and request.game in ("", game)):
            games.append(section)
    return Rankings(request, quarters[:MAX_SEASONS], season, games)


def _divide(rating_lists: Sequence[RatingList], at_most: int) -> tuple[list[RatingList], list[RatingList]]:
    """Return the rated lists with most bots of each game, newest season first, and the other rated lists."""
    rated = [row for row in rating_lists if row.rated]
    rated.sort(key=lambda row: (row.season, row.rated, row.boards), reverse=True)
    drawn: list[RatingList] = []
    undrawn: list[RatingList] = []
    for row in rated:
        is_drawn = sum(other.game == row.game for other in drawn) < at_most
        (drawn if is_drawn else undrawn).append(row)
    return drawn, undrawn


def _first_column(lines: Sequence[Rating]) -> list[Rating]:
    """Return the lines of the first column that has any: with itself as partner, else with others."""
    alone = [line for line in lines if line.partner == Rating.Partner.SELF]
    return alone or list(lines)


def _empty(
    rating_lists: Sequence[RatingList], game_ladders: Collection[Ladder], preset: str
) -> list[EmptyRanking]:
    empty = [EmptyRanking(list_title(row), row.page) for row in rating_lists if not row.rated]
    with_list = {
        (row.preset, row.board_kind, row.seats) for row in rating_lists if row.kind == RatingList.Kind.LADDER
    }
    for row in game_ladders:
        is_chosen = preset in ("", row.preset)
        if is_chosen and (row.preset, row.board_kind, row.seats) not in with_list:
            facts = [preset_title(row.preset, row.seats), _("ladder")]
            empty.append(EmptyRanking(pgettext("between two facts", ", ").join(facts), row.page))
    return sorted(empty)
