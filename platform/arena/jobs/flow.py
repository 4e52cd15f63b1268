"""Next steps of a tournament, all idempotent and safe under concurrency.

Run after the last table of a round, after every action that changes a state, and in the tick.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable
from typing import Any

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import User, audit
from arena.common.causes import MACHINE_CAUSES
from arena.common.errors import ArenaError, Conflict
from arena.common.features import DueTournament
from arena.common.maintenance import maintenance_read
from arena.common.notes import Note, closed_early_note, refusal_note, typed_note
from arena.common.states import wrong_state
from arena.common.texts import require_visible_characters
from arena.competition.impartiality import entrant_act_record
from arena.competition.models import Round, Stage, Statement, Tournament
from arena.competition.organisers import require_lead_organiser
from arena.competition.problem_reports import require_no_open_report
from arena.competition.reviews import is_in_review, review_columns, review_end
from arena.competition.selectors import ENDED_STATES, require_organiser
from arena.competition.services import (
    tournament_lock,
    tournament_move,
    tournament_start,
    tournament_touch,
)
from arena.competition.transitions import entrants_of, tournament_row_lock
from arena.jobs.early_ends import (
    budget_is_spent,
    budget_pause,
    event_end_open_work,
    final_standings_recompute,
    stage_close_early,
)
from arena.jobs.publish import AUDIT_TASK_S, audit_publish, tables_offer
from arena.jobs.scoring import scores_recompute
from arena.matches.adjudication import departed_entries_forfeit, require_reason
from arena.matches.models import Fixture, Table
from arena.matches.results import fixtures_settle
from arena.matches.rounds import quarantined_fixtures_void, round_close, round_open, stage_finish
from arena.matches.totals import totals_update, totals_update_regularly
from arena.mounts import FEATURES
from arena.standings.audit import tournament_audit
from arena.standings.endings import ended_statement_publish
from arena.standings.services import next_pairings, round_scores_build, standings_rebuild
from arena.tables.machine_faults import cause_of

log = logging.getLogger(__name__)
State = Tournament.State
CANCELLABLE = (State.DRAFT, State.OPEN, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
LIVE = (State.OPEN, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
PAUSE_DAYS = 30
AUDIT_DAYS = 7
"""Days after the review in which an audit has to pass."""
IDLE_DAYS = 90
"""Days that an organiser may leave an open event without an end, or a field without a start."""
AUDIT_AGAIN_S = 600
"""Seconds until a failed audit is repeated, unless the event changes before."""
AUDIT_LEASE_S = 120
"""Seconds until an audit that stops without a result is repeated, as after the death of its process."""
AUDIT_TABLES = 500
"""Maximum tables audited inline; larger audits run in a task of their own."""
STEPS_AT_MOST = 100


def tournament_advance(tournament: Tournament, *, offers: bool = True) -> None:
    """Run all steps that are due, then notify workers unless ``offers`` is false.

    Safe to run concurrently.
    """
    totals_update(tournament)
    for _ in range(STEPS_AT_MOST):
        tournament.refresh_from_db()
        if not _step(tournament):
            break
    else:
        log.error("tournament %s: still not at rest after %d steps", tournament.public_id, STEPS_AT_MOST)
    if tournament.state == State.RUNNING:
        if offers:
            tables_offer()
    elif tournament.state in ENDED_STATES:
        for feature in FEATURES:
            dues_apply(feature.tournament_ended(tournament))


def dues_apply(dues: Iterable[DueTournament]) -> int:
    count = 0
    for due in dues:
        count += 1
        if due.cancelled is not None:
            tournament_cancel(due.tournament, None, note=due.cancelled)
        else:
            tournament_advance(due.tournament)
    return count


def table_done(tournament_public_id: str) -> None:
    """Offer another table in place of a finished one; after the last of a round, advance its tournament.

    In maintenance mode, the first tick after it does both.
    """
    # First, for what follows a round may take a while.
    tables_offer()
    totals_update_regularly(tournament_public_id)
    if maintenance_read() is not None:
        return
    open_fixtures = Fixture.objects.filter(
        tournament__public_id=tournament_public_id, state=Fixture.State.OPEN
    )
    if not open_fixtures.order_by().exists():
        tournament_advance(Tournament.objects.get(public_id=tournament_public_id))


def _step(tournament: Tournament) -> bool:
    """Run one due step; return False if none was due."""
    now = timezone.now()
    waited = now - tournament.state_at
    try:
        match tournament.state:
            case State.OPEN if tournament.closes_at and tournament.closes_at <= now:
                return _lock_or_cancel(tournament)
            case State.LOCKED if tournament.starts_at and tournament.starts_at <= now:
                tournament_start(tournament, None)
                return True
            case State.OPEN | State.LOCKED if waited > datetime.timedelta(days=IDLE_DAYS):
                return _end_abandoned(tournament, now)
            case State.RUNNING:
                return _advance_round(tournament)
            case State.PAUSED if waited > datetime.timedelta(days=PAUSE_DAYS):
                tournament_cancel(tournament, None, note={"code": "left_paused", "days": PAUSE_DAYS})
                return True
            case State.PAUSED:
                # No round is opened, but entries that left forfeit their open fixtures.
                departed_entries_forfeit(tournament)
            case State.PROVISIONAL:
                return _publish(tournament)
    except (Conflict, IntegrityError) as conflict:
        # Another process took this step since the read: read again.
        log.info("tournament %s: %s", tournament.public_id, conflict)
        tournament.refresh_from_db()
        return False
    return False


def _lock_or_cancel(tournament: Tournament) -> bool:
    """Close entry at its deadline; cancel the event with a reason if its field cannot be played."""
    try:
        tournament_lock(tournament, None)
    except ArenaError as refused:
        if refused.code == "wrong_state":
            raise
        tournament.refresh_from_db()
        tournament_cancel(tournament, None, note=refusal_note(refused))
    return True


def _end_abandoned(tournament: Tournament, now: datetime.datetime) -> bool:
    """End an event without activity of its organiser, unless a time is set for its next step."""
    planned = tournament.closes_at if tournament.state == State.OPEN else tournament.starts_at
    if planned and planned > now:
        return False
    tournament_cancel(tournament, None, note={"code": f"left_{tournament.state}", "days": IDLE_DAYS})
    return True


def _advance_round(tournament: Tournament) -> bool:
    """Close finished rounds and open the next; return False while tables are in play."""
    departed_entries_forfeit(tournament)
    quarantined_fixtures_void(tournament)
    fixtures_settle(tournament)
    if Fixture.objects.filter(tournament=tournament, state=Fixture.State.OPEN).exists():
        return False
    current = Round.objects.filter(stage__tournament=tournament).exclude(state=Round.State.CLOSED).first()
    if current is not None:
        return _round_close(tournament, current)
    if scores_recompute(tournament):
        return True
    stage = tournament.stages.exclude(state=Stage.State.DONE).order_by("number").first()
    if stage is None:
        tournament_move(
            tournament,
            State.RUNNING,
            State.PROVISIONAL,
            verb="finish",
            actor=None,
            state_note={},
            **review_columns(tournament),
        )
        return True
    return _round_open(tournament, stage)


def _round_close(tournament: Tournament, current: Round) -> bool:
    # Closed and scored in one transaction: a closed round always has its scores, and a
    # worker killed in between leaves it open.
    with transaction.atomic():
        tournament_row_lock(pk=tournament.pk)
        totals_update(tournament)
        if not round_close(current):
            return False
        round_scores_build(current)
        standings_rebuild(current.stage)
        standings_notify(current.stage)
        tournament_touch(tournament)
        for feature in FEATURES:
            feature.round_closed(tournament)
    return True


def standings_notify(stage: Stage) -> None:
    tournament = stage.tournament
    event_add("standings.updated", tournament, tournament=tournament.public_id, stage=stage.number)


def _round_open(tournament: Tournament, stage: Stage) -> bool:
    """Open the next round of the stage, or end the stage; pause the tournament if its budget is spent."""
    # Counted before the pairings are drawn: if another worker opens a round meanwhile, ours is refused
    # as a second one of this number, and not opened after it with the wrong pairings.
    number = stage.rounds.count() + 1
    revision = tournament.revision
    pairings = next_pairings(stage)
    if pairings is None:
        if stage.rounds.exclude(state=Round.State.CLOSED).exists():
            return True  # another worker has just opened the last one
        _stage_end(tournament, stage, revision)
        return True
    if budget_is_spent(tournament):
        budget_pause(tournament)
        return True
    with transaction.atomic():
        if _is_unchanged(tournament, revision):
            round_open(stage, number, pairings)
            tournament_touch(tournament)
    return True


def _is_unchanged(tournament: Tournament, revision: int) -> bool:
    """Lock the tournament's row; return whether no result changed since the pairings were drawn."""
    tournament_row_lock(pk=tournament.pk)
    return Tournament.objects.filter(pk=tournament.pk, revision=revision).exists()


