"""Plays of other tables in the positions of a deal, in the panel of notes."""

from __future__ import annotations

from itertools import groupby

from viewer import cards
from viewer.markup import Html, element, joined
from viewer.scene import FieldPlay, Scene


def field_parts(scene: Scene) -> list[Html]:
    """Return a line for each play, once for plays in a row with the same line; none during a retry."""
    parts = []
    moment = scene.moment._replace(at=-1) if scene.retry else scene.moment
    steps = range(min(len(scene.items), len(scene.field)))
    for (count, step), run in groupby(steps, key=lambda step: _line_key(scene, step)):
        positions = [scene.stops.position(each) for each in run]
        attributes = {"class": "small", "data-field": count}
        line = _line(scene, count, step)
        parts.append(moment.timed("p", attributes, line, first=positions[0], until=positions[-1] + 1))
    return parts


def _line_key(scene: Scene, step: int) -> tuple[int, int | None]:
    """Return how many other tables were in the position, and the step if any played another card."""
    plays = scene.field[step]
    differs = any(play.card != scene.items[step]["a"] for play in plays)
    return sum(play.tables for play in plays), step if differs else None


def _line(scene: Scene, count: int, step: int | None) -> Html:
    texts = scene.texts
    if step is None:
        return Html(texts.counted(texts.field_same, count) if count else texts.field_none)
    plays = joined([_play(scene, play) for play in scene.field[step]], texts.comma)
    return joined([texts.field_played, texts.colon, plays])


def _play(scene: Scene, play: FieldPlay) -> Html:
    link = element("a", {"href": play.href}, cards.card_text(play.card, scene.texts))
    return joined([link, f" × {play.tables}"])
