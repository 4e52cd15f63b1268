"""Bots of the SDK at the other seats of an environment, in the same process and without a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from bots.house import house_folders
from bots.rl.boards import Setting
from bots.rl.errors import RlError
from bots.sdk import Bot, Request
from engine import Seat, State
from engine.refusals import quoted
from engine.wire import Tokens, hello_line
from referee.contract import Clock

BotMaker = Callable[[], Bot]
"""Makes a bot for one seat: usually its class."""


def bot_maker(opponents: str | BotMaker, game: str) -> BotMaker:
    """Return the class of the house bot ``NAME`` of a game, or the given function.

    Raise ``RlError`` if there is no such house bot.
    """
    if callable(opponents):
        return opponents
    folders = [folder for folder in house_folders() if folder.startswith(f"{game}_")]
    folder = f"{game}_{str(opponents).removeprefix('house:')}"
    if folder not in folders:
        names = ", ".join(name.removeprefix(f"{game}_") for name in folders)
        raise RlError(f"no house bot {quoted(str(opponents))} of {game}: give one of {names}, or a Bot class")
    module = import_module(f"bots.house.{folder}.main")
    (bot_class,) = (
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    )
    return bot_class


class Opponents:
    """Bots at some seats of a board."""

    def __init__(self, setting: Setting, makers: Mapping[Seat, BotMaker], key: str) -> None:
        """Greet the bots; ``key`` (hex) determines their random numbers."""
        self._setting = setting
        self._options = setting.rules.ruleset.as_dict()
        self._clock = Clock()
        self._tokens = Tokens(key)
        self._requests = 0
        self._bots = {}
        for seat, maker in makers.items():
            bot = self._bots[seat] = maker()
            if not isinstance(bot, Bot):
                raise RlError(f"opponents made {quoted(type(bot).__name__)}: give a subclass of bots.sdk.Bot")
            game, ruleset = setting.rules.game, setting.rules.ruleset
            clock = {
                "start_ms": self._clock.start_wall_ms,
                "bank_ms": self._clock.bank_cpu_ms([setting.rules.kind]),
                "increment_ms": self._clock.increment_cpu_ms,
                "decision_cap_ms": self._clock.decision_cpu_cap_ms,
            }
            bot.reply_to(hello_line(game, ruleset, seat, clock=clock, rng=self._tokens.rng(seat)))

    def act(self, state: State, seat: Seat) -> State:
        """Return the state after the bot's answer. Raise ``RlError`` if the answer is not legal."""
        self._requests += 1
        legal = state.legal(seat)
        message = {
            "type": "request",
            "id": self._tokens.request_id(seat, self._requests),
            "phase": state.phase,
            "legal": list(legal),
            "observation": state.observe(seat),
            "clock": {
                "bank_ms": self._clock.bank_cpu_ms([self._setting.rules.kind]),
                "increment_ms": self._clock.increment_cpu_ms,
            },
        }
        answer = self._bots[seat].act(Request(message, self._options))
        action = getattr(answer, "action", answer)
        if action not in legal:
            name = type(self._bots[seat]).__name__
            raise RlError(
                f"{name} answered {quoted(str(action))} for seat {seat} ({state.situation}): "
                "act() must return one of request.legal"
            )
        return state.apply(seat, action)