@transaction.atomic
def _stage_end(tournament: Tournament, stage: Stage, revision: int) -> None:
    if _is_unchanged(tournament, revision) and stage_finish(stage):
        standings_rebuild(stage)
        standings_notify(stage)
        tournament_touch(tournament)


def _publish(tournament: Tournament, *, at_once: bool = False, actor: User | None = None) -> bool:
    """Audit a played tournament at the start of its review and at its end; the second makes it final.

    An ``actor`` ends the review now. Return whether another step may be due.
    """
    in_review = is_in_review(tournament) and actor is None
    if in_review and tournament.audit_disagreements == 0:
        return False
    # An audit replays every record: not every ten seconds, and not by two processes at once.
    key = audit_key(tournament)
    is_long = audit_is_long(tournament)
    is_due = cache.add(key, True, AUDIT_TASK_S if is_long else AUDIT_LEASE_S)
    if not at_once and (is_long or not is_due):
        if is_long and is_due:
            audit_publish(tournament, lambda: cache.delete(key))
        return False
    cache.set(key, True, AUDIT_LEASE_S)
    try:
        disagreements = tournament_audit(tournament, on_record=lambda: cache.touch(key, AUDIT_LEASE_S))
    except Exception as error:
        # After a fault of the machine, the next tick repeats it.
        cache.set(key, True, 0 if cause_of(error) in MACHINE_CAUSES else AUDIT_AGAIN_S)
        raise
    if disagreements:
        cache.set(key, True, AUDIT_AGAIN_S)
        return _audit_failed(tournament, disagreements)
    return _audit_passed(tournament, actor, in_review=in_review)


