"""Players as pages show them: what everybody may know of them, and nothing else."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from django.core.paginator import Page, Paginator

from arena.accounts.selectors import Viewer
from arena.competition.models import Entry, Tournament
from arena.competition.players import (
    cups_of_player,
    entries_of_player,
    event_counts,
    player_known,
    players_known_to,
)
from arena.competition.selectors import OVER
from arena.roster.models import Bot, Player
from arena.roster.selectors import bot_counts, bots_of_player, with_words
from arena.standings.selectors import last_ranks
from arena.web.cups import rhythm_of
from arena.web.labels import EntryLabel, entry_label
from arena.web.states import NAMES, State

PLAYERS_A_PAGE = 50
BOTS_AT_MOST = 50
EVENTS_A_PAGE = 25
CUPS_AT_MOST = 20
FIND_AT_MOST = 60
"""Characters of what is looked for in a list."""


class PlayerLine(NamedTuple):
    """One player of the list."""

    player: Player
    bots: int
    events: int


@dataclasses.dataclass(frozen=True)
class PlayerList:
    """One page of players."""

    lines: list[PlayerLine]
    page: Page[Player]
    query: str


class PlayedEvent(NamedTuple):
    """An event the player is entered in."""

    tournament: Tournament
    state_name: str
    entry: EntryLabel
    rank: int | None
    """In the last stage that has standings."""


class PlayedCup(NamedTuple):
    """A cup that enters a bot of the player each time."""

    public_id: str
    name: str
    rhythm: str
    bot: Bot


@dataclasses.dataclass(frozen=True)
class PlayerPage:
    """Everything on the page of a player."""

    player: Player
    bots: list[Bot]
    more_bots: bool
    events: list[PlayedEvent]
    page: Page[Entry]
    cups: list[PlayedCup]

    @property
    def is_moving(self) -> bool:
        """Whether an event that is listed goes on."""
        return any(event.tournament.state not in OVER for event in self.events)


def player_list_of(viewer: Viewer, query: str = "", page: str = "1") -> PlayerList:
    """Whom the viewer may know of, of those whose handles have the words. Four queries."""
    query = query[:FIND_AT_MOST].strip()
    rows = with_words(players_known_to(viewer), query, "handle")
    listed = Paginator(rows, PLAYERS_A_PAGE).get_page(page)
    players = list(listed.object_list)
    bots = bot_counts(players, viewer)
    events = event_counts(players, viewer)
    lines = [PlayerLine(player, bots.get(player.pk, 0), events.get(player.pk, 0)) for player in players]
    return PlayerList(lines, listed, query)


def player_page_of(handle: str, viewer: Viewer, page: str = "1") -> PlayerPage:
    """One player; a fixed number of queries.

    Raises:
        NotFound: code ``player_unknown``.
    """
    player = player_known(handle, viewer)
    bots = list(bots_of_player(player, viewer)[: BOTS_AT_MOST + 1])
    listed = Paginator(entries_of_player(player, viewer), EVENTS_A_PAGE).get_page(page)
    entries = list(listed.object_list)
    ranks = last_ranks(entries)
    return PlayerPage(
        player=player,
        bots=bots[:BOTS_AT_MOST],
        more_bots=len(bots) > BOTS_AT_MOST,
        events=[
            PlayedEvent(
                tournament=entry.tournament,
                state_name=NAMES[State(entry.tournament.state)],
                entry=entry_label(entry),
                rank=ranks.get(entry.pk),
            )
            for entry in entries
        ],
        page=listed,
        cups=[
            PlayedCup(row.series.public_id, row.series.name, rhythm_of(row.series), row.bot)
            for row in cups_of_player(player, viewer)[:CUPS_AT_MOST]
        ],
    )
