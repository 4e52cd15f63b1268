"""Verbs and fields that the state of a tournament or entry permits, per viewer."""

from __future__ import annotations

from arena.accounts.models import User
from arena.competition.co_organisers import FIELD
from arena.competition.impartiality import has_interest
from arena.competition.models import Entry, Tournament
from arena.competition.organisers import is_lead_organiser
from arena.competition.selectors import Viewer, may_organise
from arena.competition.tournament_actions import ACTIONS, ARCHIVE, ENTER
from arena.competition.tournament_fields import EDITABLE

State = Tournament.State
Status = Entry.Status

STATES_BY_ACTION: dict[str, frozenset[str]] = {
    name: frozenset(action.states) for name, action in ACTIONS.items()
}
DECIDE_RESULTS = frozenset(name for name, action in ACTIONS.items() if action.decides_results)
"""Verbs refused to accounts that have or had an entry."""
LEAD_ONLY = frozenset(name for name, action in ACTIONS.items() if action.lead_only)
"""Verbs refused to co-organisers."""
LEAVABLE_STATES = (State.LOCKED, State.RUNNING, State.PAUSED)


def allowed_actions(
    tournament: Tournament, viewer: Viewer, *, has_room: bool = True, has_entry: bool | None = None
) -> list[str]:
    """Return the actions that the viewer may use now.

    ``has_room`` False: a service raised ``EntryLimitReached``. ``has_entry``: whether the viewer has or had
    an entry; None = unknown, which may cost a query. Costs the query of ``may_organise``.
    """
    verbs = {verb for verb, states in STATES_BY_ACTION.items() if tournament.state in states}
    if not has_room:
        verbs.discard(ENTER)
    if tournament.kind == Tournament.Kind.TRIAL:
        verbs.discard(ARCHIVE)
    if not may_organise(viewer, tournament):
        verbs &= {ENTER} if isinstance(viewer, User) else set()
    elif not is_lead_organiser(viewer, tournament):
        verbs -= LEAD_ONLY
    if verbs & DECIDE_RESULTS and has_interest(viewer, tournament, has_entry=has_entry):
        verbs -= DECIDE_RESULTS
    return [verb for verb in STATES_BY_ACTION if verb in verbs]


def editable_fields(tournament: Tournament, viewer: Viewer) -> list[str]:
    """Return the fields that the viewer may change now. At most the query of ``may_organise``."""
    if not may_organise(viewer, tournament):
        return []
    fields = list(EDITABLE.get(tournament.state, ()))
    return fields if is_lead_organiser(viewer, tournament) else [name for name in fields if name != FIELD]


def allowed_entry_actions(entry: Entry, viewer: Viewer, *, has_entry: bool | None = None) -> list[str]:
    """Return the actions that the viewer may use on an entry now. Queries as ``allowed_actions``."""
    if not isinstance(viewer, User):
        return []
    tournament = entry.tournament
    owners = entry.owners()
    is_owner = any(owner.user_id == viewer.pk for owner in owners)
    is_organiser = may_organise(viewer, tournament)
    verbs = []
    if tournament.state == State.OPEN:
        if entry.status == Status.PENDING and len(owners) > 1 and owners[1].user_id == viewer.pk:
            verbs += ["confirm", "decline"]
        if entry.status in Entry.ACTIVE:
            verbs += ["withdraw"] if is_owner or is_organiser else []
            verbs += ["seed"] if is_organiser else []
    elif (
        tournament.state in LEAVABLE_STATES
        and entry.status == Status.ENTERED
        # An entry that is removed forfeits, which decides results.
        and (is_owner or (is_organiser and not has_interest(viewer, tournament, has_entry=has_entry)))
    ):
        verbs.append("withdraw")
    return verbs
