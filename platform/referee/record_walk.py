"""A record walked through by the rules as far as it goes: every position somebody was asked in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.errors import EngineError
from engine.game import Action, Board, BoardKind, Game, Ruleset, Seat, State
from engine.games import game_named
from engine.lines import format_line
from engine.record import FORMAT as RECORD_FORMAT
from engine.record import REFEREE, Line, RecordWriter, complete_ruleset
from engine.refusals import clipped, quoted
from referee.errors import FaultFileInvalid

ERROR_TEXT_CHARS = 300
"""Length at which the message of a reader's error is cut; the remedy follows."""


class PlayedAction(NamedTuple):
    """What was played for a seat."""

    seat: Seat
    action: Action
    verdict: str | None
    """None if its bot chose it; else why the referee did."""


class RecordPosition(NamedTuple):
    """One state of a table: somebody has to act, or its board is over."""

    board: Board
    state: State
    acts: tuple[PlayedAction, ...]
    """What was answered, one for each of ``state.to_act``; empty where the lines or the board end."""
    lines: int
    """How many lines of the record precede the answers."""


def walk(lines: Sequence[Line]) -> Iterator[RecordPosition]:
    """Every position the lines of a record lead to, each line found to be what the rules write.

    A board that is over has a last position, in which nobody has to act. The lines may end before any
    decision; that position comes last then.

    Raises:
        FaultFileInvalid: a line contradicts the rules.
    """
    game, ruleset = rules_of(lines[0])
    try:
        table = lines[0]
        bots = {bot["seat"]: bot["sha256"] for bot in table["bots"]}
        writer = RecordWriter(game, ruleset, bots)
        agreed = _compare_lines(lines, writer, 0)
        while agreed < len(lines) and lines[agreed].get("e") == "board":
            line = lines[agreed]
            board = Board(
                require_board_kind(line["kind"]), require_int(line["board"]), require_text(line["seed"])
            )
            state = game.start(ruleset, board)
            writer.start_board(board, state)
            agreed = _compare_lines(lines, writer, agreed)
            while state.to_act:
                if agreed == len(lines):
                    yield RecordPosition(board, state, (), agreed)
                    return
                before, acts = state, []
                for offset, seat in enumerate(before.to_act):
                    act = _action(lines, agreed + offset, seat)
                    state = state.apply(seat, act.action)
                    acts.append(act)
                yield RecordPosition(board, before, tuple(acts), agreed)
                writer.add(before, state, {act.seat: act.verdict for act in acts if act.verdict})
                agreed = _compare_lines(lines, writer, agreed)
            yield RecordPosition(board, state, (), agreed)
            writer.end_board(state)
            agreed = _compare_lines(lines, writer, agreed)
    except (EngineError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FaultFileInvalid):
            raise
        raise FaultFileInvalid(f"its record contradicts the rules: {error_text(error)}") from None


def _compare_lines(lines: Sequence[Line], writer: RecordWriter, since: int) -> int:
    """How many lines have been found to be what the writer writes; ``since`` were before."""
    for at, written in enumerate(writer.written_since(since), start=since):
        if at >= len(lines):
            raise FaultFileInvalid("its record ends between two decisions")
        if format_line(lines[at]) != written:
            raise FaultFileInvalid(f"its record contradicts the rules in line {at + 1}")
    return writer.length


def _action(lines: Sequence[Line], at: int, seat: Seat) -> PlayedAction:
    line = lines[at] if at < len(lines) else {}
    if line.get("e") != "act" or line.get("seat") != seat:
        raise FaultFileInvalid(f"line {at + 1} of its record must tell what seat {seat} answered")
    verdict = require_text(line["verdict"]) if line.get("by") == REFEREE else None
    return PlayedAction(seat, require_text(line["action"]), verdict)


def rules_of(line: Line) -> tuple[Game, Ruleset]:
    """What the first line of a record says is played."""
    try:
        if line["format"] != RECORD_FORMAT:
            raise FaultFileInvalid(f"its record is no {RECORD_FORMAT}")
        game = game_named(line["game"])
        if line["rules_version"] != game.rules_version:
            raise FaultFileInvalid(
                f"it was made under rules_version {quoted(line['rules_version'])} of {game.key}; this "
                f"engine has {game.rules_version}"
            )
        return game, complete_ruleset(game, line["preset"], line["ruleset"])
    except (EngineError, KeyError, TypeError) as error:
        raise FaultFileInvalid(f"its record names no rules: {error_text(error)}") from None


def require_text(value: object) -> str:
    """The value, if it is text; else TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value)} is no text")
    return value


def require_int(value: object) -> int:
    """The value, if it is a whole number; else TypeError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{quoted(value)} is no whole number")
    return value


def require_board_kind(value: object) -> BoardKind:
    """The value, if it is a kind of board; else ValueError."""
    if value == "deal":
        return "deal"
    if value == "game":
        return "game"
    raise ValueError(f"{quoted(value)} is no kind of board")


def error_text(error: Exception) -> str:
    """A reader's error as a message."""
    if isinstance(error, KeyError):
        return f"{quoted(error.args[0])} is missing"
    return clipped(str(error), ERROR_TEXT_CHARS)
