"""What it takes to present a game in the terminal, and the presenter that serves any game."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rich.console import Group, RenderableType
from rich.text import Text

from bots.kit.display.console import DIM
from bots.kit.replay.ink import Ink
from bots.kit.replay.walk import Heard, Stop
from engine import Replay, Seat

COMMON = ("game", "preset", "rules_version", "seat", "seats", "legal")
"""Fields of an observation that say nothing new from stop to stop."""


class Presenter(Protocol):
    """Shows one game. Gets stops only, so it can give nothing away that the stops do not hold."""

    def __init__(self, replayed: Replay, ink: Ink, seat: Seat | None) -> None:
        """Present this record as ``seat`` saw it, or with all hands open."""

    def page(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """One deal from its first stop to its last, to be read from top to bottom."""

    def picture(self, stop: Stop) -> RenderableType:
        """The table at one stop."""

    def said(self, stop: Stop) -> list[Text]:
        """What happened on the way to a stop, a line each."""


class PlainPresenter:
    """Presents any game: events and observations field by field."""

    def __init__(self, replayed: Replay, ink: Ink, seat: Seat | None) -> None:
        """See ``Presenter``."""
        self._ink = ink

    def page(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """Every event on a line of its own, answers gathered up to the next event."""
        acts: list[str] = []
        phase = ""
        for stop in stops:
            for heard in stop.heard:
                if heard.kind == "act":
                    if heard.fields["phase"] != phase:
                        yield from _acts_line(phase, acts)
                        phase = heard.fields["phase"]
                    acts.append(act_words(heard))
                    continue
                yield from _acts_line(phase, acts)
                yield Text(f"  {event_words(heard)}")
        yield from _acts_line(phase, acts)

    def picture(self, stop: Stop) -> RenderableType:
        """What all who look see, then each seat's own fields."""
        if not stop.eyes:
            return Text("(over before anybody could look)", DIM)
        views = {seat: {k: v for k, v in eyes.items() if k not in COMMON} for seat, eyes in stop.eyes.items()}
        first = next(iter(views.values()))
        shared = {k: v for k, v in first.items() if all(view.get(k) == v for view in views.values())}
        lines = [Text(f"{name}: {value_words(value)}") for name, value in shared.items()]
        for seat, view in views.items():
            own = [f"{name} {value_words(value)}" for name, value in view.items() if name not in shared]
            lines.append(Text.assemble((f"seat {seat}: ", "bold"), "; ".join(own)))
        return Group(*lines)

    def said(self, stop: Stop) -> list[Text]:
        """Each event."""
        return [Text(act_words(heard) if heard.kind == "act" else event_words(heard)) for heard in stop.heard]


def _acts_line(phase: str, acts: list[str]) -> Iterator[Text]:
    """The answers gathered so far as one line, if there are any; they are gone afterwards."""
    if acts:
        yield Text(f"  {phase}: {', '.join(acts)}")
        acts.clear()


def act_words(heard: Heard) -> str:
    """An answer: ``3 DEFER (referee: PROTOCOL)``."""
    by_referee = f" (referee: {heard.verdict})" if heard.verdict else ""
    return f"{heard.fields['seat']} {heard.fields['action']}{by_referee}"


def event_words(heard: Heard) -> str:
    """Any other event: ``trick: n 1, pictures 2, winner 3``."""
    fields = {**heard.fields, **{f"hand of {seat}": list(cards) for seat, cards in heard.hands.items()}}
    number = fields.pop("deal", None)
    return f"{heard.kind}{'' if number is None else f' {number}'}: {fields_words(fields)}"


def fields_words(fields: Mapping[str, Any]) -> str:
    """Named values on one line."""
    return ", ".join(f"{name} {value_words(value)}" for name, value in fields.items())


def value_words(value: object) -> str:
    """A plain JSON value in few characters."""
    if isinstance(value, list):
        return " ".join(value_words(item) for item in value) or "none"
    if isinstance(value, dict):
        return " ".join(f"{name}={value_words(item)}" for name, item in value.items()) or "none"
    return value if isinstance(value, str) else json.dumps(value)
