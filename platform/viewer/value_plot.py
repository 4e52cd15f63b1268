"""A plot of the double-dummy value over a deal, below the river."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.markup import Html, element
from viewer.scene import PositionState, Scene
from viewer.solver_notes import step_cost
from viewer.texts import signed

_TOP, _HEIGHT = 10.0, 80.0
"""Of the highest value, percent of the height, and from there to the lowest."""


def value_plot(scene: Scene, states: Sequence[PositionState]) -> Html:
    """Return the plot; empty without solved steps, and without content for a reader with one hand."""
    values = scene.values
    solved = [position for position, value in enumerate(values) if value is not None]
    if not solved:
        return Html("")
    box = {"class": "value-plot", "data-for-all": True}
    if scene.moment.seat is not None:
        return element("figure", box)
    begins = solved[0]
    known = [value for value in values if value is not None]
    high, low = max(*known, 0), min(*known, 0)
    parts = [_line("value-zero", 0, 100, _y(0, high, low), _y(0, high, low))]
    x, y = states[begins].x, _y(known[0], high, low)
    for position, value in zip(solved, known, strict=True):
        here, there = states[position].x, _y(value, high, low)
        if there != y or position == solved[-1]:
            parts.append(_line(None, x, here, y, y))
        if there != y:
            parts.append(_line(None, here, here, y, there))
            x, y = here, there
        if position > scene.stops.declared and step_cost(scene.notes, scene.step_at(position)):
            parts.append(Html(f'<circle class="value-cost" cx="{here}%" cy="{y}%" r="3.5"/>'))
    drawing = element("svg", {"class": "value-lines", "role": "img", "aria-label": _summary(scene)}, *parts)
    scale = [high, 0, low] if high and low else [high, low]
    labels = [element("span", None, signed(stones)) for stones in dict.fromkeys(scale)]
    return element(
        "figure",
        box,
        element("figcaption", None, scene.texts.value_plot.format(seats=scene.first_side)),
        element("p", {"class": "value-scale", "aria-hidden": "true"}, *labels),
        element("div", {"class": "river-track"}, drawing, playhead(states[scene.moment.at].x, "100%")),
    )


def playhead(x: float, height: str) -> Html:
    """Return a line at the position, ``x`` in percent, which the script moves."""
    line = f'<line x1="{x}%" x2="{x}%" y1="0" y2="{height}"/>'
    return Html(f'<svg class="river-head" aria-hidden="true">{line}</svg>')


def _summary(scene: Scene) -> str:
    """Return the changes of the value as text."""
    texts, keys = scene.texts, scene.stops.keys
    changes: list[str] = []
    previous: int | None = None
    for position, value in enumerate(scene.values):
        if value is not None and value != previous:
            changes.append(texts.value_at.format(key=keys[position], value=signed(value)))
        previous = value
    return texts.value_plot.format(seats=scene.first_side) + texts.colon + texts.comma.join(changes)


def _line(kind: str | None, x1: float, x2: float, y1: float, y2: float) -> Html:
    drawn = f' class="{kind}"' if kind else ""
    return Html(f'<line{drawn} x1="{x1}%" x2="{x2}%" y1="{y1}%" y2="{y2}%"/>')


def _y(value: int, high: int, low: int) -> float:
    return round(_TOP + _HEIGHT * (high - value) / ((high - low) or 1), 1)
