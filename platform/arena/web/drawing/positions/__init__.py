"""What a bot saw when it was asked, drawn from the observation of the request for its author to look at.

A game with a presenter of its own in ``positions/games`` is shown as cards on a table, any other field by
field.
"""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from arena.web.drawing.positions import games
from arena.web.drawing.positions.chips import Chip, Choice, word_chip


class Position(Protocol):
    """A position as a page has it; its template reads whatever else it holds, as ``position``."""

    @property
    def template(self) -> str:
        """The name of its template."""

    def chips(self) -> Sequence[Chip]:
        """Those that can be marked as the bot's choice."""


Presenter = Callable[[Mapping[str, Any], Choice, Mapping[str, Any]], Position]
"""Makes a position of an observation and the options of its ruleset; may raise the errors of reading one that
is shaped otherwise."""


class Plain(NamedTuple):
    """A position of a game without a presenter: what it tells, field by field."""

    headline: str
    fields: list[tuple[str, str]]
    legal: list[Chip]
    template: str = "web/positions/_plain.html"

    def chips(self) -> list[Chip]:
        """Those that can be marked as the bot's choice."""
        return self.legal


@functools.cache
def presenters() -> dict[str, Presenter]:
    """The ``PRESENTER`` of each module in ``positions/games``, by the key of the game it is named as."""
    names = [module.name for module in pkgutil.iter_modules(games.__path__)]
    return {name: importlib.import_module(f"{games.__name__}.{name}").PRESENTER for name in names}


def position_of(
    request: Mapping[str, Any],
    answer: str | None,
    played: str | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Position | None:
    """The position of a request; None if it holds none. ``answer`` and ``played`` are actions.

    ``options`` are those of the ruleset; without them defaults apply.

    A position that its presenter cannot read is shown plainly: rules change, and old faults stay.
    """
    observation = request.get("observation")
    if not isinstance(observation, Mapping):
        return None
    legal = [str(action) for action in observation.get("legal") or ()]
    choice = Choice(frozenset(legal), answer, played)
    presenter = presenters().get(str(observation.get("game")))
    if presenter is not None:
        try:
            return presenter(observation, choice, options)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            pass
    fields = [
        (str(name).replace("_", " "), value if isinstance(value, str) else json.dumps(value))
        for name, value in observation.items()
        if name != "legal"
    ]
    where = f"Seat {observation.get('seat')}, {observation.get('phase')}"
    return Plain(where, fields, [choice.mark(word_chip(action, {})) for action in legal])
