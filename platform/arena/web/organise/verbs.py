"""What an organiser may do with an event: each verb in words, and the service that does it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.competition import services
from arena.competition.entry_counts import entry_statuses
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import verbs_now
from arena.competition.reviews import is_in_review
from arena.competition.selectors import Viewer
from arena.jobs import flow
from arena.matches.fixture_selectors import table_counts
from arena.matches.leases import tables_retry
from arena.matches.models import Table

Status = Entry.Status
State = Tournament.State


@dataclasses.dataclass(frozen=True)
class Facts:
    """What the words of a page are made of, as it stood when the page was opened."""

    entered: int
    pending: int
    """Pairs whose partner has not agreed."""
    playing: int
    waiting: int
    held_back: int
    finished: int


def facts_of(event: Tournament) -> Facts:
    """Two queries."""
    entries = entry_statuses(event)
    tables = table_counts(event)
    return Facts(
        entered=entries.get(Status.ENTERED, 0),
        pending=entries.get(Status.PENDING, 0),
        playing=tables.get(Table.State.LEASED, 0),
        waiting=tables.get(Table.State.WAITING, 0),
        held_back=tables.get(Table.State.QUARANTINED, 0),
        finished=tables.get(Table.State.FINISHED, 0),
    )


def number(count: int, word: str) -> str:
    """``1 entry``, ``2 entries``, ``no entry``."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"no {word}" if count == 0 else f"{count:,} {word if count == 1 else plural}"


Says = Callable[[Tournament, Facts], list[str]]


def reason_of(verb: EventVerb, facts: Facts) -> str:
    """Whether a reason is ``asked`` or ``needed``; empty: neither."""
    return "needed" if verb.tells_entrants and facts.entered + facts.pending else verb.reason


@dataclasses.dataclass(frozen=True)
class EventVerb:
    """One verb of an event."""

    key: str
    """As in ``competition.permissions.VERBS``."""
    label: Any
    """What its link and button say; translated."""
    does: Says
    """What will happen, a sentence each."""
    ends: tuple[str, ...]
    """What becomes impossible."""
    act: Callable[[Tournament, User, str], object]
    """Called with the reason, which is empty where none is asked for."""
    done: str
    reason: str = ""
    """``asked`` or ``needed``; empty: none."""
    tells_entrants: bool = False
    """Once there are entries they are owed a reason: it is needed."""
    is_final: bool = False
    """It cannot be undone."""
    counts_entries: bool = False
    """Whether it must be confirmed anew when the entries changed since the page was opened."""


def _opens(event: Tournament, facts: Facts) -> list[str]:
    until = f"until {event.closes_at:%Y-%m-%d %H:%M} UTC" if event.closes_at else "until you lock it"
    who = "Everybody who sees it" if event.entry_policy == "open" else "Players you invited"
    return [
        f"{who} may enter {until}; {event.min_entries} to {event.max_entries} entries are taken.",
        "The commitment to all deals is published, and a signed statement of the settings.",
    ]


def _locks(event: Tournament, facts: Facts) -> list[str]:
    says = [f"{number(facts.entered, 'entry').capitalize()} will play; {event.min_entries} are needed."]
    if facts.pending:
        says.append(f"{number(facts.pending, 'pair').capitalize()} nobody confirmed will be void.")
    return [*says, "Versions that are no longer ready are void. The field and its digest are published."]


def _starts(event: Tournament, facts: Facts) -> list[str]:
    return [
        f"The first round opens for {number(facts.entered, 'entry')}.",
        "Tables are played as workers are free.",
    ]


def _pauses(event: Tournament, facts: Facts) -> list[str]:
    return [
        f"Tables being played, which are finished first: {facts.playing:,}.",
        f"Tables that wait, and will not start before you resume: {facts.waiting:,}.",
        "After 30 days it is cancelled.",
    ]


def _cancels(event: Tournament, facts: Facts) -> list[str]:
    open_tables = facts.playing + facts.waiting + facts.held_back
    says = [f"Entrants are told; entries: {facts.entered:,}."] if facts.entered else []
    if facts.finished or open_tables:
        void = f"{number(open_tables, 'open table').capitalize()} will be void"
        # Of none that can be read "no finished table can still be read" would say that one is lost.
        kept = f"; {number(facts.finished, 'finished table')} can still be read" if facts.finished else ""
        says.append(f"{void}{kept}.")
    return [*says, "All boards are opened, and the secret of the deals is shown."]


