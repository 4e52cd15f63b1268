"""Ladders as pages show them: the table of a season, who is new, and the viewer's own bots."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.features.ladders.models import Ladder, LadderSeason, Placement
from arena.features.ladders.pages.rounds import round_view
from arena.features.ladders.selectors import (
    final_ratings,
    ladders,
    newest_round,
    placed_version_ids,
    placements_without_line,
    season_list_of,
    season_or_newest,
    seasons_of,
    viewer_placements,
)
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.pages.lists import LEADER_RANKS, LINES_PER_PAGE, RatingColumn, list_page_of
from arena.features.ratings.panels.forest import Forest, ForestLine, forest_of, scale_of_list
from arena.features.ratings.panels.lines import UnratedLine, unrated_lines
from arena.features.ratings.selectors import leaders_of, lists_of_ladders
from arena.roster.models import BotVersion
from arena.roster.selectors import versions_to_choose
from arena.web.base.labels import BotLabel, bot_label
from arena.web.base.wording import join_facts

MAX_SEASONS = 24
MAX_CHOICES = 100
MAX_LATEST_FIXTURES = 6
"""Fixtures of the latest round shown beside the table."""
MAX_NEWCOMERS = 50


class LadderCard(NamedTuple):
    """A ladder among others."""

    ladder: Ladder
    placed: int
    season: LadderSeason | None
    leaders: list[ForestLine]


class NewcomerRow(NamedTuple):
    """Somebody on the ladder of whom no board has counted yet."""

    version: str
    bot: BotLabel
    player: str
    is_own: bool


@dataclasses.dataclass(frozen=True)
class FinalTable:
    """A page of the final table of a season."""

    rating_list: RatingList
    page: Page[Rating]
    forest: Forest
    unrated: list[UnratedLine]


def ladder_title(ladder: Ladder) -> str:
    """Its preset, with the seats where there is a choice of them."""
    if not ladder.has_choice_of_seats:
        return ladder.preset
    return join_facts([ladder.preset, seats_text(ladder)])


def seats_text(ladder: Ladder) -> str:
    """How many sit at a table."""
    return ngettext("%(count)d seat", "%(count)d seats", ladder.seats) % {"count": ladder.seats}


def ladder_cards() -> list[tuple[str, list[LadderCard]]]:
    """All ladders by game, each with those who lead in the season that runs. Four queries, and two more for
    each list that no page has shown yet."""
    found = list(ladders())
    lists = {row.ladder_season: row for row in lists_of_ladders()}
    running = {row.pk: next(iter(getattr(row, "running", ())), None) for row in found}
    shown = {
        pk: lists[season.public_id] for pk, season in running.items() if season and season.public_id in lists
    }
    leaders = leaders_of(list(shown.values()), LEADER_RANKS)
    games: dict[str, list[LadderCard]] = {}
    for row in found:
        rating_list = shown.get(row.pk)
        lines: list[ForestLine] = []
        if rating_list is not None:
            forest = forest_of(leaders[rating_list.pk], scale_of_list(rating_list), None)
            lines = list(forest.lines[:LEADER_RANKS])
        placed = getattr(row, "placed", None) or 0
        games.setdefault(row.game, []).append(LadderCard(row, placed, running[row.pk], lines))
    return list(games.items())


def ladder_page_of(
    ladder: Ladder, viewer: Viewer, season: str = "", find: str = "", page: int = 1
) -> dict[str, Any]:
    """A page of a ladder: 50 lines of the season of this name, or of the newest. A fixed number of queries.

    Raises:
        NotFound: ``season_missing``.
    """
    shown = season_or_newest(ladder, season)
    is_final = shown is not None and shown.state == LadderSeason.State.ARCHIVED
    on_it = placed_version_ids(ladder)
    listed = final = None
    if shown is not None and is_final:
        final = _final_table(shown, viewer, page)
    elif shown is not None:
        rating_list = season_list_of(shown)
        if rating_list is not None:
            listed = _with_left_notes(list_page_of(rating_list, viewer, find, page), on_it)
    own = viewer_placements(ladder, viewer)
    return {
        "ladder": ladder,
        "title": ladder_title(ladder),
        "seats": seats_text(ladder),
        "placed": len(on_it),
        "season": shown,
        "address": f"?{urlencode({'season': season})}&page=" if season else "?page=",
        "is_final": is_final,
        "seasons": list(seasons_of(ladder)[:MAX_SEASONS]),
        "listed": listed,
        "final": final,
        "new": [] if is_final else _newcomers(ladder, listed, viewer),
        "latest": round_view(newest_round(ladder), MAX_LATEST_FIXTURES) if not is_final else None,
        "own": own,
        "choices": _choices(ladder, viewer, own),
    }


def _final_table(season: LadderSeason, viewer: Viewer, page: int) -> FinalTable | None:
    lines = final_ratings(season)
    if not lines:
        return None
    asked = Paginator(lines, LINES_PER_PAGE).get_page(page)
    rows = list(asked.object_list)
    rating_list = lines[0].list
    forest = forest_of(rows, scale_of_list(rating_list), viewer)
    return FinalTable(rating_list, asked, forest, unrated_lines(rows, viewer))


def _with_left_notes(listed: dict[str, Any], on_it: Collection[str]) -> dict[str, Any]:
    """The same with a word at those who have left the ladder."""
    return {**listed, "columns": [_column_with_left_notes(column, on_it) for column in listed["columns"]]}


def _column_with_left_notes(column: RatingColumn, on_it: Collection[str]) -> RatingColumn:
    if column.forest is None:
        return column
    lines = tuple(
        line if line.version in on_it or line.note else dataclasses.replace(line, note=_("has left"))
        for line in column.forest.lines
    )
    return dataclasses.replace(column, forest=dataclasses.replace(column.forest, lines=lines))


def _newcomers(ladder: Ladder, listed: dict[str, Any] | None, viewer: Viewer) -> list[NewcomerRow]:
    """Those on the ladder who are in no line of its list. One query, or two."""
    placed = placements_without_line(ladder, listed["rating_list"] if listed else None)
    own = viewer.pk if isinstance(viewer, User) else None
    found = []
    for row in placed[:MAX_NEWCOMERS]:
        row.version.bot = row.bot
        owner = row.bot.owner
        found.append(
            NewcomerRow(row.version.public_id, bot_label(row.version), owner.handle, owner.user_id == own)
        )
    return found


def _choices(ladder: Ladder, viewer: Viewer, own: Sequence[Placement]) -> list[BotVersion]:
    """Versions of the viewer that can be put on: ready, and not on it already. Two queries."""
    if not isinstance(viewer, User) or ladder.state != Ladder.State.ACTIVE:
        return []
    placed = {row.version_id for row in own}
    rows = versions_to_choose(viewer, ladder.game, MAX_CHOICES)
    return [row for row in rows if row.state == BotVersion.State.READY and row.pk not in placed]
