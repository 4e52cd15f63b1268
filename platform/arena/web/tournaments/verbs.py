"""Actions that pages offer for a tournament."""

from __future__ import annotations

from arena.accounts.models import User
from arena.common.declarations import ActionSpec
from arena.competition.entries.counts import entry_statuses
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import Viewer
from arena.competition.tournament_actions import STATE_ACTIONS, Counts
from arena.matches.fixture_selectors import table_counts
from arena.matches.models import Table

Status = Entry.Status


def action_counts(event: Tournament) -> Counts:
    """Count entries and tables. Two queries."""
    entries = entry_statuses(event)
    tables = table_counts(event)
    return Counts(
        entered=entries.get(Status.ENTERED, 0),
        pending=entries.get(Status.PENDING, 0),
        playing=tables.get(Table.State.LEASED, 0),
        waiting=tables.get(Table.State.WAITING, 0),
        held_back=tables.get(Table.State.QUARANTINED, 0),
        finished=tables.get(Table.State.FINISHED, 0),
    )


def reason_requirement(action: ActionSpec, event: Tournament, counts: Counts) -> str:
    """Return ``needed``, ``asked``, or empty if the action takes no reason."""
    has_entrants = event.kind != Tournament.Kind.TRIAL and counts.entered + counts.pending
    if action.needs_reason_with_entries and has_entrants:
        return "needed"
    return "asked" if action.takes_reason else ""


def offered_actions(event: Tournament, viewer: Viewer) -> list[ActionSpec]:
    """Return the actions that the tournament's state allows the viewer. No query."""
    allowed = allowed_actions(event, viewer)
    return [action for name, action in STATE_ACTIONS.items() if name in allowed]


def visible_actions(event: Tournament, viewer: Viewer) -> list[ActionSpec]:
    """Return the actions whose pages the viewer may open; not for creators of challenges. No query."""
    is_organiser = isinstance(viewer, User) and (viewer.is_organiser or viewer.is_staff)
    return offered_actions(event, viewer) if is_organiser else []


def confirmation_key(action: ActionSpec, event: Tournament, counts: Counts) -> str:
    """Return what a confirmation depends on: the state, and the numbers of entries if they matter."""
    if not action.depends_on_entries:
        return event.state
    return f"{event.state}.{counts.entered}.{counts.pending}"
