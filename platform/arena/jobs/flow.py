"""What a tournament does next. Every step is visible here, idempotent and safe to race.

``tournament_advance`` runs after the last table of a round, after every verb that changes a state, and
from the tick, which repairs whatever was lost in between.
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
from arena.common.errors import ArenaError, Conflict
from arena.common.features import Due
from arena.common.notes import Note, closed_early, refusal, typed
from arena.common.states import wrong_state
from arena.common.texts import require_lines
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
    event_cut_short,
    stage_close_early,
    standings_end,
)
from arena.jobs.publish import AUDIT_TASK_S, audit_publish, tables_offer
from arena.jobs.scoring import scores_recompute
from arena.matches.adjudication import departed_entries_forfeit, require_reason
from arena.matches.models import Fixture, Table
from arena.matches.results import fixtures_settle
from arena.matches.rounds import quarantined_fixtures_void, round_close, round_open, stage_finish
from arena.mounts import FEATURES
from arena.standings.audit import tournament_audit
from arena.standings.endings import ended_statement_publish
from arena.standings.services import next_pairings, round_scores_build, standings_rebuild

log = logging.getLogger(__name__)
State = Tournament.State
CANCELLABLE = (State.DRAFT, State.REGISTRATION, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
LIVE = (State.REGISTRATION, State.LOCKED, State.RUNNING, State.PAUSED, State.PROVISIONAL)
PAUSE_DAYS = 30
AUDIT_DAYS = 7
"""How long after its review an event waits for an audit that passes."""
IDLE_DAYS = 90
"""How long an organiser may leave entrants waiting: registration without an end, a field without a start."""
AUDIT_AGAIN_S = 600
"""An audit that failed is repeated after so long, or as soon as anything of the event changes."""
AUDIT_TABLES = 500
"""An audit of more tables is a task of its own: it takes longer than a worker or a caller should be held."""
STEPS_AT_MOST = 100


def tournament_advance(tournament: Tournament) -> None:
    """Do whatever is due, until nothing is, then nudge workers. Another one doing the same does no harm."""
    for _ in range(STEPS_AT_MOST):
        tournament.refresh_from_db()
        if not _step(tournament):
            break
    else:
        log.error("tournament %s: still not at rest after %d steps", tournament.public_id, STEPS_AT_MOST)
    if tournament.state == State.RUNNING:
        tables_offer()
    elif tournament.state in ENDED_STATES:
        for feature in FEATURES:
            due_do(feature.tournament_ended(tournament))


def due_do(dues: Iterable[Due]) -> int:
    """Advance or cancel the tournaments that a feature asks for; how many."""
    count = 0
    for due in dues:
        count += 1
        if due.cancelled is not None:
            tournament_cancel(due.tournament, None, note=due.cancelled)
        else:
            tournament_advance(due.tournament)
    return count


def table_done(tournament_public_id: str) -> None:
    """After a table: give its place to another, and go on with its tournament if it was the last one open.

    Two queries besides those of the window, unless there is something to do.
    """
    # First, for what follows a round may take a while.
    tables_offer()
    tournament = Tournament.objects.get(public_id=tournament_public_id)
    if not Fixture.objects.filter(tournament=tournament, state=Fixture.State.OPEN).exists():
        tournament_advance(tournament)


def _step(tournament: Tournament) -> bool:
    """One due step; whether there was one."""
    now = timezone.now()
    waited = now - tournament.state_at
    try:
        match tournament.state:
            case State.REGISTRATION if tournament.closes_at and tournament.closes_at <= now:
                return _lock_or_cancel(tournament)
            case State.LOCKED if tournament.starts_at and tournament.starts_at <= now:
                tournament_start(tournament, None)
                return True
            case State.REGISTRATION | State.LOCKED if waited > datetime.timedelta(days=IDLE_DAYS):
                return _give_up(tournament, now)
            case State.RUNNING:
                return _play_on(tournament)
            case State.PAUSED if waited > datetime.timedelta(days=PAUSE_DAYS):
                tournament_cancel(tournament, None, note={"code": "left_paused", "days": PAUSE_DAYS})
                return True
            case State.PAUSED:
                # Nothing is opened, but whoever left has lost what was open.
                departed_entries_forfeit(tournament)
            case State.PROVISIONAL:
                return _publish(tournament)
    except (Conflict, IntegrityError) as conflict:
        # Somebody else took this step between our look and our move; look again.
        log.info("tournament %s: %s", tournament.public_id, conflict)
        tournament.refresh_from_db()
        return False
    return False


def _lock_or_cancel(tournament: Tournament) -> bool:
    """Close registration at its end; a field that cannot be played ends the event, with the reason."""
    try:
        tournament_lock(tournament, None)
    except ArenaError as refused:
        if refused.code == "wrong_state":
            raise
        tournament.refresh_from_db()
        tournament_cancel(tournament, None, note=refusal(refused))
    return True


def _give_up(tournament: Tournament, now: datetime.datetime) -> bool:
    """End an event that its organiser left lying, unless a time is set for its next step."""
    planned = tournament.closes_at if tournament.state == State.REGISTRATION else tournament.starts_at
    if planned and planned > now:
        return False
    tournament_cancel(tournament, None, note={"code": f"left_{tournament.state}", "days": IDLE_DAYS})
    return True


def _play_on(tournament: Tournament) -> bool:
    """Close what is done, open what is due; False while tables are still being played."""
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
    # Closed and scored in one transaction: whoever finds it closed may rely on its scores, and a
    # worker killed in between leaves it open.
    with transaction.atomic():
        tournament_row_lock(pk=tournament.pk)
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
    """Tell watchers that a table has changed."""
    tournament = stage.tournament
    event_add("standings.updated", tournament, tournament=tournament.public_id, stage=stage.number)


def _round_open(tournament: Tournament, stage: Stage) -> bool:
    """Open the stage's next round, or end the stage; a tournament whose budget is spent pauses instead."""
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
    """Whether nothing changed since pairings were drawn, such as a ruling. Locks the tournament's row."""
    tournament_row_lock(pk=tournament.pk)
    return Tournament.objects.filter(pk=tournament.pk, revision=revision).exists()


