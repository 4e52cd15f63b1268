"""State transitions of a tournament: audited, published to watchers, with notices to entrants and organisers.

Lock order, against deadlocks: the tournament, then its stages, rounds, fixtures and tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.notes import Note, note_in_english, reason_clause
from arena.common.states import state_change_or_conflict
from arena.competition.commitments import commitment_reveal
from arena.competition.models import Entry, Statement, Tournament

State = Tournament.State
EVENT_KINDS = {
    State.OPEN: "tournament.opened",
    State.LOCKED: "tournament.locked",
    State.RUNNING: "tournament.started",
    State.PAUSED: "tournament.paused",
    State.PROVISIONAL: "tournament.provisional",
    State.FINAL: "tournament.final",
    State.ARCHIVED: "tournament.archived",
    State.CANCELLED: "tournament.cancelled",
}
"""Kind of event by new state; a return to running is ``tournament.resumed``."""
PARTICIPATING_STATUSES = (Entry.Status.PENDING, Entry.Status.ENTERED, Entry.Status.LEFT)


def tournament_touch(tournament: Tournament) -> None:
    """Increase the revision, so that spectators reload."""
    Tournament.objects.filter(pk=tournament.pk).update(revision=F("revision") + 1)


def tournament_row_lock(**which: object) -> None:
    """Lock a tournament's row until the transaction ends, before a change of its tables and then of the row.

    ``which`` is a filter, such as ``tables=pk``. With the opposite order of locks, PostgreSQL would abort.
    One query.
    """
    rows = Tournament.objects.select_for_update(of=("self",), no_key=True).filter(**which)
    list(rows.values_list("pk"))


@transaction.atomic
def tournament_move(
    tournament: Tournament,
    from_: str | Sequence[str],
    to: str,
    *,
    verb: str,
    actor: User | None,
    on_move: Callable[[], Statement | None] | None = None,
    audited: Mapping[str, Any] | None = None,
    **changes: Any,
) -> None:
    """Move a tournament to its next state, with an audit entry and an event for watchers.

    ``on_move`` runs before the event is published and may return the statement that the move publishes.
    ``audited`` is added to the audit entry. Entrants are notified of the end, organisers of a pause or
    cancellation by the system. Raises Conflict ``wrong_state``.
    """
    before = tournament.state
    state_change_or_conflict(
        tournament, from_, to, verb=verb, state_at=timezone.now(), revision=F("revision") + 1, **changes
    )
    note = changes.get("state_note", {})
    reason = note_in_english(note)
    audit(actor, verb, tournament, {"state": before}, state=to, reason=reason, **(audited or {}))
    if "revealed_at" in changes:
        commitment_reveal(tournament, _public_note(tournament, actor, note) if to != State.FINAL else {})
    statement = on_move() if on_move else None
    bound: dict[str, Any] = {"statement": statement.digest} if statement else {}
    kind = "tournament.resumed" if to == State.RUNNING and before != State.LOCKED else EVENT_KINDS[State(to)]
    event_add(
        kind,
        tournament,
        tournament=tournament.public_id,
        state=to,
        reason=reason,
        name=tournament.name,
        **bound,
    )
    details = {"tournament": tournament.name, "because": reason_clause(note)}
    if tournament.kind in Tournament.BACKGROUND:
        return  # the ladder or experiment sends its own notices
    if tournament.kind == Tournament.Kind.CHALLENGE:
        # Owners of the other bots did not request it: their lists and fault pages are enough.
        if to == State.FINAL:
            organiser_notify(tournament, {"code": "challenge_played", "tournament": tournament.name})
    elif tournament.kind == Tournament.Kind.TRIAL:
        pass  # all entrants are house bots
    elif to == State.CANCELLED:
        entrants_notify(tournament, {"code": "tournament_cancelled", **details}, exclude=actor)
    elif to == State.FINAL:
        entrants_notify(tournament, {"code": "tournament_final", "tournament": tournament.name})
    if actor is None and to in (State.CANCELLED, State.PAUSED):
        organiser_notify(tournament, {"code": f"system_{to}", **details})


def _public_note(tournament: Tournament, actor: User | None, note: Note) -> Note:
    """Return the public reason for a cancellation; text by a person is omitted if the event is private."""
    is_public = tournament.visibility == Tournament.Visibility.PUBLIC
    code = "cancelled_by_system" if actor is None else "cancelled_by_organiser"
    return {"code": code, "because": reason_clause(note) if is_public or actor is None else {}}


def entrants_of(tournament: Tournament) -> list[User]:
    entries = tournament.entries.filter(status__in=PARTICIPATING_STATUSES)
    users = User.objects.filter(pk__in=entries.values("player__user"))
    partners = User.objects.filter(pk__in=entries.values("partner_version__bot__owner__user"))
    return list(dict.fromkeys([*users.order_by("pk"), *partners.order_by("pk")]))


def entrants_notify(tournament: Tournament, note: Note, exclude: User | None = None) -> None:
    Notice.objects.bulk_create(
        Notice(user=user, kind=Notice.Kind.TOURNAMENT, note=note, url_path=tournament.page)
        for user in entrants_of(tournament)
        if user != exclude
    )


def organiser_notify(tournament: Tournament, note: Note) -> None:
    """Notify the organisers, except for kinds that the system runs."""
    if tournament.kind in Tournament.BACKGROUND:
        return
    for user in (tournament.organiser, *tournament.co_organisers.order_by("pk")):
        notice_create(user, Notice.Kind.TOURNAMENT, note, tournament.page)