def _audit_failed(tournament: Tournament, disagreements: list[str]) -> bool:
    note = {"code": "audit_found", "count": len(disagreements), "why": disagreements[0][:300]}
    log.error("tournament %s: %s", tournament.public_id, "; ".join(disagreements))
    if timezone.now() > audit_deadline(tournament):
        tournament_cancel(tournament, None, note=note)
        return True
    Tournament.objects.filter(pk=tournament.pk, state=State.PROVISIONAL, state_at=tournament.state_at).update(
        state_note=note, audit_disagreements=len(disagreements)
    )
    return False


@transaction.atomic
def _audit_passed(tournament: Tournament, actor: User | None, *, in_review: bool) -> bool:
    tournament_row_lock(pk=tournament.pk)
    current = Tournament.objects.get(pk=tournament.pk)
    if (current.state, current.state_at) != (tournament.state, tournament.state_at):
        return True  # a ruling during the audit: this result is out of date
    if in_review:
        note = {} if current.audit_disagreements else current.state_note
        Tournament.objects.filter(pk=tournament.pk).update(
            audit_disagreements=0, state_note=note, revision=F("revision") + 1
        )
        return False
    ends_review: dict[str, Any] = {}
    if is_in_review(current):
        require_no_open_report(tournament)
        act = entrant_act_record(actor, tournament, "finalise")
        ends_review = {"review_until": timezone.now(), "audited": act}
    tournament_move(
        tournament,
        State.PROVISIONAL,
        State.FINAL,
        verb="finalise",
        actor=actor,
        on_move=lambda: ended_statement_publish(tournament, Statement.Kind.FINAL),
        revealed_at=timezone.now(),
        state_note={},
        audit_disagreements=0,
        **ends_review,
    )
    return False


def audit_deadline(tournament: Tournament) -> datetime.datetime:
    """Return when a provisional tournament is cancelled unless its audit passes."""
    return review_end(tournament) + datetime.timedelta(days=AUDIT_DAYS)


def audit_key(tournament: Tournament) -> str:
    """Return the cache key that marks the audit of the current revision as requested."""
    phase = "review" if is_in_review(tournament) else "end"
    return f"audit:{tournament.public_id}:{tournament.revision}:{phase}"


def audits_forget() -> None:
    """Mark audits of large events as not requested, after the queue lost its messages."""
    for tournament in Tournament.objects.filter(state=State.PROVISIONAL):
        if audit_is_long(tournament):
            cache.delete(audit_key(tournament))


def audit_is_long(tournament: Tournament) -> bool:
    """Return whether the audit runs in a task of its own."""
    return Table.objects.filter(tournament=tournament)[: AUDIT_TABLES + 1].count() > AUDIT_TABLES


def tournament_publish(tournament: Tournament, actor: User | None = None) -> None:
    """Audit a provisional tournament of any size and advance it. Runs in a task of its own.

    ``actor`` is the account that ended the review, if it is still permitted to.
    """
    if tournament.state == State.PROVISIONAL:
        require_organiser(actor, tournament)
        _publish(tournament, at_once=True, actor=actor)
    tournament_advance(tournament)


