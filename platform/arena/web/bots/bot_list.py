"""The list of bots: rating, curve of the season, last result; and the viewer's own bots with their checks."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.core.paginator import Paginator

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.competition.activity import Activity, activity_of_bots, latest_activity
from arena.features.ratings.current import CurrentLines, current_lines, unrated_lines_of
from arena.features.ratings.panels.lines import figures_text
from arena.features.ratings.panels.summaries import RatingSummary, rating_summaries
from arena.matches.fixture_selectors import fault_counts
from arena.roster.listing import (
    bots_listed,
    bots_revision,
    cached_keys,
    keys_by_name,
    keys_by_value,
    primary_keys,
    rows_in_order,
    sees_only_public_bots,
)
from arena.roster.models import Bot
from arena.roster.selectors import bots_owned, bots_with_latest, is_owner
from arena.standings.last_results import LastResult, last_results_of_bots
from arena.web.base.list_parameters import ListRequest
from arena.web.base.text_search import filter_by_words
from arena.web.bots.bot import VersionLine, version_line

BOTS_PER_PAGE = 50
MAX_OWN_BOTS = 10
"""Maximum own bots above the list."""


class OwnBot(NamedTuple):
    bot: Bot
    latest: VersionLine | None
    """Latest version; None without versions."""


class RowGroup(NamedTuple):
    """Rows of one rating list; without a rating, or of all lists in another order than by strength."""

    rating_list: RatingSummary | None
    """Any row's rating; None for rows without one."""
    is_titled: bool
    rows: Sequence[Any]


class BotRow(NamedTuple):
    bot: Bot
    rating: RatingSummary | None
    progress: str
    """Fulfilled requirements of a bot without a rating; empty if it has not been counted."""
    last: LastResult | None
    active_at: datetime.datetime | None
    is_own: bool


def bot_list_context(viewer: Viewer, listed: ListRequest, page: int = 1) -> dict[str, Any]:
    """Return the viewer's bots, and a page of the visible bots that match the request.

    The number of queries does not depend on the number of bots.
    """
    current = current_lines(listed.game, listed.preset)
    activity = latest_activity() if listed.sort == "activity" else None
    current_page = Paginator(_keys(viewer, listed, current, activity), BOTS_PER_PAGE).get_page(page)
    bots = rows_in_order(bots_listed(viewer, listed.game), list(current_page.object_list))
    own = _own_bots(viewer)
    return {
        "own": own and own[:MAX_OWN_BOTS],
        "more_own": own is not None and len(own) > MAX_OWN_BOTS,
        "groups": row_groups(bot_lines(bots, current, viewer, activity), listed),
        "page": current_page,
        "request": listed,
    }


def active_own_bots(user: User, most: int) -> list[BotRow]:
    """Return the account's bots with ratings and results, rated bots first, each part by latest activity.

    A fixed number of queries.
    """
    own = list(bots_owned(user))
    activity, current = activity_of_bots([bot.pk for bot in own]), current_lines("", "")
    own.sort(key=lambda bot: (bot.pk not in current.by_bot, -(activity.get(bot.pk) or 0)))
    return bot_lines(own[:most], current, user)


def row_groups(rows: Sequence[Any], listed: ListRequest) -> list[RowGroup]:
    """Group rows by the list of their rating if they are in order of strength."""
    if listed.sort != "strength":
        return [RowGroup(None, False, rows)] if rows else []
    pages = groupby(rows, key=lambda row: row.rating.page if row.rating else "")
    grouped = [list(of_list) for _page, of_list in pages]
    return [RowGroup(of_list[0].rating, True, of_list) for of_list in grouped]


def bot_lines(
    bots: Sequence[Bot], current: CurrentLines, viewer: Viewer, activity: Activity | None = None
) -> list[BotRow]:
    """Return the rows of these bots, with owner and active version. A fixed number of queries."""
    rated = {bot.pk: current.by_bot[bot.pk] for bot in bots if bot.pk in current.by_bot}
    ratings = rating_summaries(current, rated)
    unrated = unrated_lines_of([bot.pk for bot in bots if bot.pk not in rated], current.lists)
    keys = [bot.pk for bot in bots]
    last = last_results_of_bots(keys)
    active = activity_of_bots(keys) if activity is None else activity.bots
    return [
        BotRow(
            bot,
            ratings.get(bot.pk),
            figures_text(unrated[bot.pk]) if bot.pk in unrated else "",
            last.get(bot.pk),
            moment_of(active.get(bot.pk)),
            is_owner(viewer, bot),
        )
        for bot in bots
    ]


def moment_of(seconds: float | None) -> datetime.datetime | None:
    return None if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.UTC)


def _keys(
    viewer: Viewer, listed: ListRequest, current: CurrentLines, activity: Activity | None
) -> Sequence[int]:
    """Return the keys of all bots that match, in order; cached for viewers who see public bots only."""

    def build() -> list[int]:
        rows = bots_listed(viewer, listed.game, by_name=listed.sort == "name")
        matching = filter_by_words(rows, listed.query, "name", "owner__handle")
        keys = keys_by_name(matching, "name_key") if listed.sort == "name" else primary_keys(matching)
        if listed.preset:
            keys = [key for key in keys if key in current.by_bot]
        if listed.sort == "strength":
            return keys_by_value(keys, current.positions(current.by_bot))
        return keys if activity is None else keys_by_value(keys, activity.bots)

    # Searches are not cached: there are too many of them.
    if listed.query or not sees_only_public_bots(viewer):
        return build()
    revision = (bots_revision(), current.revision, activity and activity.read_at)
    return cached_keys(("bots", listed.game, listed.preset, listed.sort), revision, None, build)


def _own_bots(viewer: Viewer) -> list[OwnBot] | None:
    if not isinstance(viewer, User):
        return None
    bots = bots_with_latest(viewer)
    faults = fault_counts([version for _, version in bots if version is not None])
    return [OwnBot(bot, version_line(latest, bot, faults) if latest else None) for bot, latest in bots]
