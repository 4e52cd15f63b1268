"""What a bot saw when it was asked, drawn from the observation of the request for its author to look at.

A game with a presenter of its own is shown as cards on a table, any other as the fields it tells.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from arena.web.positions.chips import Chip, Choice, word_chip
from arena.web.positions.kakeya import Kakeya, kakeya_of
from arena.web.positions.kakkuri import Kakkuri, kakkuri_of

PRESENTERS: Mapping[str, Callable[[Mapping[str, Any], Choice], Kakeya | Kakkuri]] = {
    "kakeya": kakeya_of,
    "kakkuri": kakkuri_of,
}
"""By the name an observation gives its game."""


class Plain(NamedTuple):
    """A position of a game without a presenter: what it tells, field by field."""

    headline: str
    fields: list[tuple[str, str]]
    legal: list[Chip]
    template: str = "web/positions/_plain.html"

    def chips(self) -> list[Chip]:
        """Those that can be marked as the bot's choice."""
        return self.legal


Position = Kakeya | Kakkuri | Plain


def position_of(request: Mapping[str, Any], answer: str | None, played: str | None) -> Position | None:
    """The position of a request; None if it holds none. ``answer`` and ``played`` are actions.

    A position that its presenter cannot read is shown plainly: rules change, and old faults stay.
    """
    observation = request.get("observation")
    if not isinstance(observation, Mapping):
        return None
    legal = [str(action) for action in observation.get("legal") or ()]
    choice = Choice(frozenset(legal), answer, played)
    presenter = PRESENTERS.get(str(observation.get("game")))
    if presenter is not None:
        try:
            return presenter(observation, choice)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError):
            pass
    fields = [
        (str(name).replace("_", " "), value if isinstance(value, str) else json.dumps(value))
        for name, value in observation.items()
        if name != "legal"
    ]
    where = f"Seat {observation.get('seat')}, {observation.get('phase')}"
    return Plain(where, fields, [choice.mark(word_chip(action, {})) for action in legal])
