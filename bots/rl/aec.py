"""PettingZoo environments (AEC) of every preset, over the engine with which the referee plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Space
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from bots.rl.boards import RENDER_MODES, Setting, rendered, require_render_mode, stones_won
from bots.rl.errors import RlError
from bots.rl.spaces import action_space, seen_space
from engine import Seat, State

Seen = dict[str, NDArray[Any]]
"""An observation: ``observation`` in ``uint8``, ``action_mask`` in ``int8``."""


class BoardEnv(AECEnv[str, Seen, int]):
    """One board an episode: a deal, or a whole game. Agents are seats, ``seat_1`` and so on.

    Simultaneous answers come one after the other, in seat order; no agent sees one before all are given. A
    seat may act several times in a row. Rewards are stones, given when a deal ends; those of all agents add
    up to 0.
    """

    def __init__(self, setting: Setting, render_mode: str | None) -> None:
        super().__init__()
        self.setting = setting
        self.render_mode = render_mode
        self.metadata = {
            "name": setting.name,
            "render_modes": [*RENDER_MODES],
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.position: State
        """The state of the engine, hidden cards included."""
        self.possible_agents = [f"seat_{seat}" for seat in setting.seats]
        self._seat = dict(zip(self.possible_agents, setting.seats, strict=True))
        self.observation_spaces = {agent: seen_space(setting.layout) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(setting.layout) for agent in self.possible_agents}
        self._rng: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a board: option ``board`` (an ``engine.Board``), or one drawn at random.

        Boards that end a deal before any decision are drawn again.
        """
        if seed is not None or self._rng is None:
            self._rng, _ = seeding.np_random(seed)
        if options and "board" in options:
            position = self.setting.start(options["board"])
            if not begins_with_decision(position):
                raise RlError(
                    "reset option 'board': its first deal is won as it is dealt, before any decision"
                )
            self.position = position
        else:
            self.position = first_decision(self.setting, self._rng)
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._agent_to_act()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Seen:
        return seen_by(self.setting, self.position, self._seat[agent])

    def step(self, action: int | None) -> None:
        """Answer for ``agent_selection``. Raise ``RlError`` for a masked action; nothing changes then."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        before, seat = self.position, self._seat[self.agent_selection]
        self.position = before.apply(seat, self.setting.action_of(before, seat, action))
        self._cumulative_rewards[self.agent_selection] = 0
        self._clear_rewards()
        for winner, stones in stones_won(before, self.position).items():
            self.rewards[f"seat_{winner}"] = stones
        self._accumulate_rewards()
        if self.position.to_act:
            self.agent_selection = self._agent_to_act()
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the position as text (``ansi``), or print it (``human``)."""
        if self.render_mode is None:
            logger.warn("nothing to render: make the environment with render_mode='ansi' or 'human'")
            return None
        return rendered(self.position, self.setting.seats, self.render_mode)

    def close(self) -> None:
        pass

    def _agent_to_act(self) -> str:
        return f"seat_{self.position.to_act[0]}"


def aec_env(
    name: str, kind: str, options: Mapping[str, Any] | None, render_mode: str | None
) -> OrderEnforcingWrapper[str, Seen, int]:
    require_render_mode(render_mode)
    return OrderEnforcingWrapper(BoardEnv(Setting.of(name, kind, options), render_mode))


def first_decision(setting: Setting, rng: np.random.Generator) -> State:
    while True:
        state = setting.start(setting.random_board(rng))
        if begins_with_decision(state):
            return state


def begins_with_decision(state: State) -> bool:
    """Return whether no deal of a board was won as it was dealt; its stones would be no agent's reward."""
    return bool(state.to_act) and not stones_won(None, state)


def seen_by(setting: Setting, state: State, seat: Seat) -> Seen:
    mask = setting.layout.mask(state.legal(seat)).view(np.int8)
    encoded = setting.layout.encode(state.observe(seat), setting.rules.ruleset.as_dict())
    return {"observation": encoded, "action_mask": mask}
