"""Stepping through a record in the terminal, one key per step."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from bots.kit.display.console import DIM
from bots.kit.replay.presenter import Presenter
from bots.kit.replay.scene_renderer import SceneRenderer, stones_text
from bots.kit.replay.stops import Stop

ReadKey = Callable[[], str]
"""Returns the next pressed key; empty at the end of input."""

NEXT, PREVIOUS, QUIT = "next", "previous", "quit"
KEYS = {
    **dict.fromkeys(("n", " ", "\r", "\n", "l", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"), NEXT),
    **dict.fromkeys(("p", "h", "\x7f", "\b", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"), PREVIOUS),
    **dict.fromkeys(("q", "\x1b", "\x04", ""), QUIT),
    **{"d": "next deal", "D": "previous deal", "b": "next board", "B": "previous board"},
    **dict.fromkeys(("g", "\x1b[H", "\x1bOH"), "first"),
    **dict.fromkeys(("G", "\x1b[F", "\x1bOF"), "last"),
}
HELP = "n/p next/previous  d/D next/previous deal  b/B next/previous board  g/G first/last  q quit"
ESCAPE_BYTES = 3


def step_through(
    console: Console, renderer: SceneRenderer, preset: str, present: Presenter, stops: Sequence[Stop]
) -> None:
    """Display one stop after another until the user quits, then restore the screen."""
    index = 0
    with console.screen(hide_cursor=True), _keys() as read:
        while True:
            _print_stop(console, renderer, preset, present, stops, index)
            move = KEYS.get(read(), "")
            if move == QUIT:
                return
            index = next_index(stops, index, move)


def next_index(stops: Sequence[Stop], current: int, move: str) -> int:
    """Return the index of the stop to which a move leads; unchanged if it leads nowhere."""
    if move in (NEXT, PREVIOUS):
        current += 1 if move == NEXT else -1
        return min(max(current, 0), len(stops) - 1)
    if move in ("first", "last"):
        return 0 if move == "first" else len(stops) - 1
    if not move:
        return current
    way, _, unit = move.partition(" ")

    def place(index: int) -> tuple[int, ...]:
        stop = stops[index]
        return (stop.board, stop.deal) if unit == "deal" else (stop.board,)

    starts = [index for index in range(len(stops)) if not index or place(index) != place(index - 1)]
    if way == "next":
        return next((index for index in starts if index > current), current)
    return next((index for index in reversed(starts) if index < current), current)


def _print_stop(
    console: Console,
    renderer: SceneRenderer,
    preset: str,
    present: Presenter,
    stops: Sequence[Stop],
    index: int,
) -> None:
    stop = stops[index]
    where = [preset, f"board {stop.board}"]
    if stop.kind == "game":
        where.append(f"deal {stop.deal}")
    where.append(f"step {index + 1} of {len(stops)}")
    console.clear()
    console.print(renderer.heading(" · ".join(where), console.width))
    console.print()
    console.print(present.table(stop))
    console.print()
    for line in present.event_lines(stop):
        console.print(line)
    if stop.outcome is not None:
        console.print(Text(f"Board {stop.board}: stones {stones_text(stop.outcome.stones)}", "bold"))
    console.print()
    console.print(Text(HELP, DIM))


ESCAPE_S = 0.05
"""Maximum seconds between the bytes of an escape sequence."""


@contextmanager
def _keys() -> Iterator[ReadKey]:
    """Yield a function that reads single keys without Enter. Restores the terminal mode."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read() -> str:
        pressed = os.read(terminal, 1)
        while pressed.startswith(b"\x1b") and len(pressed) < ESCAPE_BYTES:
            if not select.select([terminal], [], [], ESCAPE_S)[0]:
                break
            pressed += os.read(terminal, 1)
        return pressed.decode("ascii", "replace")

    try:
        tty.setcbreak(terminal)
        yield read
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
