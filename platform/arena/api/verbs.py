"""Which verb of a tournament its present state and the asker's role allow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.errors import Conflict
from arena.competition.models import Tournament
from arena.competition.selectors import may_organise

State = Tournament.State

VERBS: dict[str, frozenset[str]] = {
    "update": frozenset({State.DRAFT}),
    "open": frozenset({State.DRAFT}),
    "enter": frozenset({State.REGISTRATION}),
    "lock": frozenset({State.REGISTRATION}),
    "start": frozenset({State.LOCKED}),
    "pause": frozenset({State.RUNNING}),
    "resume": frozenset({State.PAUSED}),
    "finalise": frozenset({State.PROVISIONAL}),
    "archive": frozenset({State.FINAL}),
    "cancel": frozenset(State.values) - {State.FINAL, State.ARCHIVED, State.CANCELLED},
}
ANYBODYS = frozenset({"enter"})


def verbs_now(tournament: Tournament, viewer: Viewer) -> list[str]:
    """What the viewer may do with the tournament just now. No query."""
    is_organiser = may_organise(viewer, tournament)
    is_somebody = isinstance(viewer, User)
    return [
        verb
        for verb, states in VERBS.items()
        if tournament.state in states and (is_organiser or (is_somebody and verb in ANYBODYS))
    ]


@contextmanager
def telling_whats_allowed(tournament: Tournament, viewer: Viewer) -> Iterator[None]:
    """Let a Conflict that leaves this block also say which verbs the tournament allows now."""
    try:
        yield
    except Conflict as conflict:
        tournament.refresh_from_db()
        conflict.extra.setdefault("state", tournament.state)
        conflict.extra["allowed_now"] = verbs_now(tournament, viewer)
        raise
