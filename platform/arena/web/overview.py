"""The list of tournaments as it is shown: live, to come, past."""

from __future__ import annotations

import dataclasses

from django.core.paginator import Page, Paginator

from arena.competition.models import Tournament
from arena.competition.selectors import OVER, Viewer, entry_counts, tournaments_in
from arena.standings.selectors import leaders_of
from arena.web.labels import EntryLabel, TableLabel, entry_label, table_label
from arena.web.progress import Progress, progress_of
from arena.web.states import LIVE, NAMES, UPCOMING, State, Tables, Wait, waiting_for

PAST_A_PAGE = 25
OPEN_AT_MOST = 200
"""Live and coming tournaments are shown on one page; an installation with more has other needs."""


@dataclasses.dataclass(frozen=True)
class Item:
    """One tournament of the list."""

    tournament: Tournament
    table: TableLabel
    state_name: str
    entries: int
    progress: Progress | None
    wait: Wait
    leader: EntryLabel | None
    """First after the rounds closed so far; the winner once it is final."""


@dataclasses.dataclass(frozen=True)
class Overview:
    """The three groups. ``past`` is one page of many."""

    live: list[Item]
    upcoming: list[Item]
    past: list[Item]
    page: Page[Tournament]

    @property
    def is_moving(self) -> bool:
        """Whether any of it may change soon."""
        return bool(self.live or self.upcoming)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all."""
        return not (self.live or self.upcoming or self.page.paginator.count)


def overview_of(viewer: Viewer, page: str = "1") -> Overview:
    """What the viewer may see; a number of queries that does not depend on how many there are."""
    current = list(tournaments_in(viewer, (*LIVE, *UPCOMING))[:OPEN_AT_MOST])
    past_page = Paginator(tournaments_in(viewer, OVER), PAST_A_PAGE).get_page(page)
    past = list(past_page.object_list)
    items = items_of([*current, *past])
    return Overview(
        live=[items[tournament.pk] for state in LIVE for tournament in current if tournament.state == state],
        upcoming=[items[tournament.pk] for tournament in current if tournament.state in UPCOMING],
        past=[items[tournament.pk] for tournament in past],
        page=past_page,
    )


def items_of(tournaments: list[Tournament]) -> dict[int, Item]:
    """These tournaments as a list shows them, by key. Five queries."""
    entries = entry_counts(tournaments)
    progress = progress_of([found for found in tournaments if found.state in LIVE], entries)
    leaders = leaders_of([found for found in tournaments if found.state not in UPCOMING])

    def item(tournament: Tournament) -> Item:
        count = entries.get(tournament.pk, 0)
        going = progress.get(tournament.pk)
        leader = leaders.get(tournament.pk)
        return Item(
            tournament=tournament,
            table=table_label(tournament),
            state_name=NAMES[State(tournament.state)],
            entries=count,
            progress=going,
            wait=waiting_for(tournament, count, Tables(playing=going.playing if going else 0)),
            leader=entry_label(leader) if leader else None,
        )

    return {tournament.pk: item(tournament) for tournament in tournaments}
