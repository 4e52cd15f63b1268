"""Text of the stops of a record: scenes, events and whole deals."""

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
from viewer.position_scene import PositionScene, SceneInput, deal_end, event_text, scene_of, value_text
from viewer.texts import ENGLISH


class Presenter:
    """Renders stops as ``seat`` saw them, or with all hands open. Uses only data of the stops."""

    def __init__(self, replayed: Replay, renderer: SceneRenderer, seat: Seat | None) -> None:
        self._game = replayed.game.key
        self._options = replayed.ruleset.as_dict()
        self._renderer = renderer

    def scene(self, stop: Stop, events: Sequence[VisibleEvent] = ()) -> PositionScene | None:
        """Return the scene of a stop, or None without observations; the end of its deal if closing."""
        eyes: dict[Seat, Mapping[str, Any]] = dict(stop.eyes)
        if stop.is_closing:
            eyes = {seat: deal_end(observation, stop.heard) for seat, observation in eyes.items()}
        return scene_of(SceneInput(eyes, events, ENGLISH, self._options)) if eyes else None

    def deal_parts(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """Yield one deal: events before play, the table, the actions and the payment."""
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
            yield indented(self._renderer.rows(last.rows), above=1, below=1)
        yield from map(indented, referee_lines(events))
        yield from (indented(self._event_line(event)) for event in events if event["e"] == DEAL_END)

    def table(self, stop: Stop) -> RenderableType:
        scene = self.scene(stop)
        if scene is None:
            return Text("(the deal ended before any decision)", DIM)
        return self._renderer.table(scene) if scene.seats else Group(*map(self._renderer.line, scene.facts))

    def event_lines(self, stop: Stop) -> list[Text]:
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
        return self._renderer.text(text)

    def _plain_deal_parts(self, events: Sequence[VisibleEvent]) -> Iterator[Text]:
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
    """Return one line for each seat for which the referee acted."""
    counts = Counter((event["seat"], event["verdict"]) for event in events if "verdict" in event)
    return [
        Text(f"! The referee acted for seat {seat}, {count} time{'s' * (count > 1)}: {verdict}", "yellow")
        for (seat, verdict), count in counts.items()
    ]


def act_text(event: VisibleEvent) -> str:
    """Return an answer: ``3 DEFER (referee: PROTOCOL)``."""
    by_referee = f" (referee: {event['verdict']})" if "verdict" in event else ""
    return f"{event['seat']} {event['action']}{by_referee}"


def fields_text(event: VisibleEvent) -> str:
    """Return any other event: ``trick: n 1, pictures 2, winner 3``."""
    fields = {name: value for name, value in event.items() if name not in ("e", "deal", "hands")}
    fields |= {f"hand of {seat}": cards for seat, cards in event.get("hands", {}).items()}
    number = f" {event['deal']}" if "deal" in event else ""
    return f"{event['e']}{number}: " + ", ".join(f"{name} {value_text(fields[name])}" for name in fields)


def _phase(stop: Stop) -> Any:
    return next(iter(stop.eyes.values()))["phase"]
