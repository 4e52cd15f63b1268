"""The list of tournaments: live, paused and provisional, upcoming with the next editions of cups, past."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.competition.entries.counts import EntryCounts, entry_counts
from arena.competition.listing import (
    format_titles,
    series_of,
    tournaments_by_entries,
    tournaments_by_name,
    tournaments_of,
)
from arena.competition.models import Series, Tournament
from arena.competition.selectors import ENDED_STATES, Viewer, tournaments_by_state, tournaments_in_states
from arena.competition.series.services import UpcomingEdition, planned_editions, series_active
from arena.standings.selectors import leaders_of, won_by_lot
from arena.web.base.labels import EntryLabel, TableLabel, entry_label, in_sentence, table_label
from arena.web.base.list_parameters import ListRequest
from arena.web.base.states import (
    LIVE,
    TOURNAMENT_STATE_NAMES,
    UPCOMING,
    NextStep,
    State,
    TableCounts,
    next_step,
)
from arena.web.base.text_search import filter_by_words
from arena.web.tournaments.progress import Progress, progress_by_tournament

PAST_ORDERS = {"entries": tournaments_by_entries, "name": tournaments_by_name}
LIVE_TITLES = {
    State.RUNNING: gettext_lazy("Live"),
    State.PROVISIONAL: gettext_lazy("Awaiting confirmation"),
    State.PAUSED: pgettext_lazy("tournaments", "Paused"),
}
MAX_CUPS = 12
PAST_PER_PAGE = 25
OPEN_PER_PAGE = 12


@dataclasses.dataclass(frozen=True)
class TournamentItem:
    tournament: Tournament
    table: TableLabel
    state_name: str
    entries: int
    """Number of entries, including those that left."""
    progress: Progress | None
    wait: NextStep
    leader: EntryLabel | None
    """First after the closed rounds; the winner once final."""
    by_lot: bool
    """Whether it is over and only the lot separates the first two."""
    format: str = ""
    """Formats of its stages, for past tournaments of the list."""


@dataclasses.dataclass(frozen=True)
class TournamentGroup:
    items: list[TournamentItem]
    page: Page[Tournament]
    address: str
    """Query string of this list, without the value of this group's page number."""


class LiveState(NamedTuple):
    """Live tournaments of a page in one state."""

    state: State
    title: str
    items: list[TournamentItem]


class Upcoming(NamedTuple):
    """A tournament before its start, or the next edition of a cup that does not exist yet."""

    item: TournamentItem | None
    series: Series | None
    edition: UpcomingEdition | None


@dataclasses.dataclass(frozen=True)
class Overview:
    live: TournamentGroup
    upcoming: TournamentGroup
    coming: list[Upcoming]
    """The tournaments of ``upcoming`` and, on its first page, the next editions of cups, earliest first."""
    past: TournamentGroup
    request: ListRequest

    @property
    def live_states(self) -> list[LiveState]:
        by_state = groupby(self.live.items, key=lambda item: State(item.tournament.state))
        return [LiveState(state, str(LIVE_TITLES[state]), list(items)) for state, items in by_state]

    @property
    def is_running(self) -> bool:
        return any(item.tournament.state == State.RUNNING for item in self.live.items)

    @property
    def is_moving(self) -> bool:
        return bool(self.live.items or self.upcoming.items)

    @property
    def is_empty(self) -> bool:
        """Whether no tournament or next edition is visible and matches."""
        return not self.coming and not any(
            group.page.paginator.count for group in (self.live, self.upcoming, self.past)
        )


def build_overview(
    viewer: Viewer, listed: ListRequest, pages: Mapping[str, int] = MappingProxyType({})
) -> Overview:
    """Return the visible tournaments that match. The number of queries does not depend on their number.

    ``pages`` has the page number of each group: ``live``, ``coming``, and ``page`` for past tournaments. The
    order applies to past tournaments.
    """

    def matching(rows: QuerySet[Tournament]) -> QuerySet[Tournament]:
        return filter_by_words(tournaments_of(rows, listed.game, listed.preset), listed.query, "name")

    past = matching(tournaments_in_states(viewer, ENDED_STATES))
    if listed.sort in PAST_ORDERS:
        past = PAST_ORDERS[listed.sort](past)
    chosen = {
        "live": Paginator(matching(tournaments_by_state(viewer, LIVE)), OPEN_PER_PAGE),
        "coming": Paginator(matching(tournaments_in_states(viewer, UPCOMING)), OPEN_PER_PAGE),
        "page": Paginator(past, PAST_PER_PAGE),
    }
    page_of = {name: paginator.get_page(pages.get(name, 1)) for name, paginator in chosen.items()}
    rows = {name: list(page.object_list) for name, page in page_of.items()}
    every = [tournament for tournaments in rows.values() for tournament in tournaments]
    items = tournament_items(every)
    for key, titles in format_titles(rows["page"]).items():
        text = _(", then ").join(in_sentence(title) for title in titles)
        items[key] = dataclasses.replace(items[key], format=text)

    def group(name: str) -> TournamentGroup:
        other_pages = {
            other: page.number for other, page in page_of.items() if other != name and page.number > 1
        }
        parameters = {**listed.chosen, **other_pages}
        address = f"?{urlencode(parameters)}&{name}=" if parameters else f"?{name}="
        return TournamentGroup([items[tournament.pk] for tournament in rows[name]], page_of[name], address)

    coming = [Upcoming(items[row.pk], None, None) for row in rows["coming"]]
    if page_of["coming"].number == 1:
        coming += [Upcoming(None, *planned) for planned in next_editions(viewer, listed)]
        coming.sort(key=lambda row: (_starts_at(row) is None, _starts_at(row) or timezone.now()))
    return Overview(group("live"), group("coming"), coming, group("page"), listed)


def _starts_at(row: Upcoming) -> datetime.datetime | None:
    if row.edition is not None:
        return row.edition.starts_at
    return row.item.tournament.starts_at if row.item is not None else None


def next_editions(viewer: Viewer, listed: ListRequest) -> list[tuple[Series, UpcomingEdition]]:
    """Return the next edition of each active cup that matches, if it does not exist yet. Two queries."""
    active = series_of(series_active(viewer), listed.game, listed.preset)
    cups = filter_by_words(active, listed.query, "name")[:MAX_CUPS]
    planned = [(series, planned_editions(series, 1)) for series in cups]
    return [(series, editions[0]) for series, editions in planned if editions]


def tournament_items(tournaments: list[Tournament]) -> dict[int, TournamentItem]:
    """Return the items by key. Five queries, and one more for tournaments that are over."""
    entries = entry_counts(tournaments)
    playing = {key: counts.playing for key, counts in entries.items()}
    progress = progress_by_tournament([row for row in tournaments if row.state in LIVE], playing)
    leaders = leaders_of([row for row in tournaments if row.state not in UPCOMING])
    by_lot = won_by_lot([row for row in tournaments if row.state in ENDED_STATES])

    def item(tournament: Tournament) -> TournamentItem:
        counts = entries.get(tournament.pk, EntryCounts(0, 0))
        going = progress.get(tournament.pk)
        leader = leaders.get(tournament.pk)
        return TournamentItem(
            tournament=tournament,
            table=table_label(tournament),
            state_name=TOURNAMENT_STATE_NAMES[State(tournament.state)],
            entries=counts.in_field,
            progress=going,
            wait=next_step(tournament, counts.playing, TableCounts(playing=going.playing if going else 0)),
            leader=entry_label(leader) if leader else None,
            by_lot=tournament.pk in by_lot,
        )

    return {tournament.pk: item(tournament) for tournament in tournaments}
