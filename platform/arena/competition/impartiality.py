"""Conflicts of interest: an account with an entry in a tournament does not decide its results."""

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
"""Acts that change results and stay possible for organisers and staff with an entry; they are published."""


def entry_interest_filter(user: User) -> Q:
    """Entries an account has or had: its own, whatever became of them, and pairs it agreed to.

    A pair that somebody else proposed does not count until the partner's owner has agreed.
    """
    agreed = AuditEvent.objects.filter(kind="entry", verb="confirm", actor=user).values("object_id")
    partners = Q(partner_version__bot__owner__user=user)
    return Q(player__user=user) | (
        partners & (Q(status__in=(Status.ENTERED, Status.LEFT)) | Q(public_id__in=agreed))
    )


def has_entry_subquery(user: User) -> Exists:
    """Whether the account has or had an entry in the tournament of each row."""
    return Exists(Entry.objects.filter(entry_interest_filter(user), tournament=OuterRef("pk")))


def has_interest(viewer: Viewer, tournament: Tournament, *, has_entry: bool | None = None) -> bool:
    """Whether the viewer has or had an entry in a tournament, or made it as a challenge.

    One query, unless ``has_entry`` is known (``has_entry_subquery``).
    """
    if not isinstance(viewer, User):
        return False
    if tournament.kind == Tournament.Kind.CHALLENGE and tournament.organiser_id == viewer.pk:
        return True
    if has_entry is None:
        return tournament.entries.filter(entry_interest_filter(viewer)).exists()
    return has_entry


def impartial_organisers(tournament: Tournament) -> list[User]:
    """The organisers of a tournament who may decide its results, by name. One query each, and one."""
    named = [tournament.organiser, *tournament.co_organisers.order_by("username")]
    active = [user for user in named if user.is_active and (user.is_organiser or user.is_staff)]
    return [user for user in active if not has_interest(user, tournament)]


def impartial_text(organisers: list[User]) -> str:
    """Who may decide, in words.

    >>> impartial_text([])
    'Staff without an entry can do it, or another organiser, once named for the event.'
    """
    if not organisers:
        return "Staff without an entry can do it, or another organiser, once named for the event."
    names = ", ".join(user.username for user in organisers)
    return f"Organisers without an entry can do it ({names}), and so can staff without one."


def conflict_text(viewer: Viewer, tournament: Tournament) -> str:
    """Why the viewer cannot decide the results of a tournament and who can; empty without an entry."""
    if not has_interest(viewer, tournament):
        return ""
    return (
        f"You have or had an entry in {tournament.name}, or made it as a challenge, so you cannot decide its "
        f"results. {impartial_text(impartial_organisers(tournament))}"
    )


def require_impartial(actor: User | None, tournament: Tournament) -> None:
    """Refuse an account that has or had an entry; None stands for the system itself.

    Raises:
        Forbidden: ``conflict_of_interest``, with the organisers who may decide (``organisers``).
    """
    if actor is None or not (text := conflict_text(actor, tournament)):
        return
    organisers = [user.username for user in impartial_organisers(tournament)]
    raise Forbidden(text, "conflict_of_interest", organisers=organisers)


def entrant_act_record(actor: User | None, tournament: Tournament, verb: str) -> dict[str, Any]:
    """Count an act of an account that has or had an entry; what the audit log adds to its line.

    Inside a transaction that changes the tournament's revision.
    """
    if actor is None or tournament.kind != Tournament.Kind.EVENT or not has_interest(actor, tournament):
        return {}
    locked = Tournament.objects.select_for_update(of=("self",), no_key=True).get(pk=tournament.pk)
    acts = {act["verb"]: act for act in locked.entrant_acts}
    count = acts[verb]["count"] + 1 if verb in acts else 1
    acts[verb] = {"verb": verb, "count": count, "at": timezone.now().isoformat(timespec="seconds")}
    tournament.entrant_acts = sorted(acts.values(), key=lambda act: str(act["at"]))
    Tournament.objects.filter(pk=tournament.pk).update(entrant_acts=tournament.entrant_acts)
    return {"by_entrant": True}
