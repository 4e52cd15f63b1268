"""Template context of ladder pages: the season's table, newcomers, and the viewer's bots."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.game_titles import preset_title
from arena.features.ladders.models import Ladder, LadderSeason, Placement
from arena.features.ladders.pages.rounds import round_view
from arena.features.ladders.selectors import (
    final_ratings,
    newest_round,
    placed_version_ids,
    placements_without_line,
    season_list_of,
    season_or_newest,
    seasons_of,
    viewer_placements,
)
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.pages.lists import LINES_PER_PAGE, RatingColumn, list_page_of
from arena.features.ratings.panels.forest import Forest, forest_of, scale_of_rows
from arena.features.ratings.panels.lines import UnratedLine, unrated_lines
from arena.roster.models import BotVersion
from arena.roster.selectors import selectable_versions
from arena.web.base.labels import BotLabel, bot_label

MAX_SEASONS = 24
MAX_CHOICES = 100
MAX_LATEST_FIXTURES = 6
MAX_NEWCOMERS = 50


class NewcomerRow(NamedTuple):
    version: str
    bot: BotLabel
    player: str
    is_own: bool


@dataclasses.dataclass(frozen=True)
class FinalTable:
    rating_list: RatingList
    page: Page[Rating]
    forest: Forest
    unrated: list[UnratedLine]
    zero: str
    """Meaning of 0."""


def ladder_title(ladder: Ladder) -> str:
    return preset_title(ladder.preset, ladder.seats)


def ladder_page_of(
    ladder: Ladder, viewer: Viewer, season: str = "", find: str = "", page: int = 1
) -> dict[str, Any]:
    """Return a page of 50 lines of the named season, or of the newest. Raises NotFound."""
    chosen_season = season_or_newest(ladder, season)
    is_final = chosen_season is not None and chosen_season.state == LadderSeason.State.ARCHIVED
    on_it = placed_version_ids(ladder)
    listed = final = None
    if chosen_season is not None and is_final:
        final = _final_table(chosen_season, viewer, page)
    elif chosen_season is not None:
        rating_list = season_list_of(chosen_season)
        if rating_list is not None:
            listed = _with_departures(list_page_of(rating_list, viewer, find, page), on_it)
    own = viewer_placements(ladder, viewer)
    return {
        "ladder": ladder,
        "title": ladder_title(ladder),
        "placed": len(on_it),
        "season": chosen_season,
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
    page_rows = Paginator(lines, LINES_PER_PAGE).get_page(page)
    rows = list(page_rows.object_list)
    rating_list = lines[0].list
    scale = scale_of_rows(lines)
    forest = forest_of(rows, scale, viewer)
    return FinalTable(rating_list, page_rows, forest, unrated_lines(rows, viewer), scale.zero)


def _with_departures(listed: dict[str, Any], on_it: Collection[str]) -> dict[str, Any]:
    return {**listed, "columns": [_column_with_departures(column, on_it) for column in listed["columns"]]}


def _column_with_departures(column: RatingColumn, on_it: Collection[str]) -> RatingColumn:
    if column.forest is None:
        return column
    lines = tuple(
        line if line.version in on_it or line.note else dataclasses.replace(line, note=_("has left"))
        for line in column.forest.lines
    )
    return dataclasses.replace(column, forest=dataclasses.replace(column.forest, lines=lines))


def _newcomers(ladder: Ladder, listed: dict[str, Any] | None, viewer: Viewer) -> list[NewcomerRow]:
    placed = placements_without_line(ladder, listed["rating_list"] if listed else None)
    own = viewer.pk if isinstance(viewer, User) else None
    newcomers = []
    for row in placed[:MAX_NEWCOMERS]:
        row.version.bot = row.bot
        owner = row.bot.owner
        newcomers.append(
            NewcomerRow(row.version.public_id, bot_label(row.version), owner.handle, owner.user_id == own)
        )
    return newcomers


def _choices(ladder: Ladder, viewer: Viewer, own: Sequence[Placement]) -> list[BotVersion]:
    if not isinstance(viewer, User) or ladder.state != Ladder.State.ACTIVE:
        return []
    placed = {row.version_id for row in own}
    rows = selectable_versions(viewer, ladder.game, MAX_CHOICES)
    return [row for row in rows if row.state == BotVersion.State.READY and row.pk not in placed]
