"""Mean losses of the legal actions of a seat in deals that it cannot distinguish from the real one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal, TypedDict

from engine import Action

EQUAL_ERRORS = 2.0
"""Standard errors within which an action counts as good as the best one."""

Method = Literal["open", "rules"]
"""``open``: each deal is solved with all hands open; ``rules``: all seats play it on by rules of thumb."""


class EstimatedAction(TypedDict):
    action: Action
    loss: float
    """Mean loss in stones against the best action, two decimals; 0 for the best one."""
    error: float
    """Standard error of ``loss``."""
    is_equal: bool
    """Whether the loss is within ``EQUAL_ERRORS`` standard errors of 0."""


class Estimate(TypedDict):
    method: Method
    deals: int
    """Possible deals that were played on."""
    actions: list[EstimatedAction]
    """Best first. The sample that selects the best action also measures the losses."""


def estimate_of(method: Method, values: Mapping[Action, Sequence[float]]) -> Estimate:
    """Return the estimate from values, in stones to the side of the seat, by action and possible deal."""
    best = max(values, key=lambda action: math.fsum(values[action]))
    deals = len(values[best])
    actions = []
    for action, own in values.items():
        losses = [most - value for most, value in zip(values[best], own, strict=True)]
        error = stdev(losses) / math.sqrt(deals) if deals > 1 else 0.0
        actions.append(estimated(action, fmean(losses), error))
    return {"method": method, "deals": deals, "actions": best_first(actions)}


def estimated(action: Action, loss: float, error: float) -> EstimatedAction:
    return {
        "action": action,
        "loss": round(max(0.0, loss), 2),
        "error": round(error, 2),
        "is_equal": loss <= EQUAL_ERRORS * error,
    }


def best_first(actions: Iterable[EstimatedAction]) -> list[EstimatedAction]:
    return sorted(actions, key=lambda each: (each["loss"], each["error"]))
