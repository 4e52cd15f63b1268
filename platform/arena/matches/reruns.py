"""Replay a finished table by order of the organiser."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict
from arena.common.states import state_change, wrong_state
from arena.competition.impartiality import require_impartial
from arena.competition.models import Entry, Round, Tournament
from arena.competition.selectors import require_organiser
from arena.competition.stages import needs_earlier_results
from arena.matches.adjudication import (
    LockedFixture,
    current_ruling,
    fixture_lock,
    require_reason,
    tournament_reopen,
)
from arena.matches.failures import RESET_COLUMNS
from arena.matches.faults import faults_group
from arena.matches.models import Fixture, Table
from arena.matches.ruling_notices import RERUN, fixture_ruling_notify

RULE_INSTEAD = "rule on the fixture instead (adjudicate)"


def table_rerun(table: Table, actor: User, reason: str) -> None:
    """Play a finished table again from the start. The audit trail keeps the hash of the deleted record.

    The CPU of the first run stays spent. A fixture of a closed round becomes open without being sealed, and
    the tournament waits for it. Raises Forbidden, also ``conflict_of_interest``; Invalid for the reason;
    Conflict ``wrong_state``, ``later_rounds_drawn`` or ``field_drawn``, ``already_adjudicated``,
    ``entry_left``.
    """
    require_organiser(actor, table.tournament)
    require_impartial(actor, table.tournament)
    text = require_reason(reason)
    with transaction.atomic():
        play = fixture_lock(table.fixture, "play a table again of")
        _require_rerun_allowed(play)
        table.refresh_from_db()
        before = {
            "state": table.state,
            "record_sha256": table.record_sha256,
            "timings_sha256": table.timings_sha256,
        }
        if not play.fixture.board_set.is_sealed:  # while sealed, organisers must not learn the duration
            before["finished_at"] = str(table.finished_at)
        now = timezone.now()
        changed = Table.objects.filter(pk=table.pk, state=Table.State.FINISHED).update(
            state=Table.State.WAITING,
            state_at=now,
            published_at=None,
            **RESET_COLUMNS,
            reruns=F("reruns") + 1,
            fence="",
            boards_done=0,
            decisions=0,
            worker="",
            kernel="",
            note={},
            record_sha256="",
            timings_sha256="",
            view_sha256="",
            sandbox_level="",
            engine_version="",
            revision="",
            runtime_artifacts={},
            compact_results="",
            started_at=None,
            finished_at=None,
        )
        if not changed:
            raise wrong_state(table, "play again", [Table.State.FINISHED])
        table.seats.update(
            verdict="",
            forfeited=False,
            decisions=0,
            cpu_ms=0,
            wall_ms=0,
            peak_bytes=0,
            faults=[],
            log_sha256="",
        )
        fixture = play.fixture
        is_closed = not fixture.board_set.is_sealed
        state_change(
            fixture, "state", Fixture.DONE, Fixture.State.OPEN, done_at=None, note={}, scores_stale=is_closed
        )
        if is_closed:
            faults_group(fixture.board_set)
        table.refresh_from_db()
        audit(actor, "rerun", table, before, state=table.state, reruns=table.reruns, reason=text)
        tournament_reopen(play, {"code": "played_again", "text": text}, actor)
        fixture_ruling_notify(fixture, actor, RERUN, (), text)


def _require_rerun_allowed(play: LockedFixture) -> None:
    last = play.stage.rounds.exclude(state=Round.State.PLANNED).order_by("-number").first()
    # With passes, whether another one is played depends on every earlier result.
    rests_on_results = needs_earlier_results(play.stage) or (
        play.tournament.board_plan == Tournament.BoardPlan.UNTIL_SEPARATED
    )
    if last is not None and last.number > play.round.number and rests_on_results:
        raise Conflict(
            f"Round {last.number} was drawn from the results of round {play.round.number}; {RULE_INSTEAD}.",
            "later_rounds_drawn",
            round=play.round.number,
            last_round=last.number,
            allowed=["adjudicate"],
        )
    if current_ruling(play.fixture) is not None:
        raise Conflict(
            "A ruling on this fixture is in force. Lift it first.",
            "already_adjudicated",
            allowed=["adjudicate"],
        )
    left = play.fixture.sides.filter(entry__status=Entry.Status.LEFT).select_related("entry").first()
    if left is not None:
        raise Conflict(
            f"{left.entry} left the tournament; {RULE_INSTEAD}.", "entry_left", allowed=["adjudicate"]
        )
