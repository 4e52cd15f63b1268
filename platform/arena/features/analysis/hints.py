"""Hints for persons at practice tables: requested here, estimated by the interactive queue."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from analysis.hints import HintQuestion
from arena.accounts.models import User
from arena.common.features import SeatHint, SeatQuestion
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.solving import UNSOLVED, Requester, request

HINT = "hint"
"""Key of the question in a row's ``position``."""


def seat_hint(question: SeatQuestion, user: User | None, address: str) -> SeatHint:
    """Return the hint for a decision; the first call requests it. Raises as ``request``."""
    hint = HintQuestion(question.game, question.preset, question.options, dict(question.observation))
    row = request({HINT: hint._asdict()}, Requester(user or AnonymousUser(), address))
    if row.state in UNSOLVED:
        return SeatHint("waiting")
    return SeatHint("ready", row.values) if row.values else SeatHint("none")


def hint_question(row: SolvedPosition) -> HintQuestion | None:
    """Return the question of a row that is a hint; None for a position to solve."""
    fields = row.position.get(HINT)
    return None if fields is None else HintQuestion(**fields)
