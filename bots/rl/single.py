"""Gymnasium environments: one side learns, bots play the other seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import logger
from gymnasium.spaces import Space
from numpy.typing import NDArray

from bots.rl.boards import RENDER_MODES, Setting, rendered, require_render_mode, stones_won
from bots.rl.errors import RlError
from bots.rl.layouts import Array
from bots.rl.opponents import BotMaker, Opponents, bot_maker
from bots.rl.spaces import action_space, encoded_space
from engine import Seat, State
from engine.refusals import quoted

MOST_DRAWS = 1000
"""Maximum boards drawn until one has a decision for the learner."""


class SideEnv(gymnasium.Env[Array, Any]):
    """One board an episode. The learner decides for all seats of its side, or for one seat with a partner.

    An observation belongs to the seat that has to act. A reward is the number of stones that the own side won
    in the deals that ended since the last action.

    A masked action is a fault: the fallback action of the rules replaces it, as at a table of the referee.
    The message is a warning, and ``info["fault"]``.
    """

    def __init__(
        self,
        setting: Setting,
        opponents: str | BotMaker,
        partner: str | BotMaker | None,
        render_mode: str | None,
    ) -> None:
        self.setting = setting
        self.metadata = {"render_modes": [*RENDER_MODES], "render_fps": 1}
        self.render_mode = render_mode
        self.observation_space: Space[Any] = encoded_space(setting.layout)
        self.action_space: Space[Any] = action_space(setting.layout)
        self.seat: Seat = 0
        """The seat for which the next action is."""
        self.position: State | None = None
        """The state of the engine, hidden cards included."""
        if partner is not None and max(map(len, setting.rules.sides)) == 1:
            raise RlError(f"{setting.name} has no pairs: leave partner out")
        game = setting.rules.game.key
        self._opponents = bot_maker(opponents, game)
        self._partner = None if partner is None else bot_maker(partner, game)
        self._own: tuple[Seat, ...] = ()
        self._bots: Opponents
        self._rewarded: State | None = None
        """The state up to which rewards were given."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start a board: options ``board`` (an ``engine.Board``) and ``seat`` (1 to n), or drawn at random.

        Boards that end before any decision of the learner are drawn again.
        """
        super().reset(seed=seed)
        given = options or {}
        for _ in range(1 if "board" in given else MOST_DRAWS):
            if self._start(given.get("board"), given.get("seat")):
                return self._observation(), self._info()
        raise RlError(f"seat {self.seat} has no decision on such a board: reset with another board or seat")

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        before = self.position
        if before is None or not before.to_act:
            raise RlError("no board is being played: call reset() first")
        faults = {}
        try:
            text = self.setting.action_of(before, self.seat, action)
        except RlError as fault:
            logger.warn(f"{fault}; the fallback action is played instead")
            faults["fault"] = str(fault)
            text = before.fallback(self.seat)
        is_over = not self._advance(before.apply(self.seat, text))
        stones = stones_won(self._rewarded, self._current).get(self.seat, 0)
        self._rewarded = self.position
        return self._observation(), float(stones), is_over, False, {**self._info(), **faults}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return whether each action is legal; MaskablePPO of sb3-contrib calls this."""
        return self.setting.layout.mask(self._current.legal(self.seat)).astype(np.bool_)

    def render(self) -> Any:
        """Return the position as text (``ansi``), or print it (``human``)."""
        if self.render_mode is None:
            logger.warn("nothing to render: make the environment with render_mode='ansi' or 'human'")
            return None
        return rendered(self._current, self.setting.seats, self.render_mode)

    def _start(self, board: object, seat: object) -> bool:
        """Start a board and play up to the first decision of the learner. Return whether there is one."""
        rules, rng = self.setting.rules, self.np_random
        state = self.setting.start(self.setting.random_board(rng) if board is None else board)
        if seat is None:
            seat = int(rng.choice(self.setting.seats))
        if not isinstance(seat, int) or seat not in self.setting.seats:
            last = self.setting.seats[-1]
            raise RlError(f"reset option 'seat' is {quoted(str(seat))}: give a seat from 1 to {last}")
        side = next(side for side in rules.sides if seat in side)
        self._own = (seat,) if self._partner else side
        makers = {
            each: self._partner if self._partner and each in side else self._opponents
            for each in self.setting.seats
            if each not in self._own
        }
        self._bots = Opponents(self.setting, makers, rng.bytes(16).hex())
        self.seat, self._rewarded = self._own[0], None
        return self._advance(state)

    def _advance(self, state: State) -> bool:
        """Let the bots play up to the next decision of the learner. Return whether there is one."""
        while state.to_act and state.to_act[0] not in self._own:
            state = self._bots.act(state, state.to_act[0])
        self.position = state
        if state.to_act:
            self.seat = state.to_act[0]
        if self.render_mode == "human":
            self.render()
        return bool(state.to_act)

    @property
    def _current(self) -> State:
        if self.position is None:
            raise RlError("no board is being played: call reset() first")
        return self.position

    def _observation(self) -> Array:
        options = self.setting.rules.ruleset.as_dict()
        return self.setting.layout.encode(self._current.observe(self.seat), options)

    def _info(self) -> dict[str, Any]:
        mask = self.setting.layout.mask(self._current.legal(self.seat))
        return {"seat": self.seat, "action_mask": mask.view(np.int8)}


def side_env(
    name: str,
    kind: str,
    opponents: str | BotMaker,
    partner: str | BotMaker | None,
    options: Mapping[str, Any] | None,
    render_mode: str | None,
) -> SideEnv:
    require_render_mode(render_mode)
    return SideEnv(Setting.of(name, kind, options), opponents, partner, render_mode)
