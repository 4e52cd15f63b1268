"""Deletion of trial runs: by their organisers at any time, and some days after their end."""

from __future__ import annotations

from django.db import transaction

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.competition.models import Tournament
from arena.competition.organisers import require_lead_organiser
from arena.competition.selectors import ENDED_STATES, require_organiser
from arena.competition.trials import expired_trials, trial_hide
from arena.jobs.flow import tournament_cancel

EXPIRED_AT_ONCE = 100


@transaction.atomic
def trial_delete(trial: Tournament, actor: User) -> None:
    """Delete a trial run, and cancel it first if it has not ended.

    Raises Forbidden, also ``lead_organiser_only``; Conflict ``not_a_trial``; ``wrong_state`` once deleted.
    """
    require_organiser(actor, trial)
    require_lead_organiser(actor, trial)
    if trial.kind != Tournament.Kind.TRIAL:
        raise Conflict("Only trial runs can be deleted; a tournament can be cancelled.", "not_a_trial")
    if trial.state not in ENDED_STATES:
        tournament_cancel(trial, actor)
    trial_hide(trial, actor)


def trials_expire() -> int:
    """Delete trial runs that ended some days ago, and return their number."""
    expired = expired_trials(EXPIRED_AT_ONCE)
    for trial in expired:
        trial_hide(trial, None)
    return len(expired)
