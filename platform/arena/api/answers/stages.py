"""Responses: stages of a tournament."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from arena.api.base.shapes import build_shape
from arena.competition.models import Stage
from arena.competition.selectors import rounds_planned


class StageOut(TypedDict):
    """A stage of a tournament."""

    number: int
    format: str
    options: dict[str, Any]
    qualify: int | None
    boards_per_round: int
    rounds: Annotated[
        int | None,
        "Rounds of one pass with the current entries; null if too few, or if it depends on results.",
    ]
    field_digest: str
    state: Annotated[str, Stage.State]
    note: Annotated[str, "Why it ended; may be empty."]


def stage_out(stage: Stage) -> StageOut:
    """Return a stage whose tournament has ``entry_count``."""
    entered: int = stage.tournament.entry_count  # type: ignore[attr-defined]
    return build_shape(StageOut, stage, boards_per_round=stage.boards, rounds=rounds_planned(stage, entered))
