"""Trial runs: the settings of a tournament, played at once by house bots on two boards per round.

A trial run is a private tournament of its own kind. It is unrated, has no review, and ends by itself.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from arena.accounts.house import SEARCHING_KINDS, house_username
from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Invalid
from arena.common.states import wrong_state
from arena.competition.cost import CostEstimate, cost_estimate
from arena.competition.drafts import fields_of, validate_draft
from arena.competition.entries.admission import require_ready
from arena.competition.models import Tournament
from arena.competition.permissions import STATES_BY_ACTION
from arena.competition.selectors import ENDED_STATES, require_organiser
from arena.competition.small_events import small_event_start
from arena.competition.tournament_fields import MAX_NAME_LENGTH
from arena.roster.models import BotVersion
from arena.roster.selectors import house_bots_ready

TRIAL_BOARDS = 2
USUAL_ENTRIES = 4
"""Entries of a trial run, unless the stages or the table need more."""
MAX_TRIAL_ENTRIES = 16
MAX_TRIAL_TABLES = 200
MAX_TRIAL_DECISIONS = 100_000
TRIALS_PER_DAY = 10
"""Maximum trial runs of an account within 24 hours; staff have no limit."""
TRIAL_DAYS = 7
"""Days after its end at which a trial run is deleted."""
DAY = datetime.timedelta(days=1)
ACTION = "trial"


class TrialPlan(NamedTuple):
    fields: dict[str, Any]
    versions: list[BotVersion]
    """House bots in the order of their seeds; a version may occur several times."""
    cost: CostEstimate


def trial_plan(tournament: Tournament) -> TrialPlan:
    """Return settings and field of a trial run of a tournament.

    It is played by the tournament's house bots, or by all of the game, but not by those that search. Stages
    take fewer qualifiers if the field is smaller. Raises Conflict ``house_bot_not_ready``, ``trial_unfit``.
    """
    versions = _trial_versions(tournament)
    fields = _trial_fields(tournament)
    sides = len(validate_draft({**fields, "stages": None}).rules.sides)
    usual = max(USUAL_ENTRIES, sides)
    for entries in (*range(usual, MAX_TRIAL_ENTRIES + 1), *range(usual - 1, 1, -1)):
        of_size = _fields_of_size(fields, entries, sides)
        try:
            validate_draft(of_size)
        except Invalid:
            continue
        cost = cost_estimate(of_size, entries=entries)
        if cost.tables <= MAX_TRIAL_TABLES and cost.decisions <= MAX_TRIAL_DECISIONS:
            field = [versions[number % len(versions)] for number in range(entries)]
            return TrialPlan(of_size, field, cost)
    raise Conflict(
        f"A trial run has at most {MAX_TRIAL_ENTRIES} entries, {MAX_TRIAL_TABLES} tables and "
        f"{MAX_TRIAL_DECISIONS:,} decisions; these stages need more. Set fewer rounds, smaller groups or "
        "deal boards.",
        "trial_unfit",
        field="stages",
    )


@transaction.atomic
def trial_start(tournament: Tournament, actor: User) -> Tournament:
    """Create and start a trial run of a tournament that has not been locked. Its first round opens at once.

    Raises Forbidden ``not_organiser``; Conflict ``wrong_state``, ``trial_running``,
    ``trial_quota_exceeded``, and as ``trial_plan``.
    """
    require_organiser(actor, tournament)
    states = STATES_BY_ACTION[ACTION]
    if tournament.state not in states or tournament.kind != Tournament.Kind.TOURNAMENT:
        raise wrong_state(tournament, "try", sorted(states))
    _require_allowance(actor)
    plan = trial_plan(tournament)
    for version in plan.versions:
        require_ready(version)
    return small_event_start(
        Tournament.Kind.TRIAL,
        actor,
        validate_draft(plan.fields),
        [[version] for version in plan.versions],
        actor,
        trial_of=tournament,
    )


def trials_of(tournament: Tournament, user: User, most: int) -> list[Tournament]:
    """Return the account's latest trial runs of a tournament. One query."""
    return list(_trials(user).filter(trial_of=tournament, deleted_at=None).order_by("-id")[:most])


