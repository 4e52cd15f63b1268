"""Environments for reinforcement learning: docs/rl.md.

``env`` and ``gym`` need the extra ``rl``: ``pip install 'rensho[rl]'``.

>>> from bots import rl
>>> layout = rl.layout("kakeya4_v0")
>>> layout.title, layout.size, len(layout.actions)
('kakeya_v0', 527, 61)
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bots.rl.errors import MissingExtra
from bots.rl.layouts import environment_names, layout

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from bots.rl.aec import Seen
    from bots.rl.batch import BatchEnv
    from bots.rl.opponents import BotMaker
    from bots.rl.single import SideEnv

__all__ = ["env", "environment_names", "gym", "layout", "vector"]

# Functions import their modules on first use, since those need libraries of the extra. No module may have the
# name of a function: its import would replace the function.


def env(
    name: str,
    *,
    kind: str = "deal",
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Seen, int]:
    """Return the PettingZoo environment ``PRESET_v0``, in which every seat is an agent.

    ``kind`` is ``deal`` or ``game``, the board that an episode plays. ``options`` change the rules of the
    preset, such as ``{"seats": 3}``. Raise ``LayoutError`` for an unknown name, ``RlError`` for other
    arguments that cannot be used.
    """
    module: Any = _module("aec")
    environment: AECEnv[str, Seen, int] = module.aec_env(name, kind, options, render_mode)
    return environment


def gym(
    name: str,
    *,
    opponents: str | BotMaker = "greedy",
    partner: str | BotMaker | None = None,
    kind: str = "deal",
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> SideEnv:
    """Return the Gymnasium environment ``PRESET_v0``, in which bots play the other seats.

    ``opponents`` and ``partner`` are the name of a house bot, such as ``rules``, or a subclass of
    ``bots.sdk.Bot``. Without a partner, the learner decides for both seats of its pair. ``env``
    documents the other arguments and the errors.
    """
    module: Any = _module("single")
    environment: SideEnv = module.side_env(name, kind, opponents, partner, options, render_mode)
    return environment


def vector(
    name: str,
    rows: int,
    *,
    kind: str = "deal",
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> BatchEnv:
    """Return ``rows`` boards of Kakeya or Etori, played at once in the kernel.

    ``kind`` and ``options`` are as in ``env``. Raise ``LayoutError`` for an unknown name, ``RlError`` for
    other arguments that cannot be used.
    """
    module: Any = _module("batch")
    batch: BatchEnv = module.batch_env(name, rows, kind, seed, options)
    return batch


def _module(name: str) -> Any:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("gymnasium", "pettingzoo"):
            raise MissingExtra(f"{error.name} is not installed: pip install 'rensho[rl]'") from None
        raise