@transaction.atomic
def _stage_end(tournament: Tournament, stage: Stage, revision: int) -> None:
    if _is_unchanged(tournament, revision) and stage_finish(stage):
        standings_rebuild(stage)
        standings_notify(stage)
        tournament_touch(tournament)


def _publish(tournament: Tournament, *, at_once: bool = False, actor: User | None = None) -> bool:
    """Audit a played tournament, at the start of its review and at the end; final if the latter agrees.

    An ``actor`` ends the review now. Return whether there may be another step.
    """
    in_review = is_in_review(tournament) and actor is None
    if in_review and tournament.audit_disagreements == 0:
        return False
    # An audit replays every record: not every ten seconds, and not by two processes at once.
    key = audit_key(tournament)
    is_long = audit_is_long(tournament)
    is_due = cache.add(key, True, AUDIT_TASK_S if is_long else AUDIT_AGAIN_S)
    if is_long and not at_once:
        if is_due:
            audit_publish(tournament.pk, lambda: cache.delete(key))
        return False
    if not is_due and not at_once:
        return False
    if disagreements := tournament_audit(tournament):
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
        then=lambda: ended_statement_publish(tournament, Statement.Kind.FINAL),
        revealed_at=timezone.now(),
        state_note={},
        audit_disagreements=0,
        **ends_review,
    )
    return False


def audit_deadline(tournament: Tournament) -> datetime.datetime:
    """When a provisional tournament is cancelled unless its audit passes."""
    return review_end(tournament) + datetime.timedelta(days=AUDIT_DAYS)


def audit_key(tournament: Tournament) -> str:
    """Where the shared cache keeps that the audit of what it is now was asked for."""
    phase = "review" if is_in_review(tournament) else "end"
    return f"audit:{tournament.public_id}:{tournament.revision}:{phase}"


def audits_forget() -> None:
    """Take the audits of large events as not asked for, as the queue has lost its messages."""
    for tournament in Tournament.objects.filter(state=State.PROVISIONAL):
        if audit_is_long(tournament):
            cache.delete(audit_key(tournament))


def audit_is_long(tournament: Tournament) -> bool:
    """Whether its audit is left to a task of its own."""
    return Table.objects.filter(tournament=tournament)[: AUDIT_TABLES + 1].count() > AUDIT_TABLES


def tournament_publish(tournament: Tournament, actor: User | None = None) -> None:
    """Audit a provisional tournament, however long it takes, and go on: what the task of its own does.

    ``actor`` ended its review, and may still do so.
    """
    if tournament.state == State.PROVISIONAL:
        require_organiser(actor, tournament)
        _publish(tournament, at_once=True, actor=actor)
    tournament_advance(tournament)