def _finalises(event: Tournament, facts: Facts) -> list[str]:
    says = [
        f"Every deal is derived again and {number(facts.finished, 'table')} replayed from the records.",
        "If all agrees, it is final and its secret is shown. This happens by itself too.",
    ]
    if is_in_review(event):
        says.insert(0, f"Its review ends now instead of at {event.review_until:%Y-%m-%d %H:%M} UTC.")
    return says


VERBS = (
    EventVerb(
        "open",
        gettext_lazy("Open registration"),
        _opens,
        ("Name, rules, stages, clock and who may enter can no longer be changed.",),
        lambda event, user, reason: services.tournament_open(event, user),
        "Registration is open.",
    ),
    EventVerb(
        "lock",
        gettext_lazy("Lock the field"),
        _locks,
        ("Nobody can enter any more.", "Every deal is fixed."),
        lambda event, user, reason: services.tournament_lock(event, user),
        "The field is locked.",
        is_final=True,
        counts_entries=True,
    ),
    EventVerb(
        "start",
        gettext_lazy("Start"),
        _starts,
        ("Times can no longer be changed.",),
        lambda event, user, reason: services.tournament_start(event, user),
        "It has started.",
        is_final=True,
    ),
    EventVerb(
        "pause",
        gettext_lazy("Pause"),
        _pauses,
        (),
        lambda event, user, reason: services.tournament_pause(event, user, reason),
        "It is paused.",
        reason="asked",
    ),
    EventVerb(
        "resume",
        gettext_lazy("Resume"),
        lambda event, facts: [
            f"It goes on where it was paused; tables waiting: {facts.waiting:,}.",
        ],
        (),
        lambda event, user, reason: services.tournament_resume(event, user),
        "It goes on.",
    ),
    EventVerb(
        "retry_tables",
        gettext_lazy("Send tables held back to wait"),
        lambda event, facts: [
            f"Tables held back after faults of the platform: {facts.held_back:,}.",
            "Each is tried again with all its attempts, as are those that wait for another attempt.",
        ],
        (),
        lambda event, user, reason: tables_retry(event, user),
        "They wait to be played again.",
    ),
    EventVerb(
        "close_early",
        gettext_lazy("End it with the rounds closed so far"),
        lambda event, facts: [
            "Its stages end; what was played is audited, and its standings are the result.",
            "Open fixtures must be played or ruled on first.",
        ],
        ("No further round is played.",),
        lambda event, user, reason: flow.tournament_close_early(event, user, reason),
        "Its stages have ended.",
        reason="asked",
        is_final=True,
    ),
    EventVerb(
        "finalise",
        gettext_lazy("Make it final now"),
        _finalises,
        ("Nothing can be ruled on or played again.", "Entrants cannot report problems any more."),
        lambda event, user, reason: flow.tournament_finalise(event, user),
        "It is final.",
        is_final=True,
    ),
    EventVerb(
        "archive",
        gettext_lazy("Archive"),
        lambda event, facts: ["It is put away and stays readable."],
        ("Its description can no longer be changed.",),
        lambda event, user, reason: services.tournament_archive(event, user),
        "It is archived.",
    ),
    EventVerb(
        "cancel",
        gettext_lazy("Cancel the event"),
        _cancels,
        ("It can never be played.",),
        lambda event, user, reason: flow.tournament_cancel(event, user, reason),
        "It is cancelled.",
        reason="asked",
        tells_entrants=True,
        is_final=True,
    ),
)
"""In the order an event goes through them."""
BY_KEY = {verb.key: verb for verb in VERBS}


def offered(event: Tournament, viewer: Viewer) -> list[EventVerb]:
    """The verbs that the state of an event allows the viewer. No query."""
    allowed = verbs_now(event, viewer)
    return [verb for verb in VERBS if verb.key in allowed]


def verbs_shown(event: Tournament, viewer: Viewer) -> list[EventVerb]:
    """Those whose pages the viewer may open: the maker of a challenge is no organiser by that. No query."""
    is_organiser = isinstance(viewer, User) and (viewer.is_organiser or viewer.is_staff)
    return offered(event, viewer) if is_organiser else []


def seen_of(verb: EventVerb, event: Tournament, facts: Facts) -> str:
    """What a confirmation holds for: the state, and where they matter the entries."""
    return f"{event.state}.{facts.entered}.{facts.pending}" if verb.counts_entries else event.state
