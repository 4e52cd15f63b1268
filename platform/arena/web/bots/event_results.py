"""Results of entries in lines of lists: place, best board, state. Bots, players and the desk share them."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib.humanize.templatetags.humanize import ordinal
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.competition.entries.counts import entry_counts
from arena.competition.entries.names import EnteredEvent, events_entered
from arena.competition.models import Entry
from arena.competition.selectors import ENDED_STATES
from arena.standings.entry_results import BestBoard, best_boards
from arena.standings.selectors import last_ranks
from arena.web.base.figures import format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State

EVENTS_PER_PAGE = 20


class EventResult(NamedTuple):
    tournament: EnteredEvent
    state_name: str
    label: EntryLabel
    place: str
    """Such as "3rd of 10", in the last stage with standings; empty without standings."""
    best: BestBoard | None
    best_score: str

    @property
    def is_over(self) -> bool:
        return self.tournament.state in ENDED_STATES


class EventResults(NamedTuple):
    page: Page[Any]
    lines: list[EventResult]


def event_results(rows: QuerySet[Entry], page: int) -> EventResults:
    """Return a page of results of these visible entries, in their order. Four queries, or six if paged."""
    listed, entered = _events_page(rows, page)
    keys = [event.entry.key for event in entered]
    ranks, best = last_ranks(keys), best_boards(keys)
    counts = entry_counts({event.key for event in entered})
    lines = [
        EventResult(
            tournament=event,
            state_name=TOURNAMENT_STATE_NAMES[State(event.state)],
            label=entry_label(event.entry),
            place=""
            if event.state == State.CANCELLED
            else place_of(ranks.get(event.entry.key), counts[event.key].in_field),
            best=best.get(event.entry.key),
            best_score=best_score_of(best.get(event.entry.key)),
        )
        for event in entered
    ]
    return EventResults(listed, lines)


def place_of(rank: int | None, entries: int) -> str:
    """Format a place among a number of entries; empty without a place.

    >>> place_of(3, 10), place_of(None, 10)
    ('3rd of 10', '')
    """
    if rank is None:
        return ""
    number = ordinal(rank) if get_language() in (None, "en") else str(rank)
    return _("%(place)s of %(entries)d") % {"place": number, "entries": entries}


def best_score_of(best: BestBoard | None) -> str:
    return format_exact(best.score, signed=True) if best else ""


def _events_page(rows: QuerySet[Entry], page: int) -> tuple[Page[Any], list[EnteredEvent]]:
    """Return one page of tournaments. If all fit on one page, they are not counted."""
    first = events_entered(rows[: EVENTS_PER_PAGE + 1])
    if len(first) <= EVENTS_PER_PAGE:
        return Paginator(first, EVENTS_PER_PAGE).get_page(1), first
    listed = Paginator(rows, EVENTS_PER_PAGE).get_page(page)
    start = listed.start_index() - 1
    return listed, events_entered(rows[start : start + EVENTS_PER_PAGE])
