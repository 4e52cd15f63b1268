"""Replays a record by the rules and yields every position with a decision."""

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
"""Maximum length of a parser message; the remedy follows it."""


class PlayedAction(NamedTuple):
    seat: Seat
    action: Action
    verdict: str | None
    """None if the bot chose it; else the verdict for which the referee played."""


class RecordPosition(NamedTuple):
    """One state of a table: some seat has to act, or the board is over."""

    board: Board
    state: State
    acts: tuple[PlayedAction, ...]
    """One action for each seat of ``state.to_act``; empty at the end of the lines or of the board."""
    lines: int
    """Number of record lines before the actions."""


def walk(lines: Sequence[Line]) -> Iterator[RecordPosition]:
    """Yield every position of a record; verify that each line equals the line that the rules write.

    A finished board yields a final position in which no seat acts. The lines may end before any decision,
    whose position is then the last one. Raise ``FaultFileInvalid`` if a line contradicts the rules.
    """
    game, ruleset = rules_of(lines[0] if lines else {})
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
    for index, written in enumerate(writer.written_since(since), start=since):
        if index >= len(lines):
            raise FaultFileInvalid("its record ends between two decisions")
        if format_line(lines[index]) != written:
            raise FaultFileInvalid(f"its record contradicts the rules in line {index + 1}")
    return writer.length


def _action(lines: Sequence[Line], index: int, seat: Seat) -> PlayedAction:
    line = lines[index] if index < len(lines) else {}
    if line.get("e") != "act" or line.get("seat") != seat:
        raise FaultFileInvalid(f"line {index + 1} of its record must have the action of seat {seat}")
    verdict = require_text(line["verdict"]) if line.get("by") == REFEREE else None
    return PlayedAction(seat, require_text(line["action"]), verdict)


def rules_of(line: Line) -> tuple[Game, Ruleset]:
    try:
        if line["format"] != RECORD_FORMAT:
            raise FaultFileInvalid(f"its record is not a {RECORD_FORMAT}")
        game = game_named(line["game"])
        if line["rules_version"] != game.rules_version:
            raise FaultFileInvalid(
                f"it was made under rules_version {quoted(line['rules_version'])} of {game.key}; this "
                f"engine has {game.rules_version}"
            )
        return game, complete_ruleset(game, line["preset"], line["ruleset"])
    except (EngineError, KeyError, TypeError) as error:
        raise FaultFileInvalid(f"its record has no valid rules: {error_text(error)}") from None


def require_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value)} is not text")
    return value


def require_int(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{quoted(value)} is not a whole number")
    return value


def require_board_kind(value: object) -> BoardKind:
    if value == "deal":
        return "deal"
    if value == "game":
        return "game"
    raise ValueError(f"{quoted(value)} is not a kind of board")


def error_text(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{quoted(error.args[0])} is missing"
    return clipped(str(error), ERROR_TEXT_CHARS)
