"""Content of the home page. It is the same for all visitors, so that it can be cached."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from arena.competition.models import Series
from arena.competition.selectors import ENDED_STATES, tournaments_in_states
from arena.competition.series.services import UpcomingEdition, next_active_series
from arena.standings.swings import Swing, biggest_swings
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.base.states import LIVE, UPCOMING, State
from arena.web.drawing.sides import SideName, side_names
from arena.web.site.daily import DailyDeal, daily_deal
from arena.web.tournaments.cups import next_edition
from arena.web.tournaments.overview import TournamentItem, tournament_items
from viewer import cards
from viewer.games import families
from viewer.markup import Html, joined

MAX_LIVE = 4
MAX_UPCOMING = 3
MAX_RESULTS = 3
PLAYED = (State.RUNNING, State.PAUSED)
DECIDED = (State.PROVISIONAL, State.FINAL, State.ARCHIVED)
MAX_SWINGS = 4
MAX_SWINGS_PER_EVENT = 2
MAX_SWING_EVENTS = 6
"""Maximum tournaments searched for swings, by latest change of state."""


@dataclasses.dataclass(frozen=True)
class LiveTournaments:
    live: list[TournamentItem]
    """Running or paused."""
    upcoming: list[TournamentItem]
    results: list[TournamentItem]
    """In review or final, with a leader; the latest first."""
    next: tuple[Series, UpcomingEdition] | None
    is_empty: bool

    @property
    def is_moving(self) -> bool:
        return bool(self.live or self.upcoming)


class SwingLine(NamedTuple):
    swing: Swing
    winners: tuple[SideName, ...]
    others: tuple[SideName, ...]
    value: str


EMPTY_HAND = ("KH", "QH", "AS", "KS", "JD", "QC", "JC")
"""Hand displayed before any board is closed."""
FIRST_STEPS = """pip install .
rensho new mine
rensho play mine house:greedy
rensho submit mine --game kakeya"""
"""Commands from a clone to a bot on the site."""


def live_tournaments() -> LiveTournaments:
    """Return the public live and upcoming tournaments; a fixed number of queries."""
    live = list(tournaments_in_states(None, PLAYED)[:MAX_LIVE])
    decided = list(tournaments_in_states(None, DECIDED)[:MAX_RESULTS])
    upcoming = list(tournaments_in_states(None, UPCOMING)[:MAX_UPCOMING])
    live.sort(key=lambda tournament: PLAYED.index(State(tournament.state)))
    items = tournament_items([*live, *upcoming, *decided])
    return LiveTournaments(
        live=[items[tournament.pk] for tournament in live],
        upcoming=[items[tournament.pk] for tournament in upcoming],
        results=[items[row.pk] for row in decided if items[row.pk].leader],
        next=None if upcoming else _next_cup(),
        is_empty=not live and not upcoming and not tournaments_in_states(None, ENDED_STATES).exists(),
    )


def _next_cup() -> tuple[Series, UpcomingEdition] | None:
    series = next_active_series()
    edition = next_edition(series) if series is not None else None
    return (series, edition) if series is not None and edition is not None else None


def recent_swings() -> list[SwingLine]:
    """Return the biggest swings of the latest tournaments; empty before the first. Three queries."""
    played = (*LIVE, State.FINAL, State.ARCHIVED)
    lately = list(tournaments_in_states(None, played)[:MAX_SWING_EVENTS])
    selected: list[Swing] = []
    for swing in biggest_swings(lately, MAX_SWINGS * MAX_SWINGS_PER_EVENT * 2):
        same = sum(other.tournament.pk == swing.tournament.pk for other in selected)
        if same < MAX_SWINGS_PER_EVENT:
            selected.append(swing)
    listed = selected[:MAX_SWINGS]
    sides = [side for swing in listed for side in (swing.winners, swing.others)]
    names = side_names([[entry_label(entry) for entry in side] for side in sides])
    return [
        SwingLine(swing, winners, losers, format_exact(swing.value, signed=True))
        for swing, winners, losers in zip(listed, names[::2], names[1::2], strict=True)
    ]


def deal_of_day(day: date) -> DailyDeal | None:
    return daily_deal(day)


def card_symbols(hand: Iterable[str] = (), deck: cards.Deck = "french") -> Html:
    by_deck: dict[cards.Deck, set[str]] = {"french": set(), "komatsu": set()}
    by_deck[deck].update(hand)
    for family in families().values():
        by_deck[family.deck].update(family.cards)
    return joined([cards.symbols(by_deck["french"]), cards.komatsu_symbols(by_deck["komatsu"])])
