"""Public profiles of players."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.competition.activity import latest_activity
from arena.competition.entries.names import EnteredEvent, events_entered
from arena.competition.models import Entry
from arena.competition.players import (
    entries_of_player,
    event_counts,
    has_entered,
    player_named,
    player_unknown,
    players_visible_to,
    subscriptions_of_bots,
)
from arena.competition.selectors import ENDED_STATES
from arena.features.ratings.current import current_lines
from arena.features.ratings.panels.lines import MAX_LISTS, list_standings
from arena.features.ratings.panels.summaries import RatingSummary, rating_summaries
from arena.features.ratings.selectors import lines_of_player
from arena.roster.listing import keys_by_value, primary_keys, rows_in_order
from arena.roster.models import Bot, Player
from arena.roster.selectors import bot_counts, bots_of_player
from arena.standings.last_results import LastResult, last_results_of_players
from arena.standings.player_record import (
    OpponentRecord,
    PlayerRecord,
    RecordedBoard,
    player_record,
    tournaments_won,
)
from arena.standings.selectors import last_ranks
from arena.web.base.figures import format_exact, format_rounded
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.list_parameters import ListRequest
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State
from arena.web.base.text_search import filter_by_words
from arena.web.bots.bot_list import bot_lines, moment_of
from arena.web.tournaments.cups import schedule_text

PLAYERS_PER_PAGE = 50
MAX_BOTS = 20
EVENTS_PER_PAGE = 25
MAX_CUPS = 20
MAX_OPPONENTS = 10
"""Maximum opponents at each end of the order."""


class PlayerRow(NamedTuple):
    player: Player
    bots: int
    events: int
    rating: RatingSummary | None
    """Of the player's strongest bot."""
    last: LastResult | None
    active_at: datetime.datetime | None
    is_own: bool


class PlayedEvent(NamedTuple):
    tournament: EnteredEvent
    state_name: str
    entry: EntryLabel
    rank: int | None
    """Rank in the last stage with standings."""


class PlayedCup(NamedTuple):
    public_id: str
    name: str
    rhythm: str
    bot: Bot


def player_list_context(viewer: Viewer, listed: ListRequest, page: int = 1) -> dict[str, Any]:
    """Return a page of the visible players that match the request. A fixed number of queries."""
    current = current_lines(listed.game, listed.preset)
    activity = latest_activity().players
    best = current.best_of_owner
    rows = players_visible_to(viewer, listed.game)
    keys = primary_keys(filter_by_words(rows, listed.query, "handle"))
    if listed.preset:
        keys = [key for key in keys if key in best]
    if listed.sort == "strength":
        keys = keys_by_value(keys, {player: line.value for player, line in best.items()})
    elif listed.sort == "activity":
        keys = keys_by_value(keys, activity)
    current_page = Paginator(keys, PLAYERS_PER_PAGE).get_page(page)
    players = rows_in_order(rows, list(current_page.object_list))
    bots = bot_counts(players, viewer)
    events = event_counts(players, viewer)
    ratings = rating_summaries(
        current, {player.pk: best[player.pk] for player in players if player.pk in best}
    )
    last = last_results_of_players([player.pk for player in players])
    own = viewer.pk if isinstance(viewer, User) else None
    return {
        "rows": [
            PlayerRow(
                player,
                bots.get(player.pk, 0),
                events.get(player.pk, 0),
                ratings.get(player.pk),
                last.get(player.pk),
                moment_of(activity.get(player.pk)),
                own is not None and player.user_id == own,
            )
            for player in players
        ],
        "page": current_page,
        "request": listed,
    }


def _events_page(rows: QuerySet[Entry], page: int) -> tuple[Page[Any], list[EnteredEvent]]:
    """Return one page of tournaments. If all fit on one page, they are not counted."""
    first = events_entered(rows[: EVENTS_PER_PAGE + 1])
    if len(first) <= EVENTS_PER_PAGE:
        return Paginator(first, EVENTS_PER_PAGE).get_page(1), first
    listed = Paginator(rows, EVENTS_PER_PAGE).get_page(page)
    start = listed.start_index() - 1
    return listed, events_entered(rows[start : start + EVENTS_PER_PAGE])


class OpponentLine(NamedTuple):
    record: OpponentRecord
    mean: str
    interval: str
    """Empty with too few boards."""
    result: str
    """``win`` or ``loss`` if the interval excludes 0, otherwise empty."""


class BestBoardLine(NamedTuple):
    recorded: RecordedBoard
    value: str
    own: EntryLabel
    opponents: list[EntryLabel]


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
    listed, entered = _events_page(entries_of_player(player, known, viewer), page)
    ranks = last_ranks([event.entry.key for event in entered])
    record = player_record(player)
    return {
        "player": player,
        "bots": bot_lines(bots, current, viewer),
        "bot_count": len(keys),
        "more_bots": len(keys) > MAX_BOTS,
        "won": tournaments_won(player),
        "opponents": _opponents(record),
        "best": [_best_board(recorded) for recorded in record.best],
        "recorded": record.fixtures,
        "events": [
            PlayedEvent(
                tournament=event,
                state_name=TOURNAMENT_STATE_NAMES[State(event.state)],
                entry=entry_label(event.entry),
                rank=ranks.get(event.entry.key),
            )
            for event in entered
        ],
        "page": listed,
        "cups": [
            PlayedCup(row.series.public_id, row.series.name, schedule_text(row.series), row.bot)
            for row in subscriptions_of_bots(known, viewer)[:MAX_CUPS]
        ],
        "standings": list_standings(lines_of_player(player, MAX_LISTS), viewer),
        "is_moving": any(event.state not in ENDED_STATES for event in entered),
    }


def _opponents(record: PlayerRecord) -> list[OpponentLine]:
    """Return the opponents with the highest and the lowest means."""
    opponents = record.opponents
    if len(opponents) > 2 * MAX_OPPONENTS:
        opponents = opponents[:MAX_OPPONENTS] + opponents[-MAX_OPPONENTS:]
    return [_opponent(opponent) for opponent in opponents]


def _opponent(opponent: OpponentRecord) -> OpponentLine:
    mean, low, high, *_rest = opponent.interval
    is_clear = opponent.has_interval and opponent.interval.is_clear_of_zero
    text = _("%(low)s to %(high)s") % {"low": format_rounded(low), "high": format_rounded(high)}
    return OpponentLine(
        opponent,
        format_rounded(mean),
        text if opponent.has_interval else "",
        ("win" if mean > 0 else "loss") if is_clear else "",
    )


def _best_board(recorded: RecordedBoard) -> BestBoardLine:
    value = format_exact(recorded.value, signed=True)
    opponents = [entry_label(entry) for entry in recorded.opponents]
    return BestBoardLine(recorded, value, entry_label(recorded.own), opponents)
