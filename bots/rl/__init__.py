"""Environments for reinforcement learning, for the extra ``rl``: docs/rl.md.

>>> from bots import rl
>>> layout = rl.layout("kakeya4_v0")
>>> layout.title, layout.size, len(layout.actions)
('kakeya_v0', 527, 61)
"""

from __future__ import annotations

from bots.rl.layouts import layout

__all__ = ["layout"]
