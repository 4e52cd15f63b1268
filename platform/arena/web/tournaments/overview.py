"""The list of tournaments: live, upcoming, past."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from arena.competition.entries.counts import EntryCounts, entry_counts
from arena.competition.listing import tournaments_by_entries, tournaments_by_name, tournaments_of
from arena.competition.models import Tournament
from arena.competition.selectors import ENDED_STATES, Viewer, tournaments_by_state, tournaments_in_states
from arena.standings.selectors import leaders_of, won_by_lot
from arena.web.base.labels import EntryLabel, TableLabel, entry_label, table_label
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


@dataclasses.dataclass(frozen=True)
class TournamentGroup:
    items: list[TournamentItem]
    page: Page[Tournament]
    address: str
    """Query string of this list, without the value of this group's page number."""


@dataclasses.dataclass(frozen=True)
class Overview:
    live: TournamentGroup
    upcoming: TournamentGroup
    past: TournamentGroup
    request: ListRequest

    @property
    def is_moving(self) -> bool:
        return bool(self.live.items or self.upcoming.items)

    @property
    def is_empty(self) -> bool:
        """Whether no tournament is visible and matches."""
        return not any(group.page.paginator.count for group in (self.live, self.upcoming, self.past))


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

    def group(name: str) -> TournamentGroup:
        other_pages = {
            other: page.number for other, page in page_of.items() if other != name and page.number > 1
        }
        parameters = {**listed.chosen, **other_pages}
        address = f"?{urlencode(parameters)}&{name}=" if parameters else f"?{name}="
        return TournamentGroup([items[tournament.pk] for tournament in rows[name]], page_of[name], address)

    return Overview(group("live"), group("coming"), group("page"), listed)


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