def tournament_finalise(tournament: Tournament, actor: User) -> None:
    """Audit a provisional tournament now, and end its review if the audit passes.

    Raises:
        Conflict: ``wrong_state``; ``reports_open`` with the reports; ``audit_failed`` with the disagreements;
            ``audit_under_way`` for a large one, whose audit has been asked for and ends by itself;
            ``review_goes_on`` after a ruling during the audit.
    """
    require_organiser(actor, tournament)
    tournament.refresh_from_db()
    if is_in_review(tournament):
        require_no_open_report(tournament)
    if tournament.state == State.PROVISIONAL and audit_is_long(tournament):
        audit_publish(tournament.pk, actor=actor.pk)
        raise Conflict(
            "Every record is replayed now; it becomes final by itself if all agrees.",
            "audit_under_way",
            state=tournament.state,
            state_reason=tournament.state_reason,
        )
    if tournament.state == State.PROVISIONAL:
        _publish(tournament, at_once=True, actor=actor)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    if tournament.state == State.PROVISIONAL and tournament.audit_disagreements:
        raise Conflict(
            f"The audit does not pass: {tournament.state_reason}.",
            "audit_failed",
            disagreements=tournament_audit(tournament),
        )
    if tournament.state == State.PROVISIONAL:
        raise Conflict(
            "A ruling was made during the audit. Look at the event again, then repeat this.",
            "review_goes_on",
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
    """End a tournament early: open tables and fixtures become void, its boards unsealed, its secret shown.

    Raises:
        Forbidden: not its organiser; ``lead_organiser_only``: a co-organiser.
        Conflict: ``wrong_state``.
        Invalid: ``reason_required`` where somebody else than the actor has entered; too long a reason.
    """
    require_organiser(actor, tournament)
    require_lead_organiser(actor, tournament)
    if actor is not None:
        # Held to the end: nobody enters between this look and the move.
        tournament_row_lock(pk=tournament.pk)
        tournament.refresh_from_db()
        if tournament.state in CANCELLABLE and (
            reason.strip() or any(user != actor for user in entrants_of(tournament))
        ):
            reason = require_reason(reason)
    note = note or typed(reason)
    tournament_move(
        tournament,
        CANCELLABLE,
        State.CANCELLED,
        verb="cancel",
        actor=actor,
        then=lambda: event_cut_short(tournament, note),
        audited=entrant_act_record(actor, tournament, "cancel"),
        state_note=note,
        revealed_at=timezone.now(),
    )


@transaction.atomic
def tournament_close_early(tournament: Tournament, actor: User, reason: str = "") -> None:
    """End a running or paused tournament with the rounds closed by now: its stages end and it is audited.

    Raises:
        Forbidden: not its organiser.
        Conflict: ``wrong_state``, ``fixtures_open`` with how many, ``nothing_played``.
    """
    require_organiser(actor, tournament)
    require_lines("reason", reason)
    held = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if held.state not in (State.RUNNING, State.PAUSED):
        raise wrong_state(held, "close early", (State.RUNNING, State.PAUSED))
    unfinished = Fixture.objects.filter(
        tournament=held, state__in=(Fixture.State.PLANNED, Fixture.State.OPEN)
    )
    if count := unfinished.count():
        raise Conflict(
            f"{count} fixture{' is' if count == 1 else 's are'} still open: let "
            f"{'it' if count == 1 else 'them'} be played, or rule on {'it' if count == 1 else 'them'} "
            "(adjudicate) first.",
            "fixtures_open",
            state=held.state,
            open_fixtures=count,
            allowed=["adjudicate", "cancel"],
        )
    for current in Round.objects.filter(stage__tournament=held).exclude(state=Round.State.CLOSED):
        _round_close(held, current)
    scores_recompute(held)
    if not Round.objects.filter(stage__tournament=held, state=Round.State.CLOSED).exists():
        raise Conflict(
            "No round was played that could count; cancel it instead.",
            "nothing_played",
            state=held.state,
            allowed=["cancel"],
        )
    act = entrant_act_record(actor, held, "close_early")
    note = closed_early(reason)
    for stage in held.stages.exclude(state=Stage.State.DONE).order_by("number"):
        if stage_close_early(stage, note):
            standings_end([stage])
            audit(actor, "close_early", held, stage=stage.number, reason=reason, **act)
    tournament_move(
        tournament,
        (State.RUNNING, State.PAUSED),
        State.PROVISIONAL,
        verb="close_early",
        actor=actor,
        audited=act,
        state_note=note,
        **review_columns(held),
    )
