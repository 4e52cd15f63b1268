"""Which verbs a tournament or an entry permits in its present state, and to whom."""

from __future__ import annotations

from arena.accounts.models import User
from arena.competition.drafts import EDITABLE
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import Viewer, may_organise

State = Tournament.State
Status = Entry.Status

VERBS: dict[str, frozenset[str]] = {
    "update": frozenset(EDITABLE),
    "invite": frozenset({State.DRAFT, State.REGISTRATION}),
    "open": frozenset({State.DRAFT}),
    "enter": frozenset({State.REGISTRATION}),
    "seed": frozenset({State.REGISTRATION}),
    "lock": frozenset({State.REGISTRATION}),
    "start": frozenset({State.LOCKED}),
    "pause": frozenset({State.RUNNING}),
    "resume": frozenset({State.PAUSED}),
    "close_early": frozenset({State.RUNNING, State.PAUSED}),
    "retry_tables": frozenset({State.RUNNING, State.PAUSED}),
    "adjudicate": frozenset({State.RUNNING, State.PAUSED, State.PROVISIONAL}),
    "rerun": frozenset({State.RUNNING, State.PAUSED, State.PROVISIONAL}),
    "finalise": frozenset({State.PROVISIONAL}),
    "archive": frozenset({State.FINAL}),
    "cancel": frozenset(State.values) - {State.FINAL, State.ARCHIVED, State.CANCELLED},
}
"""The states that allow each verb of a tournament."""
ENTER = "enter"
ANYBODYS = frozenset({ENTER})
OUT_OF_FIELD = (State.LOCKED, State.RUNNING, State.PAUSED)


def verbs_now(tournament: Tournament, viewer: Viewer, *, has_room: bool = True) -> list[str]:
    """What the viewer may do with the tournament just now. No query.

    Without ``has_room`` the viewer cannot enter, as a service has just found (``NoRoom``).
    """
    is_organiser = may_organise(viewer, tournament)
    is_somebody = isinstance(viewer, User)
    return [
        verb
        for verb, states in VERBS.items()
        if tournament.state in states
        and (is_organiser or (is_somebody and verb in ANYBODYS))
        and (has_room or verb != ENTER)
    ]


def fields_now(tournament: Tournament, viewer: Viewer) -> list[str]:
    """The fields the viewer may change just now. No query."""
    return list(EDITABLE.get(tournament.state, ())) if may_organise(viewer, tournament) else []


def entry_verbs_now(entry: Entry, viewer: Viewer) -> list[str]:
    """What the viewer may do with an entry just now; no query if tournament and owners are at hand."""
    if not isinstance(viewer, User):
        return []
    tournament = entry.tournament
    owners = entry.owners()
    is_owner = any(owner.user_id == viewer.pk for owner in owners)
    is_organiser = may_organise(viewer, tournament)
    verbs = []
    if tournament.state == State.REGISTRATION:
        if entry.status == Status.PENDING and len(owners) > 1 and owners[1].user_id == viewer.pk:
            verbs += ["confirm", "decline"]
        if entry.status in Entry.STANDING:
            verbs += ["withdraw"] if is_owner or is_organiser else []
            verbs += ["seed"] if is_organiser else []
    elif tournament.state in OUT_OF_FIELD and entry.status == Status.ENTERED and (is_owner or is_organiser):
        verbs.append("withdraw")
    return verbs