@transaction.atomic
def trial_hide(trial: Tournament, actor: User | None) -> None:
    """Delete a trial run that has ended: only staff can still read it. Raises Conflict ``wrong_state``.

    Its row remains, because the published queue of commitments names the number that it took.
    """
    rows = _all_trials().filter(pk=trial.pk, state__in=ENDED_STATES, deleted_at=None)
    if not rows.update(deleted_at=timezone.now(), revision=F("revision") + 1):
        raise wrong_state(trial, "delete", ENDED_STATES)
    trial.refresh_from_db()
    audit(actor, "delete", trial)


def expired_trials(most: int) -> list[Tournament]:
    """Return trial runs that ended more than ``TRIAL_DAYS`` days ago, oldest first. One query."""
    before = timezone.now() - TRIAL_DAYS * DAY
    rows = _all_trials().filter(state__in=ENDED_STATES, deleted_at=None, state_at__lt=before)
    return list(rows.order_by("id")[:most])


def trials_left(user: User) -> int:
    """Return how many trial runs the account may still start within 24 hours. One query."""
    return max(0, TRIALS_PER_DAY - _trials(user).filter(created_at__gt=timezone.now() - DAY).count())


def _trials(user: User) -> QuerySet[Tournament]:
    return _all_trials().filter(organiser=user)


def _all_trials() -> QuerySet[Tournament]:
    return Tournament.objects.filter(kind=Tournament.Kind.TRIAL)


def _require_allowance(actor: User) -> None:
    # Lock the account, so that concurrent calls are counted one after the other.
    User.objects.select_for_update().get(pk=actor.pk)
    running = _trials(actor).exclude(state__in=ENDED_STATES).first()
    if running is not None:
        raise Conflict(
            f"{running.name} has not ended yet. Wait for its end, or cancel it.",
            "trial_running",
            trial=running.public_id,
        )
    if actor.is_staff:
        return
    begun = _trials(actor).filter(created_at__gt=timezone.now() - DAY).order_by("created_at")
    times = list(begun.values_list("created_at", flat=True)[:TRIALS_PER_DAY])
    if len(times) >= TRIALS_PER_DAY:
        available_at = times[0] + DAY
        raise Conflict(
            f"You have started {TRIALS_PER_DAY} trial runs within 24 hours, which is the limit; try again at "
            f"{available_at:%Y-%m-%d %H:%M} UTC.",
            "trial_quota_exceeded",
            limit=TRIALS_PER_DAY,
            available_at=available_at.isoformat(),
        )


def _trial_versions(tournament: Tournament) -> list[BotVersion]:
    searching = {house_username(kind) for kind in SEARCHING_KINDS}
    bots = [bot for bot in house_bots_ready(tournament.game) if bot.owner.user.username not in searching]
    chosen = [bot for bot in bots if bot.name in tournament.house_bots] or bots
    versions = [bot.active_version for bot in chosen if bot.active_version is not None]
    if not versions:
        raise Conflict(
            f"No house bot can play {tournament.game} now: none has passed its check. Try again later.",
            "house_bot_not_ready",
        )
    return versions


def _trial_fields(tournament: Tournament) -> dict[str, Any]:
    return {
        **fields_of(tournament),
        "name": f"Trial run: {tournament.name}"[:MAX_NAME_LENGTH],
        "visibility": Tournament.Visibility.PRIVATE,
        "entry_policy": Tournament.EntryPolicy.INVITED,
        "co_organisers": [],
        "house_bots": [],
        "boards_per_round": TRIAL_BOARDS,
        "board_plan": Tournament.BoardPlan.FIXED,
        "max_passes": None,
        "budget_cpu_s": None,
        "quarantine_hours": 0,
        "review_hours": 0,
        "closes_at": None,
        "starts_at": None,
        "min_entries": None,
        "max_entries": None,
    }


def _fields_of_size(fields: Mapping[str, Any], entries: int, sides: int) -> dict[str, Any]:
    stages = _smaller_stages(fields["stages"], entries, sides)
    return {**fields, "stages": stages, "min_entries": entries, "max_entries": entries}


def _smaller_stages(stages: Sequence[Mapping[str, Any]], entries: int, sides: int) -> list[dict[str, Any]]:
    """Return the stages with two boards per round, and qualifiers that the field can have."""
    smaller, size = [], entries
    for stage in stages:
        qualify = stage["qualify"]
        if qualify is not None:
            qualify = min(qualify, max(2, sides, size // 2))
            size = min(size, qualify)
        smaller.append({**stage, "qualify": qualify, "boards_per_round": None})
    return smaller
