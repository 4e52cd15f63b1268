"""The position of a fault as the seat saw it, drawn as in ``rensho replay``."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from bots.kit.replay.presenter import Presenter
from bots.kit.replay.scene_renderer import SceneRenderer, indented
from bots.kit.replay.stops import Stop, board_stops
from engine import Act, Outcome, Replay, ReplayedBoard
from referee.record_walk import PlayedAction
from referee.reproduce import FaultFile

MAX_LINES = 12
"""Maximum lines about the events since the seat's previous decision."""
_NO_OUTCOME = Outcome({}, ())


def position_pages(file: FaultFile, renderer: SceneRenderer, width: int) -> Iterator[RenderableType]:
    """Yield the heading, the events since the seat's previous decision, and the table, as the seat saw them.

    Yields nothing for a fault at the start.
    """
    replayed, stops = position_stops(file)
    if not stops:
        return
    present = Presenter(replayed, renderer, file.seat)
    last = stops[-1]
    where = [file.preset, f"board {last.board}"]
    if last.kind == "game":
        where.append(f"deal {last.deal}")
    where.append(f"seat {file.seat}")
    yield renderer.heading(" · ".join(where), width)
    lines = [
        line for stop in stops[_last_answer_index(stops, file.seat) :] for line in present.event_lines(stop)
    ]
    if len(lines) > MAX_LINES:
        yield indented(Text(f"({len(lines) - MAX_LINES} earlier lines)"))
    for line in lines[-MAX_LINES:]:
        yield indented(line)
    yield indented(present.table(last), above=1)


def position_stops(file: FaultFile) -> tuple[Replay, list[Stop]]:
    """Return the replay up to the fault from the seat's view; no stops for a fault at the start."""
    game, ruleset = file.rules
    bots = {bot["seat"]: bot["sha256"] for bot in file.record[0]["bots"]}
    replayed = Replay(game, ruleset, bots, (), (), {})
    positions = list(file.positions())
    if not positions:
        return replayed, []
    board = positions[-1].board
    decisions = tuple(
        tuple(map(_act, position.acts)) for position in positions if position.board == board and position.acts
    )
    return replayed, list(board_stops(replayed, ReplayedBoard(board, decisions, _NO_OUTCOME), file.seat))


def _act(act: PlayedAction) -> Act:
    return Act(act.seat, act.action, act.verdict)


def _last_answer_index(stops: list[Stop], seat: int) -> int:
    for index in reversed(range(len(stops))):
        if any(act["seat"] == seat for act in stops[index].events("act")):
            return index
    return 0
