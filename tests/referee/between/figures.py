"""Measured rates of all channels, and their table on the page.

``figures.json`` is written by ``python benchmarks/bench_between.py --write``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.referee.between.channel import Arrangement, Channel
from tests.referee.between.corpus import CHANNELS

FILE = Path(__file__).with_name("figures.json")
Cell = Mapping[str, Any]
"""As ``__main__`` prints it, with the mode it was played in."""

INTRODUCTION = """\
## Between tables

Two cooperating bots try to send each other a hand in three arrangements: at two tables one after the other,
at two tables at once, and as partners at one table, where each is stopped while the other runs. Each
channel is a pair of small programs (`tests/referee/between/bots/`) in the real sandbox, as root and as an
ordinary user, with a control group and without. The sender gets bits, the receiver returns a reading for
each. A threshold is learnt from some readings, and the other bits are guessed.

- *nothing*: of {guesses} guesses a cell, no more were right than by chance, with 99% confidence over all
  {cells:,} cells together.
- A rate: the highest of the modes at the observed error, in bits a second, or one after the other in bits a
  pair of tables.
- *Without*: the rate without the wall that blocks the channel. It shows that the channel works.

`make channels` plays all of them. At two whole tables of one board, a hand of 13 cards of 52 is read
exactly where bots run from a disk, and not at all from memory (`tests/referee/between/test_hand.py`).
"""


def read() -> list[Cell]:
    """The cells last measured."""
    found: list[Cell] = json.loads(FILE.read_text())["cells"] if FILE.exists() else []
    return found


def lines() -> Iterable[str]:
    """The page's part on what two tables can tell each other."""
    if not FILE.exists():
        return
    whole = json.loads(FILE.read_text())
    cells: list[Cell] = whole["cells"]
    counts = sorted(cell["guesses"] for cell in cells if "guesses" in cell)
    yield INTRODUCTION.format(guesses=f"{counts[0]:,} to {counts[-1]:,}", cells=whole["shared_by"]).rstrip()
    yield ""
    yield f"Measured: {_measured(cells)}."
    yield ""
    yield "| Channel | Method | Wall | After | At once | Partners | Without: after | At once | Partners |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for channel in CHANNELS:
        with_walls = [_carried(cells, channel, arrangement, walls=True) for arrangement in Arrangement]
        without = [_carried(cells, channel, arrangement, walls=False) for arrangement in Arrangement]
        columns = [f"`{channel.name}`", channel.does, channel.wall, *with_walls, *without]
        yield f"| {' | '.join(columns)} |"
    yield ""
    yield from _reasons()
    yield ""


def _measured(cells: list[Cell]) -> str:
    """Modes and arrangements of which there are figures, with the walls up."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        places = found.setdefault(cell["mode"], [])
        if cell["walls"] and cell["arrangement"] not in places:
            places.append(cell["arrangement"])
    return "; ".join(f"{mode} ({', '.join(sorted(places))})" for mode, places in found.items())


def _carried(cells: list[Cell], channel: Channel, arrangement: Arrangement, *, walls: bool) -> str:
    if not walls and not channel.without:
        return ""
    found = [
        cell
        for cell in cells
        if (cell["channel"], cell["arrangement"], cell["walls"]) == (channel.name, arrangement, walls)
    ]
    if not found:
        return "not measured"
    carrying = [cell for cell in found if cell["carries"]]
    if not carrying:
        return "nothing"
    unit = "per_pair" if arrangement is Arrangement.AFTER else "per_s"
    most = max(cell[unit] for cell in carrying)
    return f"{most:.3g} {'a pair' if arrangement is Arrangement.AFTER else 'bit/s'}"


def _reasons() -> Iterable[str]:
    """Why what stays is left, and why some walls stay."""
    yield "Open channels, with the reason:"
    yield ""
    reasons: dict[str, list[str]] = {}
    for channel in CHANNELS:
        for arrangement, reason in channel.open.items():
            reasons.setdefault(reason, []).append(f"`{channel.name}` ({arrangement})")
    for reason, where in reasons.items():
        yield f"- {', '.join(where)}: {reason}."
    yield ""
    yield "Channels with a wall that a test cannot remove:"
    yield ""
    unremovable: dict[str, list[str]] = {}
    for channel in CHANNELS:
        if channel.unremovable:
            unremovable.setdefault(channel.unremovable, []).append(f"`{channel.name}`")
    for reason, names in unremovable.items():
        yield f"- {', '.join(names)}: {reason}."
