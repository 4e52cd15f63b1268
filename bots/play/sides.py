"""Sides of a match from arguments of ``play`` and ``compare``."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bots.kit.errors import InvalidInput
from bots.kit.local.bot_presets import PAIR_SEPARATOR
from bots.kit.local.in_process import CallableRaised, MakeBot, in_process_bundle
from bots.kit.local.sides import Contender, bundles_of, check_count
from bots.sdk import Answer, Bot, Request
from engine import Rules
from engine.refusals import quoted
from referee.bundle import NAME_CHARACTERS, Bundle

Function = Callable[[Request], str | Answer]
"""A bot as a function: takes a request, returns one of ``request.legal``."""
OneBot = str | os.PathLike[str] | Function | MakeBot
BotOrPair = OneBot | tuple[OneBot, ...]
"""One bot for all seats of a side, or a tuple with one per seat, from the lower seat."""

RAISE, VERDICT = "raise", "verdict"


class Lineup(NamedTuple):
    contenders: tuple[Contender, ...]
    makers: Mapping[str, MakeBot]
    """Makers of the bots of this process, by the hash of their stand-in for a bundle."""


def lineup_of(
    given: Sequence[BotOrPair],
    rules: Rules,
    *,
    names: Sequence[str] | None = None,
    on_error: str = RAISE,
) -> Lineup:
    """Return the sides. Raise ``InvalidInput`` if the number is wrong, a bot cannot be used, or two different
    bots have one name.
    """
    if on_error not in (RAISE, VERDICT):
        raise InvalidInput(f"on_error is {quoted(str(on_error))}: give {RAISE!r} or {VERDICT!r}")
    check_count(given, rules)
    labels = _labels(given) if names is None else _checked_names(names, given)
    maker = _Makers(on_error == RAISE)
    seats = max(len(side) for side in rules.sides)
    contenders = []
    for side, label in zip(given, labels, strict=True):
        if not isinstance(side, tuple):
            contenders.append(Contender(label, maker.bundles(side, label, seats, rules), _text(side)))
            continue
        if len(side) != seats:
            raise InvalidInput(
                f"side {quoted(label)} has {len(side)} bots, but {seats} seats: give one per seat"
            )
        parts = [
            maker.bundles(bot, _text(bot) if names is None else f"{label} {position}", 1, rules)
            for position, bot in enumerate(side, start=1)
        ]
        argument = PAIR_SEPARATOR.join(map(_text, side))
        contenders.append(Contender(label, tuple(bundle for part in parts for bundle in part), argument))
    return Lineup(tuple(contenders), maker.by_hash)


def _text(bot: BotOrPair) -> str:
    """Return the argument for a command line that stands for a bot, or the name of a function."""
    if isinstance(bot, tuple):
        return PAIR_SEPARATOR.join(map(_text, bot))
    if isinstance(bot, str | os.PathLike):
        return os.fspath(bot)
    named = getattr(bot, "func", bot)
    return str(getattr(named, "__name__", type(named).__name__))


def _labels(given: Sequence[BotOrPair]) -> list[str]:
    """Return a name per side; the same bot again gets a number."""
    first: dict[str, BotOrPair] = {}
    counts: dict[str, int] = {}
    labels = []
    for side in given:
        name = _text(side)
        if not _is_same(first.setdefault(name, side), side):
            raise _one_name(name)
        counts[name] = counts.get(name, 0) + 1
        labels.append(name if counts[name] == 1 else f"{name} #{counts[name]}")
    return labels


def _is_same(left: BotOrPair, right: BotOrPair) -> bool:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_is_same, left, right))
    if isinstance(left, str | os.PathLike) and isinstance(right, str | os.PathLike):
        return os.fspath(left) == os.fspath(right)
    return left is right


def _one_name(name: str) -> InvalidInput:
    return InvalidInput(f"two different bots are named {quoted(name)}: give names=[...], one name per side")


def _checked_names(names: Sequence[str], given: Sequence[BotOrPair]) -> list[str]:
    if isinstance(names, str) or len(names) != len(given):
        raise InvalidInput(f"names needs a list of {len(given)} names, one per side")
    for name in names:
        if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARACTERS:
            raise InvalidInput(
                f"names has {quoted(str(name))}: a name is a text of 1 to {NAME_CHARACTERS} characters"
            )
        if list(names).count(name) > 1:
            raise InvalidInput(f"names has {quoted(name)} twice: give each side a name of its own")
    return list(names)


class _Makers:
    def __init__(self, raises: bool) -> None:
        self.by_hash: dict[str, MakeBot] = {}
        self._raises = raises
        self._functions: dict[str, object] = {}

    def bundles(self, bot: OneBot, name: str, seats: int, rules: Rules) -> tuple[Bundle, ...]:
        if isinstance(bot, str | os.PathLike):
            return bundles_of(os.fspath(bot), seats, rules)
        own_name = _text(bot) if name.startswith(f"{_text(bot)} #") else name
        if self._functions.setdefault(own_name, bot) is not bot:
            raise _one_name(own_name)
        bundle = in_process_bundle(own_name)
        self.by_hash[bundle.sha256] = maker_of(bot, own_name, raises=self._raises)
        return (bundle,)


class FunctionBot(Bot):
    """A bot whose decisions a function makes."""

    def __init__(self, function: Function, name: str) -> None:
        super().__init__()
        self.name = name
        self._function = function

    def act(self, request: Request) -> str | Answer:
        return self._function(request)


def maker_of(bot: Any, name: str, *, raises: bool) -> MakeBot:
    """Return a function that makes the bot for one seat of one table.

    With ``raises``, exceptions of the bot's own code leave the referee as ``CallableRaised``. Raise
    ``InvalidInput`` unless ``bot`` is a function of one request, a subclass of ``Bot``, or a function without
    parameters that makes a bot.
    """
    if isinstance(bot, Bot):
        raise InvalidInput(
            f"{quoted(name)} is a bot: give its class, since every seat and table needs a new one"
        )
    if not callable(bot):
        raise InvalidInput(
            f"{quoted(str(bot))} is no bot: give a folder, an archive, a .py file, house:NAME, or a function"
        )
    if inspect.iscoroutinefunction(bot) or inspect.isgeneratorfunction(bot):
        raise InvalidInput(
            f"{quoted(name)} is asynchronous or a generator: give a function that returns an action"
        )
    makes_bots = _makes_bots(bot, name)

    def make() -> Bot:
        new_bot: Any = bot() if makes_bots else FunctionBot(bot, name)
        if not isinstance(new_bot, Bot):
            raise InvalidInput(
                f"{quoted(name)} has no parameters, so it has to make a bots.sdk.Bot, not "
                f"{type(new_bot).__name__}: if it is the bot, give it one parameter, the request"
            )
        if raises:
            for method in ("act", "on_hello", "on_event", "on_bye"):
                setattr(new_bot, method, _raising(getattr(new_bot, method), name))
        return new_bot

    return make


def _makes_bots(bot: Any, name: str) -> bool:
    """Return whether ``bot`` makes bots: a class, or a function without parameters.

    Raise ``InvalidInput`` if its parameters fit neither a bot nor a function that makes one.
    """
    maker = bot.func if isinstance(bot, functools.partial) else bot
    if isinstance(maker, type) and not issubclass(maker, Bot):
        raise InvalidInput(f"class {quoted(name)} is not a subclass of bots.sdk.Bot: derive it from Bot")
    is_class = isinstance(maker, type)
    try:
        signature = inspect.signature(bot)
    except (TypeError, ValueError):  # Some built-in functions have none.
        return is_class
    if not is_class and _accepts(signature, None):
        return False
    if _accepts(signature):
        return True
    expected = "without arguments: use functools.partial" if is_class else "with a request alone"
    raise InvalidInput(f"{quoted(name)} has the parameters {signature}, but is called {expected}")


def _accepts(signature: inspect.Signature, *arguments: object) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _raising(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            request = arguments[0] if arguments and isinstance(arguments[0], Request) else None
            where = f" in seat {request.seat}, phase {request.phase}" if request else ""
            error.add_note(
                f"Raised by the bot {name!r}{where}. With on_error='verdict', it counts as a crash."
            )
            raise CallableRaised from error

    return call
