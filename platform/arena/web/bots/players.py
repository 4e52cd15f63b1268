"""Public profiles of players."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.paginator import Paginator

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.competition.activity import Activity, activity_of_players, latest_activity
from arena.competition.players import (
    entries_of_player,
    event_counts,
    has_entered,
    player_named,
    player_unknown,
    players_revision,
    players_visible_to,
    subscriptions_of_bots,
)
from arena.features.ratings.current import CurrentLines, current_lines
from arena.features.ratings.panels.lines import MAX_LISTS, list_standings
from arena.features.ratings.panels.summaries import RatingSummary, rating_summaries
from arena.features.ratings.selectors import lines_of_player
from arena.roster.listing import cached_keys, keys_by_name, keys_by_value, primary_keys, rows_in_order
from arena.roster.models import Bot, Player
from arena.roster.selectors import bot_counts, bots_of_player
from arena.standings.board_record import player_record, tournaments_won
from arena.standings.last_results import LastResult, last_results_of_players
from arena.web.base.list_parameters import ListRequest
from arena.web.base.text_search import filter_by_words
from arena.web.bots.board_records import board_lines, opponent_table
from arena.web.bots.bot_list import bot_lines, moment_of, row_groups
from arena.web.bots.event_results import event_results
from arena.web.tournaments.cups import schedule_text

PLAYERS_PER_PAGE = 50
MAX_BOTS = 12
MAX_CUPS = 20


class PlayerRow(NamedTuple):
    player: Player
    bots: int
    events: int
    rating: RatingSummary | None
    """Of the player's strongest bot."""
    last: LastResult | None
    active_at: datetime.datetime | None
    is_own: bool


class PlayedCup(NamedTuple):
    public_id: str
    name: str
    rhythm: str
    bot: Bot


def player_list_context(viewer: Viewer, listed: ListRequest, page: int = 1) -> dict[str, Any]:
    """Return a page of the visible players that match the request. A fixed number of queries."""
    current = current_lines(listed.game, listed.preset)
    best = current.best_of_owner
    activity = latest_activity() if listed.sort == "activity" else None
    current_page = Paginator(_keys(viewer, listed, current, activity), PLAYERS_PER_PAGE).get_page(page)
    players = rows_in_order(players_visible_to(viewer, listed.game), list(current_page.object_list))
    bots = bot_counts(players, viewer)
    events = event_counts(players, viewer)
    ratings = rating_summaries(
        current, {player.pk: best[player.pk] for player in players if player.pk in best}
    )
    keys = [player.pk for player in players]
    last = last_results_of_players(keys)
    active = activity_of_players(keys) if activity is None else activity.players
    own = viewer.pk if isinstance(viewer, User) else None
    return {
        "groups": row_groups(
            [
                PlayerRow(
                    player,
                    bots.get(player.pk, 0),
                    events.get(player.pk, 0),
                    ratings.get(player.pk),
                    last.get(player.pk),
                    moment_of(active.get(player.pk)),
                    own is not None and player.user_id == own,
                )
                for player in players
            ],
            listed,
        ),
        "page": current_page,
        "request": listed,
    }


def _keys(
    viewer: Viewer, listed: ListRequest, current: CurrentLines, activity: Activity | None
) -> Sequence[int]:
    """Return the keys of all players that match, in order. Cached, except for searches."""
    best = current.best_of_owner

    def build() -> list[int]:
        rows = players_visible_to(viewer, listed.game)
        keys = keys_by_name(filter_by_words(rows, listed.query, "handle"), "handle")
        if listed.preset:
            keys = [key for key in keys if key in best]
        if listed.sort == "strength":
            return keys_by_value(keys, current.positions(best))
        return keys if activity is None else keys_by_value(keys, activity.players)

    if listed.query:
        return build()
    revision = (players_revision(), current.revision, activity and activity.read_at)
    return cached_keys(
        ("players", listed.game, listed.preset, listed.sort), revision, viewer and viewer.pk, build
    )


def player_context(handle: str, viewer: Viewer, page: int = 1) -> dict[str, Any]:
    """Return the template context of a player; a fixed number of queries.

    Raises:
        NotFound: code ``player_not_found``.
    """
    player = player_named(handle)
    every = bots_of_player(player, viewer)
    keys = primary_keys(every)
    if not (keys or is_staff(viewer) or has_entered(player, viewer)):
        raise player_unknown(handle)
    current = current_lines()
    rated = {key: current.by_bot[key] for key in keys if key in current.by_bot}
    ordered = keys_by_value(keys, {key: line.value for key, line in rated.items()})[:MAX_BOTS]
    bots = rows_in_order(every, ordered)
    known = every if len(keys) > MAX_BOTS else bots
    events = event_results(entries_of_player(player, known, viewer), page)
    record = player_record(player)
    return {
        "player": player,
        "bots": bot_lines(bots, current, viewer),
        "bot_count": len(keys),
        "more_bots": len(keys) > MAX_BOTS,
        "won": tournaments_won(player),
        "opponents": opponent_table(record),
        "best": board_lines(record.best),
        "events": events,
        "cups": [
            PlayedCup(row.series.public_id, row.series.name, schedule_text(row.series), row.bot)
            for row in subscriptions_of_bots(known, viewer)[:MAX_CUPS]
        ],
        "standings": list_standings(lines_of_player(player, MAX_LISTS), viewer),
        "is_moving": any(not line.is_over for line in events.lines),
    }
