"""What a tournament does next. Every step is visible here, idempotent and safe to race.

``tournament_advance`` runs after every finished table, after every verb that changes a state, and
from the tick, which repairs whatever was lost in between.
"""

from __future__ import annotations

import datetime
import logging

from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.competition.models import Tournament
from arena.competition.selectors import require_organiser
from arena.competition.services import (
    tournament_lock,
    tournament_move,
    tournament_start,
    tournament_touch,
)
from arena.jobs.publish import tables_publish
from arena.matches.leases import tables_due
from arena.matches.rounds import quarantined_void, round_close, round_open, stage_finish, tables_cancel
from arena.standings.audit import tournament_audit
from arena.standings.services import next_pairings, scores_build, standings_rebuild

log = logging.getLogger(__name__)
State = Tournament.State
CANCELLABLE = (State.DRAFT, State.REGISTRATION, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
LIVE = (State.REGISTRATION, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
PAUSE_DAYS = 30
AUDIT_DAYS = 7
STEPS_AT_MOST = 100


def tournament_advance(tournament: Tournament) -> None:
    """Do whatever is due, until nothing is. Another worker doing the same does no harm."""
    for _ in range(STEPS_AT_MOST):
        tournament.refresh_from_db()
        if not _step(tournament):
            return
    log.error("tournament %s: still not at rest after %d steps", tournament.public_id, STEPS_AT_MOST)


def _step(tournament: Tournament) -> bool:
    """One due step; whether there was one."""
    now = timezone.now()
    try:
        match tournament.state:
            case State.REGISTRATION if tournament.closes_at and tournament.closes_at <= now:
                return _lock_or_cancel(tournament)
            case State.LOCKED if tournament.starts_at and tournament.starts_at <= now:
                tournament_start(tournament, None)
                return True
            case State.RUNNING:
                return _play_on(tournament)
            case State.PAUSED if now - tournament.state_at > datetime.timedelta(days=PAUSE_DAYS):
                tournament_cancel(tournament, None, f"paused for {PAUSE_DAYS} days")
                return True
            case State.PROVISIONAL:
                return _publish(tournament)
    except (Conflict, IntegrityError) as conflict:
        # Somebody else took this step between our look and our move; look again.
        log.info("tournament %s: %s", tournament.public_id, conflict)
        tournament.refresh_from_db()
        return False
    return False


def _lock_or_cancel(tournament: Tournament) -> bool:
    try:
        tournament_lock(tournament, None)
    except Conflict as conflict:
        if conflict.code != "too_few_entries":
            raise
        tournament.refresh_from_db()
        tournament_cancel(tournament, None, conflict.message)
    return True


def _play_on(tournament: Tournament) -> bool:
    """Close what is done, open what is due; False while tables are still being played."""
    quarantined_void(tournament)
    stage = tournament.stages.exclude(state="done").order_by("number").first()
    if stage is None:
        tournament_move(tournament, State.RUNNING, State.PROVISIONAL, verb="finish", actor=None)
        return True
    current = stage.rounds.exclude(state="closed").order_by("number").first()
    if current is not None:
        # Closed and scored in one transaction: whoever finds it closed may rely on its scores, and a
        # worker killed in between leaves it open.
        with transaction.atomic():
            is_closed = round_close(current)
            if is_closed:
                for fixture in current.board_set.fixtures.all():
                    scores_build(fixture)
                standings_rebuild(stage)
        if not is_closed:
            tables_publish(tables_due(tournament))
            return False
        tournament_touch(tournament)
        return True
    # Counted before the pairings are drawn: if another worker opens a round meanwhile, ours is refused
    # as a second one of this number, and not opened after it with the wrong pairings.
    number = stage.rounds.count() + 1
    pairings = next_pairings(stage)
    if pairings is None:
        if stage.rounds.exclude(state="closed").exists():
            return True  # another worker has just opened the last one
        standings_rebuild(stage)
        stage_finish(stage)
        return True
    round_open(stage, number, pairings)
    tournament_touch(tournament)
    return True


def _publish(tournament: Tournament) -> bool:
    """Audit a played tournament: final if every figure can be derived again, else wait for people."""
    disagreements = tournament_audit(tournament)
    if not disagreements:
        tournament_move(
            tournament,
            State.PROVISIONAL,
            State.FINAL,
            verb="finalise",
            actor=None,
            revealed_at=timezone.now(),
            state_reason="",
        )
        return False
    reason = f"the audit found {len(disagreements)} disagreements, the first: {disagreements[0]}"
    log.error("tournament %s: %s", tournament.public_id, "; ".join(disagreements))
    if timezone.now() - tournament.state_at > datetime.timedelta(days=AUDIT_DAYS):
        tournament_cancel(tournament, None, reason)
        return True
    Tournament.objects.filter(pk=tournament.pk).exclude(state_reason=reason[:300]).update(
        state_reason=reason[:300]
    )
    return False


def tournament_finalise(tournament: Tournament, actor: User) -> None:
    """Run the audit of a provisional tournament now instead of at the next tick.

    Raises:
        Conflict: ``wrong_state``, or ``audit_failed`` with the disagreements.
    """
    require_organiser(actor, tournament)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    if tournament.state == State.PROVISIONAL:
        raise Conflict(
            f"The audit does not pass: {tournament.state_reason}.",
            "audit_failed",
            disagreements=tournament_audit(tournament),
        )
    if tournament.state not in (State.FINAL, State.ARCHIVED):
        raise Conflict(
            f"Cannot finalise this tournament: it is {tournament.state}; its rounds must be played first.",
            "wrong_state",
            state=tournament.state,
            allowed_states=[State.PROVISIONAL],
        )


@transaction.atomic
def tournament_cancel(tournament: Tournament, actor: User | None, reason: str = "") -> None:
    """End a tournament early: open tables and fixtures become void, its boards unsealed, its secret shown.

    Raises:
        Conflict: ``wrong_state``.
    """
    require_organiser(actor, tournament)
    tournament_move(
        tournament,
        CANCELLABLE,
        State.CANCELLED,
        verb="cancel",
        actor=actor,
        state_reason=reason[:300],
        revealed_at=timezone.now(),
    )
    tables_cancel(tournament, reason or "the tournament was cancelled")


def tournament_close_early(tournament: Tournament, actor: User, reason: str = "") -> None:
    """End a running or paused tournament with the rounds closed by now: its stages end and it is audited.

    Raises:
        Forbidden: not its organiser.
        Conflict: ``wrong_state``, ``fixtures_open`` with how many, ``nothing_played``.
    """
    raise NotImplementedError