def tournament_finalise(tournament: Tournament, actor: User) -> None:
    """Audit a provisional tournament now, and end its review if the audit passes.

    Raises Conflict: ``wrong_state``; ``reports_open`` with the reports; ``audit_failed`` with the
    disagreements; ``audit_in_progress`` for a large event, whose audit then ends the review;
    ``review_extended`` after a ruling.
    """
    require_organiser(actor, tournament)
    tournament.refresh_from_db()
    if is_in_review(tournament):
        require_no_open_report(tournament)
    if tournament.state == State.PROVISIONAL and audit_is_long(tournament):
        audit_publish(tournament, actor=actor.pk)
        raise Conflict(
            "The audit is replaying every record. The tournament becomes final automatically if it passes.",
            "audit_in_progress",
            state=tournament.state,
            state_reason=tournament.state_reason,
        )
    if tournament.state == State.PROVISIONAL:
        _publish(tournament, at_once=True, actor=actor)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    if tournament.state == State.PROVISIONAL and tournament.audit_disagreements:
        raise Conflict(
            f"The audit failed: {tournament.state_reason}.",
            "audit_failed",
            disagreements=tournament_audit(tournament),
        )
    if tournament.state == State.PROVISIONAL:
        raise Conflict(
            "A ruling was made during the audit. Check the tournament, then try again.",
            "review_extended",
            state=tournament.state,
            review_until=tournament.review_until and tournament.review_until.isoformat(),
        )
    if tournament.state not in (State.FINAL, State.ARCHIVED):
        raise Conflict(
            f"Cannot finalise this tournament: it is {tournament.state}; its rounds must be played first.",
            "wrong_state",
            state=tournament.state,
            allowed_states=[State.PROVISIONAL],
        )


@transaction.atomic
def tournament_cancel(
    tournament: Tournament, actor: User | None, reason: str = "", *, note: Note | None = None
) -> None:
    """Cancel a tournament: void open tables and fixtures, unseal boards and reveal its secret.

    Raises Forbidden, also ``lead_organiser_only``; Conflict ``wrong_state``; Invalid ``reason_required`` if
    other accounts have entered.
    """
    require_organiser(actor, tournament)
    require_lead_organiser(actor, tournament)
    if actor is not None:
        # Locked until the end, so that no entry arrives in between.
        tournament_row_lock(pk=tournament.pk)
        tournament.refresh_from_db()
        # The entrants of a trial run are house bots.
        has_others = tournament.kind != Tournament.Kind.TRIAL and any(
            user != actor for user in entrants_of(tournament)
        )
        if tournament.state in CANCELLABLE and (reason.strip() or has_others):
            reason = require_reason(reason)
    note = note or typed_note(reason)
    tournament_move(
        tournament,
        CANCELLABLE,
        State.CANCELLED,
        verb="cancel",
        actor=actor,
        on_move=lambda: event_end_open_work(tournament, note),
        audited=entrant_act_record(actor, tournament, "cancel"),
        state_note=note,
        revealed_at=timezone.now(),
    )


@transaction.atomic
def tournament_close_early(tournament: Tournament, actor: User, reason: str = "") -> None:
    """End a running or paused tournament with the rounds closed so far: end its stages and audit it.

    Raises Forbidden; Conflict ``wrong_state``, ``fixtures_open`` with their number, ``nothing_played``.
    """
    require_organiser(actor, tournament)
    require_visible_characters("reason", reason)
    locked = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if locked.state not in (State.RUNNING, State.PAUSED):
        raise wrong_state(locked, "close early", (State.RUNNING, State.PAUSED))
    unfinished = Fixture.objects.filter(
        tournament=locked, state__in=(Fixture.State.PLANNED, Fixture.State.OPEN)
    )
    if count := unfinished.count():
        raise Conflict(
            f"{count} fixture{' is' if count == 1 else 's are'} still open: let "
            f"{'it' if count == 1 else 'them'} be played, or rule on {'it' if count == 1 else 'them'} "
            "(adjudicate) first.",
            "fixtures_open",
            state=locked.state,
            open_fixtures=count,
            allowed=["adjudicate", "cancel"],
        )
    for current in Round.objects.filter(stage__tournament=locked).exclude(state=Round.State.CLOSED):
        _round_close(locked, current)
    scores_recompute(locked)
    if not Round.objects.filter(stage__tournament=locked, state=Round.State.CLOSED).exists():
        raise Conflict(
            "No round has finished. Cancel the tournament instead.",
            "nothing_played",
            state=locked.state,
            allowed=["cancel"],
        )
    act = entrant_act_record(actor, locked, "close_early")
    note = closed_early_note(reason)
    for stage in locked.stages.exclude(state=Stage.State.DONE).order_by("number"):
        if stage_close_early(stage, note):
            final_standings_recompute([stage])
            audit(actor, "close_early", locked, stage=stage.number, reason=reason, **act)
    tournament_move(
        tournament,
        (State.RUNNING, State.PAUSED),
        State.PROVISIONAL,
        verb="close_early",
        actor=actor,
        audited=act,
        state_note=note,
        **review_columns(locked),
    )
