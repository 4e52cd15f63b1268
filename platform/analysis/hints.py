"""Hints: estimates for the seat to act, computed from its observation alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from analysis.estimates import Estimate
from analysis.games import notes_of_game
from analysis.work import Work
from engine import Observation, game_named
from engine.kernel import Cancel


class HintQuestion(NamedTuple):
    game: str
    preset: str
    options: Mapping[str, Any]
    """Options of the ruleset."""
    observation: Observation
    """As the seat to act receives it."""


def hint_of(question: HintQuestion, cancel: Cancel | None = None) -> Estimate | None:
    """Return the hint; None if this kind of decision has none.

    The random draws depend only on the question, so equal observations get equal hints. Raises
    ``AnalysisError``, ``EngineError``, ``Cancelled``.
    """
    game = game_named(question.game)
    notes = notes_of_game(game.key)
    work = Work(json.dumps(question, sort_keys=True), notes.limits, cancel)
    ruleset = game.ruleset(question.preset, dict(question.options))
    return notes.hint(game.worlds(ruleset, question.observation), question.observation, work)
