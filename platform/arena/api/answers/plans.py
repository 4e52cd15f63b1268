"""What tournaments come to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.errors import Forbidden
from arena.competition.cost import Plan, tournament_plan
from arena.competition.drafts import require_new
from arena.competition.models import Tournament
from arena.matches.selectors import mean_cpu_ms_per_board
from arena.matches.workers import capacity_alive


def plan_of(thing: Tournament | Mapping[str, Any], viewer: Viewer, entries: int | None = None) -> Plan:
    """What a tournament, or a draft by its fields, comes to on the workers there are.

    Raises:
        Invalid: the draft has an impossible field.
        Forbidden: code ``not_an_organiser``, for a draft.
    """
    if not isinstance(thing, Tournament) and not (
        isinstance(viewer, User) and (viewer.is_organiser or viewer.is_staff)
    ):
        raise Forbidden("This account may not organise tournaments; ask the operator.", "not_an_organiser")
    if not isinstance(thing, Tournament):
        require_new(thing)
    return tournament_plan(
        thing, entries=entries, mean_cpu_ms=mean_cpu_ms_per_board, capacity=capacity_alive()
    )
