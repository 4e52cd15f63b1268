"""Conflicts of interest: an account with an entry in a tournament may not decide its results."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from arena.accounts.models import AuditEvent, User
from arena.accounts.selectors import Viewer
from arena.common.errors import Forbidden
from arena.competition.models import Entry, Tournament

Status = Entry.Status
ENTRANT_ACTS = ("retry", "retry_tables", "close_early", "finalise", "cancel")
"""Published actions that change results but stay possible for organisers and staff with an entry."""


def entry_interest_filter(user: User) -> Q:
    """Filter for entries that the account has or had: own ones in any status, and pairs that it confirmed."""
    agreed = AuditEvent.objects.filter(kind="entry", action="confirm", actor=user).values("object_id")
    partners = Q(partner_version__bot__owner__user=user)
    return Q(player__user=user) | (
        partners & (Q(status__in=(Status.ENTERED, Status.LEFT)) | Q(public_id__in=agreed))
    )


def has_entry_subquery(user: User) -> Exists:
    return Exists(Entry.objects.filter(entry_interest_filter(user), tournament=OuterRef("pk")))


def has_interest(viewer: Viewer, tournament: Tournament, *, has_entry: bool | None = None) -> bool:
    """Return whether the viewer has or had an entry, or created the challenge. One query, unless known."""
    if not isinstance(viewer, User):
        return False
    if tournament.kind == Tournament.Kind.CHALLENGE and tournament.organiser_id == viewer.pk:
        return True
    if has_entry is None:
        return tournament.entries.filter(entry_interest_filter(viewer)).exists()
    return has_entry


def impartial_organisers(tournament: Tournament) -> list[User]:
    """Return the active organisers without an entry, by name. One query, and one per organiser."""
    named = [tournament.organiser, *tournament.co_organisers.order_by("username")]
    active = [user for user in named if user.is_active and (user.is_organiser or user.is_staff)]
    return [user for user in active if not has_interest(user, tournament)]


def impartial_text(organisers: list[User]) -> str:
    if not organisers:
        return "Staff without an entry can decide, or another organiser that you add to the tournament."
    names = ", ".join(user.username for user in organisers)
    return f"Organisers without an entry can decide ({names}), and so can staff without one."


def conflict_text(viewer: Viewer, tournament: Tournament) -> str:
    """Explain why the viewer cannot decide results and who can; empty if there is no conflict."""
    if not has_interest(viewer, tournament):
        return ""
    return (
        f"You cannot decide results of {tournament.name}, because you have or had an entry in it or started "
        f"it as a challenge. {impartial_text(impartial_organisers(tournament))}"
    )


def require_impartial(actor: User | None, tournament: Tournament) -> None:
    """Raise Forbidden ``conflict_of_interest`` for an account that has or had an entry."""
    if actor is None or not (text := conflict_text(actor, tournament)):
        return
    organisers = [user.username for user in impartial_organisers(tournament)]
    raise Forbidden(text, "conflict_of_interest", organisers=organisers)


def entrant_act_record(actor: User | None, tournament: Tournament, action: str) -> dict[str, Any]:
    """Count an action of an account with an entry, and return extra values for the audit trail.

    Call it inside a transaction that changes the tournament's revision.
    """
    if actor is None or tournament.kind != Tournament.Kind.TOURNAMENT or not has_interest(actor, tournament):
        return {}
    locked = Tournament.objects.select_for_update(of=("self",), no_key=True).get(pk=tournament.pk)
    acts = {act["action"]: act for act in locked.entrant_actions}
    count = acts[action]["count"] + 1 if action in acts else 1
    acts[action] = {"action": action, "count": count, "last_at": timezone.now().isoformat(timespec="seconds")}
    tournament.entrant_actions = sorted(acts.values(), key=lambda act: str(act["last_at"]))
    Tournament.objects.filter(pk=tournament.pk).update(entrant_actions=tournament.entrant_actions)
    return {"by_entrant": True}
