"""Services of experiments: create, advance batch by batch, stop. Every step is idempotent."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.declarations import invalid_field, require_integer
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.common.features import DueTournament
from arena.common.notes import Note, note_in_english, reason_clause, typed_note
from arena.common.states import state_change, wrong_state
from arena.competition.drafts import validate_draft
from arena.competition.entries.admission import require_ready
from arena.competition.models import Tournament
from arena.competition.selectors import ENDED_STATES
from arena.features.experiments.batches import (
    BatchOutcome,
    batch_make,
    batch_versions,
    house_greedy,
    outcome_of,
    role_of,
    version_refusal,
)
from arena.features.experiments.evidence import StoppedTest, counted_batches, estimate_of
from arena.features.experiments.fields import DEFAULTS, FIELDS, MAX_FIELD, STOP
from arena.features.experiments.limits import default_cpu_s, max_cpu_s, max_running, require_quota, time_limit
from arena.features.experiments.models import Batch, Experiment, Opponent
from arena.features.experiments.selectors import experiments_to_advance
from arena.roster.models import Bot, BotVersion
from league.errors import SequentialError
from league.sequential import SequentialTest

log = logging.getLogger(__name__)

State = Experiment.State
End = Experiment.End
MAX_CONSECUTIVE_VOIDS = 3
"""Consecutive void batches after which an experiment ends."""


@transaction.atomic
def experiment_create(
    actor: User,
    candidate: BotVersion,
    baseline: BotVersion,
    *,
    preset: str,
    ruleset: Mapping[str, Any] | None = None,
    board_kind: str = "deal",
    clock: Mapping[str, Any] | None = None,
    field: Sequence[BotVersion] = (),
    difference: float = DEFAULTS["difference"],
    alpha: float = DEFAULTS["alpha"],
    beta: float = DEFAULTS["beta"],
    cap: int = DEFAULTS["cap"],
    boards_per_batch: int = DEFAULTS["boards_per_batch"],
    budget_cpu_s: int | None = None,
) -> Experiment:
    """Create a queued experiment, which begins with its first ``experiment_advance``.

    Without a ``field``, the two versions meet each other; house greedy fills larger tables. Raises Forbidden
    (``not_owner``), Conflict (``experiment_quota_exceeded`` with ``available_at``; ``not_ready``;
    ``version_suspended``; ``house_bot_missing``), Invalid (names the field; ``wrong_game``,
    ``duplicate_version``, ``identical_versions``, ``field_size``).
    """
    test = _validated_test(difference, alpha, beta, cap)
    FIELDS["boards_per_batch"].checked(boards_per_batch)
    budget = (
        default_cpu_s()
        if budget_cpu_s is None
        else require_integer("budget_cpu_s", budget_cpu_s, 1, max_cpu_s())
    )
    planned = validate_draft(
        {
            "name": "experiment",
            "preset": preset,
            "ruleset": ruleset,
            "board_kind": board_kind,
            "clock": clock,
            "boards_per_round": boards_per_batch,
        }
    )
    sides = planned.rules.sides
    game = planned.rules.game.key
    _require_versions(actor, candidate, baseline, field, game)
    opponents = _opponents(field, game, len(sides))
    require_quota(actor, budget)
    experiment = Experiment.objects.create(
        owner=actor,
        candidate=candidate,
        baseline=baseline,
        is_field=bool(field),
        game=game,
        preset=preset,
        ruleset=planned.columns["ruleset"],
        seats=sum(len(side) for side in sides),
        sides=len(sides),
        board_kind=board_kind,
        clock=planned.columns["clock"],
        difference=test.difference,
        alpha=test.alpha,
        beta=test.beta,
        cap=test.cap,
        boards_per_batch=boards_per_batch,
        budget_cpu_s=budget,
    )
    Opponent.objects.bulk_create(
        Opponent(experiment=experiment, number=number, version=version)
        for number, version in enumerate(opponents, 1)
    )
    audit(
        actor,
        "create",
        experiment,
        candidate=candidate.public_id,
        baseline=baseline.public_id,
        field=[version.public_id for version in field],
        preset=preset,
    )
    return experiment


def experiments_due() -> Iterator[DueTournament]:
    """Advance all live experiments. Called by the tick."""
    for experiment, public_id in experiments_to_advance():
        try:
            yield from experiment_due(experiment)
        except Exception:
            # A failing experiment must not block the others.
            log.exception("experiment %s", public_id)


def experiment_due(experiment: int) -> Iterator[DueTournament]:
    """Count a finished batch, begin the next one, or cancel one that is no longer needed."""
    tournament = experiment_advance(experiment)
    if tournament is not None:
        yield DueTournament(tournament)
        return
    dropped = batch_to_cancel(experiment)
    if dropped is not None:
        yield DueTournament(dropped, {"code": "experiment_ended"})
        batch_to_cancel(experiment)


def experiment_halt(experiment: Experiment, actor: User, reason: str = "") -> Iterable[DueTournament]:
    """Stop an experiment and return its batch to cancel. Raises Forbidden, Conflict (``wrong_state``)."""
    experiment_stop(experiment, actor, reason)
    return experiment_due(experiment.pk)


@transaction.atomic
def experiment_advance(pk: int) -> Tournament | None:
    """Count the finished batch, then end the experiment if it is decided, else begin the next batch.

    Returns the tournament of a new batch, to be advanced, or None. Safe to run concurrently.
    """
    experiment = _locked(pk)
    if experiment is None or not experiment.is_live:
        return None
    batch = experiment.batches.filter(state=Batch.State.PLAYING).select_related("tournament").first()
    if batch is not None:
        outcome = outcome_of(batch)
        if outcome is None:
            _end_overdue(experiment)
            return None
        if outcome.has_left:
            # The batch is still in play: the job flow cancels it, as after every end.
            _end(experiment, State.STOPPED, End.VERSION, outcome.note)
            return None
        if not _batch_end(experiment, batch, outcome):
            return None
    return _next_batch(experiment)


@transaction.atomic
def experiment_stop(experiment: Experiment, actor: User, reason: str = "") -> None:
    """End a live experiment; the job flow cancels the batch. Raises Forbidden, Conflict (``wrong_state``)."""
    if experiment.owner_id != actor.pk and not actor.is_staff:
        raise Forbidden("Only the owner of this experiment and staff may stop it.", "not_owner")
    locked = _locked(experiment.pk)
    if locked is None or locked.state not in STOP.states:
        experiment.refresh_from_db()
        raise wrong_state(experiment, STOP.name, STOP.states)
    before = locked.state
    reason_text = reason.strip()[:200]
    by = "owner" if experiment.owner_id == actor.pk else "staff"
    _end(locked, State.STOPPED, End.OWNER, typed_note(reason_text) or {"code": f"stopped_by_{by}"})
    audit(actor, "stop", locked, {"state": before}, state=locked.state, reason=reason_text)
    experiment.refresh_from_db()


def batch_to_cancel(experiment: int) -> Tournament | None:
    """Return the tournament of an ended experiment's playing batch, to be cancelled.

    If that tournament is already over, mark the batch void and return None.
    """
    rows = Batch.objects.filter(experiment=experiment, state=Batch.State.PLAYING)
    batch = (
        rows.exclude(experiment__state__in=Experiment.LIVE).select_related("tournament", "experiment").first()
    )
    if batch is None:
        return None
    if batch.tournament.state not in ENDED_STATES:
        return batch.tournament
    state_change(batch, "state", Batch.State.PLAYING, Batch.State.VOID, note={"code": "experiment_over"})
    _store_cost(batch.experiment)
    _raise_revision(batch.experiment)
    return None


def _locked(pk: int) -> Experiment | None:
    rows = Experiment.objects.select_for_update(of=("self",)).select_related(
        "owner", "candidate__bot__owner", "baseline__bot__owner"
    )
    return rows.filter(pk=pk).first()


def _validated_test(difference: float, alpha: float, beta: float, cap: int) -> SequentialTest:
    for name, value in (("cap", cap), ("difference", difference), ("alpha", alpha), ("beta", beta)):
        FIELDS[name].checked(value)
    try:
        return SequentialTest(float(difference), float(alpha), float(beta), cap)
    except SequentialError as error:
        raise invalid_field("difference", f"{error}.") from None


def _require_versions(
    actor: User, candidate: BotVersion, baseline: BotVersion, field: Sequence[BotVersion], game: str
) -> None:
    roles = [("candidate", candidate), ("baseline", baseline), *(("field", version) for version in field)]
    if len({version.pk for _, version in roles}) < len(roles):
        raise Invalid(
            "Candidate, baseline and the versions of the field must all be different.",
            "duplicate_version",
            field="field" if candidate.pk != baseline.pk else "baseline",
        )
    for role, version in roles:
        is_own = version.bot.owner.user_id == actor.pk
        if not is_own and not actor.is_staff:
            if role == "candidate":
                raise Forbidden(
                    f"{version} belongs to {version.bot.owner.handle}: the candidate must be your own.",
                    "not_owner",
                )
            if version.bot.visibility != Bot.Visibility.PUBLIC:
                raise Forbidden(f"{version} is private and belongs to another player.", "not_owner")
        if version.bot.game != game:
            raise Invalid(f"{version} plays {version.bot.game}, not {game}.", "wrong_game", field=role)
        require_ready(version)
    if candidate.bundle_sha256 == baseline.bundle_sha256:
        raise Invalid(
            f"{candidate} and {baseline} are the same bot, byte for byte: upload a changed one first.",
            "identical_versions",
            field="candidate",
        )


def _opponents(field: Sequence[BotVersion], game: str, sides: int) -> list[BotVersion]:
    """Return the versions that candidate and baseline meet besides each other, without duplicates."""
    if field:
        if not sides - 1 <= len(field) <= MAX_FIELD:
            raise Invalid(
                f"A table has {sides} sides, so a field has {sides - 1} to {MAX_FIELD} versions, not "
                f"{len(field)}; leave it out to compare the two directly.",
                "field_size",
                field="field",
            )
        return list(field)
    if sides == 2:
        return []
    greedy = house_greedy(game)
    refusal = version_refusal(greedy) if greedy is not None else None
    if greedy is None or refusal is not None:
        raise Conflict(
            f"House greedy fills tables of {sides} sides, but it has no ready version here; "
            "name a field instead.",
            "house_bot_missing",
        )
    return [greedy]


def _batch_end(experiment: Experiment, batch: Batch, outcome: BatchOutcome) -> bool:
    _store_cost(experiment)
    if not outcome.scores:
        return _batch_void(experiment, batch, outcome)
    texts = [f"{score.numerator}/{score.denominator}" for score in outcome.scores]
    if not state_change(batch, "state", Batch.State.PLAYING, Batch.State.COUNTED, scores=texts):
        return False
    estimate = estimate_of(experiment, counted_batches(experiment))
    Batch.objects.filter(pk=batch.pk).update(counted=estimate.judgement.boards - experiment.boards)
    _store_judgement(experiment, estimate)
    judgement = estimate.judgement
    if judgement.state == "inconclusive":
        _end(experiment, State.INCONCLUSIVE, End.CAP, {})
    elif judgement.state != "running":
        _end(experiment, State(judgement.state), End.DECIDED, {})
    elif experiment.cpu_ms_spent >= 1000 * experiment.budget_cpu_s:
        spent = round(experiment.cpu_ms_spent / 1000)
        note = {"code": "cpu_used", "spent": spent, "budget": experiment.budget_cpu_s}
        _end(experiment, State.STOPPED, End.BUDGET, note)
    return experiment.is_live


def _batch_void(experiment: Experiment, batch: Batch, outcome: BatchOutcome) -> bool:
    state_change(batch, "state", Batch.State.PLAYING, Batch.State.VOID, note=outcome.note)
    last = experiment.batches.order_by("-number").values_list("state", flat=True)[:MAX_CONSECUTIVE_VOIDS]
    if outcome.is_cancelled:
        note = {"code": "batch_cancelled", "number": batch.number, "why": outcome.note}
        _end(experiment, State.STOPPED, End.CANCELLED, note)
    elif list(last).count(Batch.State.VOID) == MAX_CONSECUTIVE_VOIDS:
        note = {"code": "batches_void", "count": MAX_CONSECUTIVE_VOIDS, "why": outcome.note}
        _end(experiment, State.STOPPED, End.FAULTS, note)
    return experiment.is_live


def _next_batch(experiment: Experiment) -> Tournament | None:
    """Begin the next batch. Returns None if the experiment must wait or ends here."""
    if _end_overdue(experiment):
        return None
    if experiment.state == State.QUEUED and not _may_begin(experiment):
        return None
    for seed, version in enumerate(batch_versions(experiment), 1):
        if version_refusal(version) is not None:
            note = {"code": f"is_{version.state}", "who": role_of(seed)}
            _end(experiment, State.STOPPED, End.VERSION, note)
            return None
    last_number = experiment.batches.order_by("-number").values_list("number", flat=True).first() or 0
    batch = batch_make(
        experiment,
        number=last_number + 1,
        turn=experiment.batches.filter(state=Batch.State.COUNTED).count(),
        boards=min(experiment.boards_per_batch, experiment.cap - experiment.boards),
    )
    if experiment.state == State.QUEUED:
        state_change(
            experiment, "state", State.QUEUED, State.RUNNING, started_at=timezone.now(), state_note={}
        )
    _raise_revision(experiment)
    return batch.tournament


def _may_begin(experiment: Experiment) -> bool:
    """Return whether a queued experiment may start: its owner has a free slot and no earlier one."""
    ahead = Experiment.objects.filter(owner=experiment.owner_id, state__in=Experiment.LIVE)
    is_first = ahead.filter(pk__lt=experiment.pk, state=State.QUEUED).count() == 0
    running = ahead.filter(state=State.RUNNING).count()
    if is_first and running < max_running():
        return True
    note = {"code": "waits_for_earlier", "count": max_running() if running else 1}
    if note != experiment.state_note:
        state_change(experiment, "state", State.QUEUED, State.QUEUED, state_note=note)
        _raise_revision(experiment)
    return False


def _end_overdue(experiment: Experiment) -> bool:
    since = experiment.started_at or experiment.created_at
    if timezone.now() - since <= time_limit():
        return False
    activity = "queued" if experiment.state == State.QUEUED else "played"
    _end(experiment, State.STOPPED, End.DEADLINE, {"code": f"{activity}_too_long", "days": time_limit().days})
    return True


def _end(experiment: Experiment, to: Experiment.State, code: Experiment.End, note: Note) -> None:
    now = timezone.now()
    changes = {"end_code": code, "state_note": note, "finished_at": now, "expected_remaining": 0}
    if not state_change(experiment, "state", Experiment.LIVE, to, **changes):
        experiment.refresh_from_db()
        return
    _raise_revision(experiment)
    estimate = estimate_of(experiment)
    event_add(
        "experiment.ended",
        experiment,
        user=experiment.owner,
        state=to,
        end_code=code,
        reason=note_in_english(note),
        boards=estimate.judgement.boards,
        mean=estimate.mean if estimate.judgement.boards else None,
        is_corrected=estimate.is_corrected,
    )
    notice_create(experiment.owner, Notice.Kind.EXPERIMENT, _end_notice(experiment), experiment.page)


def _end_notice(experiment: Experiment) -> Note:
    return {
        "code": f"experiment_{experiment.state}",
        "candidate": str(experiment.candidate),
        "baseline": str(experiment.baseline),
        "difference": f"{experiment.difference:g}",
        "boards": experiment.boards,
        "because": reason_clause(experiment.state_note),
    }


def _store_judgement(experiment: Experiment, estimate: StoppedTest) -> None:
    judgement = estimate.judgement
    experiment.boards = judgement.boards
    experiment.mean = judgement.mean
    experiment.evidence = judgement.llr
    experiment.expected_remaining = judgement.expected_remaining
    experiment.save(update_fields=["boards", "mean", "evidence", "expected_remaining"])
    _raise_revision(experiment)
    event_add(
        "experiment.boards",
        experiment,
        user=experiment.owner,
        boards=judgement.boards,
        evidence=judgement.llr,
        lower=judgement.lower,
        upper=judgement.upper,
        expected_remaining=judgement.expected_remaining,
    )


def _store_cost(experiment: Experiment) -> None:
    spent = experiment.batches.aggregate(spent=Sum("tournament__cpu_ms_spent"))["spent"] or 0
    experiment.cpu_ms_spent = spent
    Experiment.objects.filter(pk=experiment.pk).update(cpu_ms_spent=spent)


def _raise_revision(experiment: Experiment) -> None:
    Experiment.objects.filter(pk=experiment.pk).update(revision=F("revision") + 1)
