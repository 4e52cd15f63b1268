"""Services for the states of a tournament, and the public names of the services of competition."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from arena.accounts.models import User
from arena.common.declarations import invalid_field
from arena.common.errors import Conflict
from arena.common.notes import Note, typed_note
from arena.common.texts import require_visible_characters
from arena.competition.drafts import tournament_create, tournament_update
from arena.competition.entries.house import house_bots_enter
from arena.competition.entries.invitations import invitation_add, invitation_remove, invited_notify_all
from arena.competition.entries.services import entry_confirm, entry_create, entry_decline, entry_seed
from arena.competition.entries.withdrawals import entries_void_at_lock, entries_warn, entry_withdraw
from arena.competition.labels import labels_forget
from arena.competition.models import Statement, Tournament
from arena.competition.selectors import require_organiser
from arena.competition.stage_entries import (
    entered_entries,
    field_refusal,
    seeding_order,
    stage_entries_fix,
)
from arena.competition.statements import locked_statement_publish, registered_statement_publish
from arena.competition.transitions import tournament_move, tournament_touch
from league.fairness import commitment

__all__ = [
    "entered_entries",
    "entries_warn",
    "entry_confirm",
    "entry_create",
    "entry_decline",
    "entry_seed",
    "entry_withdraw",
    "invitation_add",
    "invitation_remove",
    "labels_forget",
    "stage_entries_fix",
    "tournament_archive",
    "tournament_create",
    "tournament_lock",
    "tournament_move",
    "tournament_open",
    "tournament_pause",
    "tournament_resume",
    "tournament_start",
    "tournament_touch",
    "tournament_update",
]

State = Tournament.State


@transaction.atomic
def tournament_open(tournament: Tournament, actor: User | None) -> None:
    """Open entry: publish commitment and statement of the settings, notify invited players, enter house bots.

    Raises Conflict ``wrong_state``, ``house_bot_not_ready``, Invalid if ``closes_at`` has passed.
    """
    require_organiser(actor, tournament)
    if tournament.closes_at and tournament.closes_at <= timezone.now():
        raise invalid_field("closes_at", "Entry would end before it begins. Set a later closes_at.")
    tournament_move(
        tournament,
        State.DRAFT,
        State.OPEN,
        verb="open",
        actor=actor,
        on_move=lambda: registered_statement_publish(tournament),
        commitment=commitment(bytes(tournament.secret)),
    )
    invited_notify_all(tournament)
    house_bots_enter(tournament, actor)


@transaction.atomic
def tournament_lock(tournament: Tournament, actor: User | None) -> None:
    """Close entry, fix the field, and publish its digest and statement. All deals are then fixed.

    Unconfirmed pairs, and entries with versions that are not ready, are withdrawn. Raises Conflict
    ``wrong_state``, ``too_few_entries``, or ``field_unfit`` with remedies.
    """
    require_organiser(actor, tournament)
    # Change the state first, so that no entry is added between the count and the digest.
    tournament_move(
        tournament,
        State.OPEN,
        State.LOCKED,
        verb="lock",
        actor=actor,
        on_move=lambda: _field_fix(tournament),
    )


def _field_fix(tournament: Tournament) -> Statement:
    entries_void_at_lock(tournament)
    entries = entered_entries(tournament)
    if len(entries) < tournament.min_entries:
        raise Conflict(
            f"{len(entries)} entered; the tournament needs at least {tournament.min_entries}.",
            "too_few_entries",
            entries=len(entries),
            min_entries=tournament.min_entries,
        )
    refusal = field_refusal(tournament, len(entries))
    if refusal:
        raise Conflict(
            f"{len(entries)} entered, and {refusal}. Let others enter or withdraw some, "
            "or cancel it and make a draft that takes so many.",
            "field_unfit",
            entries=len(entries),
        )
    stage = tournament.stages.get(number=1)
    stage.tournament = tournament
    stage_entries_fix(stage, seeding_order(stage, entries))
    return locked_statement_publish(tournament, stage)


@transaction.atomic
def tournament_start(tournament: Tournament, actor: User | None) -> None:
    require_organiser(actor, tournament)
    tournament_move(tournament, State.LOCKED, State.RUNNING, verb="start", actor=actor)


@transaction.atomic
def tournament_pause(
    tournament: Tournament, actor: User | None, reason: str = "", *, note: Note | None = None
) -> None:
    """Start no further table; tables in play are finished."""
    require_organiser(actor, tournament)
    if actor is not None:
        require_visible_characters("reason", reason)
    tournament_move(
        tournament,
        State.RUNNING,
        State.PAUSED,
        verb="pause",
        actor=actor,
        state_note=note or typed_note(reason),
    )


@transaction.atomic
def tournament_resume(tournament: Tournament, actor: User | None) -> None:
    """Resume a paused tournament. Raises Conflict ``budget_spent`` while its budget is used up."""
    require_organiser(actor, tournament)
    tournament.refresh_from_db()
    budget, spent_ms = tournament.budget_cpu_s, tournament.cpu_ms_spent
    if tournament.state == State.PAUSED and budget is not None and spent_ms >= budget * 1000:
        raise Conflict(
            f"{tournament.name} has used {spent_ms // 1000} of its {budget} CPU-seconds; raise budget_cpu_s, "
            "or finish it with close_early.",
            "budget_spent",
            budget_cpu_s=budget,
            cpu_s_spent=spent_ms // 1000,
            allowed_fields=["budget_cpu_s"],
        )
    tournament_move(tournament, State.PAUSED, State.RUNNING, verb="resume", actor=actor, state_note={})


@transaction.atomic
def tournament_archive(tournament: Tournament, actor: User | None) -> None:
    require_organiser(actor, tournament)
    tournament_move(tournament, State.FINAL, State.ARCHIVED, verb="archive", actor=actor)
