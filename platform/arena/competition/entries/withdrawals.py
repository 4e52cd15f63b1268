"""How entries end: withdrawn before the field is fixed, void at the lock, or left after it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Forbidden
from arena.common.notes import Note, note_in_english, reason_clause, time_clause, typed_note
from arena.common.states import state_change
from arena.common.texts import require_visible_characters
from arena.competition.entries.admission import require_state
from arena.competition.impartiality import require_impartial
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.organisers import is_named_organiser
from arena.competition.selectors import may_organise
from arena.roster.models import BotVersion

State = Tournament.State
Status = Entry.Status
LEAVABLE_STATES = (State.LOCKED, State.RUNNING, State.PAUSED)
"""States in which an entry can leave although the field is fixed."""


@transaction.atomic
def entry_withdraw(
    entry: Entry, actor: User | None, reason: str | Note = "", *, may_leave: bool = True
) -> None:
    """Withdraw an entry before the lock, or let it leave after the lock. Owners and organisers may.

    An entry that left plays no later round. Without ``may_leave`` the call fails after the lock. Raises
    Forbidden, also ``conflict_of_interest`` if an account with an entry removes another after the lock;
    Conflict ``wrong_state``, ``already_withdrawn``, ``field_fixed`` without ``may_leave``.
    """
    tournament = entry.tournament
    owners = entry.owners()
    is_owner = actor is not None and any(owner.user_id == actor.pk for owner in owners)
    if not is_owner and actor is not None and not may_organise(actor, tournament):
        raise Forbidden(
            "Only the owners of an entry, the organiser of its tournament and staff can withdraw it.",
            "not_organiser",
        )
    require_state(tournament, "withdraw from", [State.OPEN, *LEAVABLE_STATES])
    if not is_owner and tournament.state in LEAVABLE_STATES:
        require_impartial(actor, tournament)
    if isinstance(reason, str) and actor is not None:
        require_visible_characters("reason", reason)
    note = typed_note(reason.strip()) if isinstance(reason, str) else reason
    entry.refresh_from_db(fields=["status"])
    is_open = tournament.state == State.OPEN
    if not is_open and not may_leave and entry.status == Status.ENTERED:
        raise Conflict(
            f"The field of {tournament.name} is fixed: {entry.bot_name} would leave for good, and forfeit "
            "what it has not finished.",
            "field_fixed",
            state=tournament.state,
        )
    before = entry.status
    changes: dict[str, object] = {"status_at": timezone.now(), "status_note": note}
    if is_open:
        to, verb, allowed = Status.WITHDRAWN, "withdraw", list(Entry.ACTIVE)
    else:
        to, verb, allowed = Status.LEFT, "leave", [Status.ENTERED]
        changes["left_stage"], changes["left_round"] = _current_stage_and_round(tournament)
    if not state_change(entry, "status", allowed, to, **changes):
        raise Conflict(
            f"This entry is {entry.get_status_display()} already.",
            "already_withdrawn",
            status=entry.status,
            allowed_statuses=allowed,
        )
    audit(
        actor,
        verb,
        entry,
        {"status": before},
        status=to,
        tournament=tournament.public_id,
        reason=note_in_english(note),
    )
    _exit_publish(entry, before, "entry.withdrawn" if to == Status.WITHDRAWN else "entry.left")
    by = _actor_note(entry, actor)
    code = "entry_withdrawn" if to == Status.WITHDRAWN else "entry_taken_out" if by else "entry_gone"
    _owners_notify(entry, {"code": code, "by": by, "because": reason_clause(note)}, actor)


def _actor_note(entry: Entry, actor: User | None) -> Note:
    if actor is None:
        return {}
    for owner in entry.owners():
        if owner.user_id == actor.pk:
            return {"code": "by_player", "player": str(owner)}
    return {"code": "by_organiser" if is_named_organiser(actor.pk, entry.tournament) else "by_staff"}


def _current_stage_and_round(tournament: Tournament) -> tuple[int, int]:
    """Number of the stage being played or played next, and of its last opened round (0 = none)."""
    stages = tournament.stages.order_by("number")
    stage = stages.exclude(state=Stage.State.DONE).first() or stages.reverse()[0]
    opened = Round.objects.filter(stage=stage).order_by("-number").first()
    return stage.number, opened.number if opened else 0


def entries_void_at_lock(tournament: Tournament) -> None:
    """Withdraw unconfirmed pairs and entries that are not ready, in the transaction of the lock."""
    rows = tournament.entries.filter(status__in=Entry.ACTIVE).select_related(
        "player__user", "version__bot__owner__user", "partner_version__bot__owner__user"
    )
    for entry in rows.order_by("id"):
        note: Note = {}
        if entry.status == Status.PENDING:
            note = {"code": "not_confirmed"}
        for version in entry.versions():
            if not note and version.state != BotVersion.State.READY:
                note = {"code": f"{version.state}_at_lock", "number": version.number}
        if not note:
            continue
        reason = note_in_english(note)
        before = entry.status
        state_change(
            entry,
            "status",
            before,
            Status.WITHDRAWN,
            status_at=timezone.now(),
            status_note=note,
        )
        audit(None, "withdraw", entry, {"status": before}, status=entry.status, reason=reason)
        _exit_publish(entry, before, "entry.withdrawn")
        _owners_notify(entry, {"code": "entry_void", "why": note}, None)


def entries_warn(version: BotVersion) -> int:
    """Warn owners of entries in open tournaments that a version is not ready; return how many entries."""
    tournaments = Tournament.objects.filter(state=State.OPEN)
    entries = (
        Entry.objects.filter(
            Q(version=version) | Q(partner_version=version),
            tournament__in=tournaments,
            status__in=Entry.ACTIVE,
        )
        .select_related(
            "tournament", "player__user", "version__bot__owner__user", "partner_version__bot__owner__user"
        )
        .order_by("id")
    )
    for entry in entries:
        tournament = entry.tournament
        note = {
            "code": f"entry_of_{version.state}",
            "version": str(version),
            "bots": entry.bot_name,
            "tournament": tournament.name,
            "when": time_clause("at_time", tournament.closes_at),
        }
        for owner in entry.owners():
            notice_create(owner.user, Notice.Kind.ENTRY_STANDS, note, tournament.page)
    return len(entries)


def _exit_publish(entry: Entry, before: str, kind: str) -> None:
    tournament = entry.tournament.public_id
    readers: list[User | None] = [None]
    if before == Status.PENDING:
        readers = [owner.user for owner in entry.owners()]
    for user in readers:
        event_add(
            kind,
            entry,
            tournament=tournament,
            user=user,
            bots=entry.bot_name,
            reason=note_in_english(entry.status_note),
        )


def _owners_notify(entry: Entry, message: Note, exclude: User | None) -> None:
    note = {**message, "bots": entry.bot_name, "tournament": entry.tournament.name}
    for owner in entry.owners():
        if owner.user != exclude:
            notice_create(owner.user, Notice.Kind.ENTRY_ENDED, note, entry.tournament.page)
