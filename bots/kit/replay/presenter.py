"""Stops of a record in the terminal: the scene of each, events in words, a deal from beginning to end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bots.kit.display.console import DIM
from bots.kit.replay.scene_renderer import SceneRenderer, indented, stones_text
from bots.kit.replay.stops import DEAL_END, Stop, VisibleEvent
from engine import Replay, Seat
from viewer.position_scene import Look, Scene, deal_end, event_text, scene_of, value_text
from viewer.words import ENGLISH


class Presenter:
    """Shows stops, and nothing that they do not hold."""

    def __init__(self, replayed: Replay, ink: SceneRenderer, seat: Seat | None) -> None:
        """Present this record as ``seat`` saw it, or with all hands open."""
        self._game = replayed.game.key
        self._options = replayed.ruleset.as_dict()
        self._ink = ink

    def scene(self, stop: Stop, events: Sequence[VisibleEvent] = ()) -> Scene | None:
        """What those who look see at a stop; at one that closes a deal, its end."""
        eyes: dict[Seat, Mapping[str, Any]] = dict(stop.eyes)
        if stop.is_closing:
            eyes = {seat: deal_end(seen, stop.heard) for seat, seen in eyes.items()}
        return scene_of(Look(eyes, events, ENGLISH, self._options)) if eyes else None

    def deal_parts(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """One deal: what came before the first card, the table, what was played, the payment."""
        events = [event for stop in stops for event in stop.heard]
        last = self.scene(stops[-1], events)
        if last is None or last.kind == "plain":
            yield from self._plain_deal_parts(events)
            return
        acts = [event["e"] == "act" and event["phase"] == last.play_phase for event in events]
        first = acts.index(True) if True in acts else len(events)
        yield from (indented(self._event_line(event)) for event in events[:first] if event["e"] != DEAL_END)
        dealt = (stop for stop in stops if stop.eyes and _phase(stop) in (last.play_phase, "over"))
        if (begun := next(dealt, None)) is not None:
            yield indented(self.table(begun), above=1)
        if last.rows is not None:
            yield indented(self._ink.rows(last.rows), above=1, below=1)
        yield from map(indented, referee_lines(events))
        yield from (indented(self._event_line(event)) for event in events if event["e"] == DEAL_END)

    def table(self, stop: Stop) -> RenderableType:
        """The table at one stop."""
        scene = self.scene(stop)
        if scene is None:
            return Text("(over before anybody could look)", DIM)
        return self._ink.table(scene) if scene.seats else Group(*map(self._ink.line, scene.facts))

    def event_lines(self, stop: Stop) -> list[Text]:
        """What happened on the way to a stop, a line each."""
        scene = None if stop.heard else self.scene(stop)
        return [self._event_line(event) for event in stop.heard] or [Text(scene.headline if scene else "")]

    def _event_line(self, event: VisibleEvent) -> Text:
        text = event_text(self._game, event, ENGLISH, self._options)
        if text is None:
            return Text(act_text(event) if event["e"] == "act" else fields_text(event))
        if "verdict" in event:
            text += f" The referee chose it ({event['verdict']})."
        if event["e"] == DEAL_END:
            text += f" Stones: {stones_text(event['stones'])}."
        return self._ink.text(text)

    def _plain_deal_parts(self, events: Sequence[VisibleEvent]) -> Iterator[Text]:
        """Every event on a line of its own, answers of a phase gathered up to the next event."""
        acts: list[VisibleEvent] = []
        for event in [*events, {"e": ""}]:
            if acts and (event["e"] != "act" or event["phase"] != acts[0]["phase"]):
                yield Text(f"  {acts[0]['phase']}: {', '.join(map(act_text, acts))}")
                acts = []
            if event["e"] == "act":
                acts.append(event)
            elif event["e"]:
                yield Text(f"  {fields_text(event)}")


def referee_lines(events: Sequence[VisibleEvent]) -> list[Text]:
    """A line for each seat the referee acted for."""
    counts = Counter((event["seat"], event["verdict"]) for event in events if "verdict" in event)
    return [
        Text(f"! The referee acted for seat {seat}, {count} time{'s' * (count > 1)}: {verdict}", "yellow")
        for (seat, verdict), count in counts.items()
    ]


def act_text(event: VisibleEvent) -> str:
    """An answer: ``3 DEFER (referee: PROTOCOL)``."""
    by_referee = f" (referee: {event['verdict']})" if "verdict" in event else ""
    return f"{event['seat']} {event['action']}{by_referee}"


def fields_text(event: VisibleEvent) -> str:
    """Any other event: ``trick: n 1, pictures 2, winner 3``."""
    fields = {name: value for name, value in event.items() if name not in ("e", "deal", "hands")}
    fields |= {f"hand of {seat}": cards for seat, cards in event.get("hands", {}).items()}
    number = f" {event['deal']}" if "deal" in event else ""
    return f"{event['e']}{number}: " + ", ".join(f"{name} {value_text(fields[name])}" for name in fields)


def _phase(stop: Stop) -> Any:
    return next(iter(stop.eyes.values()))["phase"]
