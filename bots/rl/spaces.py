"""Gymnasium's spaces for the arrays of a layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from bots.rl.layouts import Layout


def encoded_space(layout: Layout) -> spaces.Box:
    return spaces.Box(np.zeros_like(layout.highest), layout.highest, dtype=np.uint8)


def seen_space(layout: Layout) -> spaces.Space[Any]:
    mask = spaces.Box(0, 1, (len(layout.actions),), np.int8)
    return spaces.Dict({"observation": encoded_space(layout), "action_mask": mask})


def action_space(layout: Layout) -> spaces.Discrete:
    return spaces.Discrete(len(layout.actions))
