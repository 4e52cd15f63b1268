"""What a bot saw when it was asked, drawn from the observation of the request for its author to look at.

A game with a presenter of its own in ``positions/games`` is shown as cards on a table, any other field by
field.
"""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from arena.web.drawing.positions import games
from arena.web.drawing.positions.chips import Choice, Line, Position, word_chip

Presenter = Callable[[Mapping[str, Any], Choice, Mapping[str, Any]], Position]
"""Makes a position of an observation and the options of its ruleset; may raise the errors of reading one that
is shaped otherwise."""


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
    facts = [
        Line(str(name).replace("_", " "), note=value if isinstance(value, str) else json.dumps(value))
        for name, value in observation.items()
        if name != "legal"
    ]
    where = f"Seat {observation.get('seat')}, {observation.get('phase')}"
    return Position(where, facts, [[choice.mark(word_chip(action, {})) for action in legal]])
