"""Write a table as ``rensho-record/1``, and replay it.

Replaying recomputes every line from the actions and rejects a record that differs in a single byte.
Source: docs/contracts.md#record.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterator, Mapping
from itertools import repeat
from typing import Any, NamedTuple

from engine.errors import EngineError, RecordError, RulesetError, RulesVersionMismatch
from engine.game import Action, Board, Game, Outcome, Ruleset, Seat, State
from engine.games import game_named
from engine.lines import format_line
from engine.refusals import clipped, quoted

FORMAT = "rensho-record/1"
OK = "OK"
REFEREE = "referee"

Line = dict[str, Any]

_QUOTED_CHARACTERS = 120
_SHORT_BYTES = 120
_LINE_BYTES = 64 << 10


class RecordWriter:
    """Writes a record: ``start_board``, ``add`` after each decision, ``end_board``, then ``end``."""

    def __init__(self, game: Game, ruleset: Ruleset, bots: Mapping[Seat, str]) -> None:
        """Begin a record; ``bots`` has the SHA-256 of each seat's bundle in hex, else ``ValueError``."""
        seats = list(range(1, game.seats(ruleset) + 1))
        if sorted(bots) != seats:
            raise ValueError(f"bots must name the seats {seats}, not {sorted(bots)}")
        self._seats = seats
        self._lines: list[bytes] = []
        self._board = 0
        self._first_faults: dict[Seat, str] = {}
        self._write(
            {
                "e": "table",
                "format": FORMAT,
                "game": game.key,
                "preset": ruleset.preset,
                "rules_version": game.rules_version,
                "ruleset": ruleset.as_dict(),
                "bots": [{"seat": seat, "sha256": bots[seat]} for seat in seats],
            }
        )

    @property
    def length(self) -> int:
        return len(self._lines)

    def written_since(self, length: int) -> list[bytes]:
        """Return the lines after the first ``length``, each with its line feed."""
        return self._lines[length:]

    def start_board(self, board: Board, state: State) -> None:
        """Write the beginning of ``board`` and the events up to its first state."""
        self._board = board.number
        self._write({"e": "board", "board": board.number, "kind": board.kind, "seed": board.seed})
        for event in state.happened_since(None):
            self._write(event.recorded())

    def add(self, previous: State, state: State, substituted: Mapping[Seat, str] | None = None) -> None:
        """Write the events between two states of the board, for all answers of a simultaneous decision
        together.

        ``substituted`` has the seats for which the referee used the fallback, with the verdict of the fault;
        for a forfeited seat, the verdict of its first fault.
        """
        events = state.happened_since(previous)
        if not substituted:
            self._lines += [event.line or format_line(event.recorded()) for event in events]
            return
        for event in events:
            line = event.recorded()
            if event.kind == "act" and line["seat"] in substituted:
                verdict = substituted[line["seat"]]
                self._first_faults.setdefault(line["seat"], verdict)
                line.update(by=REFEREE, verdict=verdict)
            self._write(line)

    def end_board(self, state: State) -> None:
        """Write the result of the board. Raise ``ValueError`` if a seat still has to act."""
        outcome = state.outcome()
        if outcome is None:
            raise ValueError(f"board {self._board} is not over ({state.situation})")
        stones = {str(seat): won for seat, won in outcome.stones.items()}
        self._write({"e": "result", "board": self._board, "stones": stones})

    def end(self, forfeited: Collection[Seat], verdicts: Mapping[Seat, str]) -> bytes:
        """Write the last line and return the whole record.

        ``forfeited`` are the seats that forfeited the table by their own conduct, ``verdicts`` the verdict of
        each seat's first substituted act, or OK. Raise ``ValueError`` if they contradict the substituted
        acts.
        """
        reason = _verdicts_refusal(self._seats, self._first_faults, forfeited, verdicts)
        if reason:
            raise ValueError(reason)
        written = {str(seat): str(verdicts[seat]) for seat in self._seats}
        self._write({"e": "end", "forfeited": sorted(forfeited), "verdicts": written})
        return b"".join(self._lines)

    def _write(self, line: Mapping[str, Any]) -> None:
        self._lines.append(format_line(line))


class Act(NamedTuple):
    """An answer by a seat's bot, or by the referee in its place."""

    seat: Seat
    action: Action
    verdict: str | None
    """Why the referee replaced the answer; None if the bot gave it."""


class Step(NamedTuple):
    """One step of a replay: a state, and the acts that led to it from the previous state."""

    board: Board
    acts: tuple[Act, ...]
    """Empty at the first state of a board; several after a simultaneous decision."""
    state: State


class ReplayedBoard(NamedTuple):
    """A board of a verified record."""

    board: Board
    decisions: tuple[tuple[Act, ...], ...]
    outcome: Outcome
    states: tuple[State, ...] = ()
    """The first state and the state after each decision, if ``keep_states`` was set."""


class Replay(NamedTuple):
    """A verified record. Iterate over ``steps`` for its states."""

    game: Game
    ruleset: Ruleset
    bots: Mapping[Seat, str]
    """SHA-256 of the bundle by seat."""
    boards: tuple[ReplayedBoard, ...]
    forfeited: tuple[Seat, ...]
    verdicts: Mapping[Seat, str]

    def steps(self) -> Iterator[Step]:
        """Yield every state of every board in order, kept or replayed from the acts."""
        for board, decisions, _, states in self.boards:
            if states:
                yield from map(Step, repeat(board), ((), *decisions), states)
                continue
            state = self.game.start(self.ruleset, board)
            yield Step(board, (), state)
            for acts in decisions:
                for act in acts:
                    state = state.apply(act.seat, act.action)
                yield Step(board, acts, state)


def replay(data: bytes | str, *, decks_from_seed: bool = True, keep_states: bool = False) -> Replay:
    """Replay a record, recomputing every deck, deal, trick, payment and result.

    A record is accepted if and only if some play under its first line writes exactly these bytes. Changes
    without consequences within the record are therefore not detected: bot hashes, options that no deal used
    together with the preset's name, a legal answer that leaves all later lines unchanged (see
    tests/engine/test_tampered.py), verdicts of a seat's later faults, and which of the faulty seats
    forfeited. The record's SHA-256 protects these.

    ``decks_from_seed=False`` also accepts decks that do not derive from the seed. ``keep_states`` keeps all
    states in memory for ``steps``. Raise ``RecordError`` with the line if the record contradicts the rules or
    itself, ``RulesVersionMismatch`` if the engine does not have its rules_version.
    """
    return _Reader(data, decks_from_seed, keep_states).replay()


class _Reader:
    """Reads a record line by line and compares it with a writer that gets the same actions."""

    def __init__(self, data: bytes | str, decks_from_seed: bool, keep_states: bool) -> None:
        try:
            raw = data.encode("ascii") if isinstance(data, str) else bytes(data)
        except UnicodeEncodeError:
            raise RecordError("a record is ASCII text") from None
        self._lines = raw.splitlines(keepends=True)
        self._decks_from_seed = decks_from_seed
        self._keep_states = keep_states
        self._agreed = 0
        """Number of lines that equal the writer's."""

    def replay(self) -> Replay:
        game, ruleset, bots = self._table()
        writer = RecordWriter(game, ruleset, bots)
        self._compare(writer)
        boards: list[ReplayedBoard] = []
        while (line := self._line()).get("e") == "board":
            board = self._board(line)
            if boards and board.number <= boards[-1].board.number:
                raise self._error("boards must come in ascending order")
            boards.append(self._replayed(game, ruleset, board, writer))
        if not boards:
            raise self._error("a record must have a board")
        forfeited, verdicts = self._ending(line, game.seats(ruleset))
        try:
            writer.end(forfeited, verdicts)
        except ValueError as error:
            raise self._error(str(error)) from None
        self._compare(writer)
        if self._agreed < len(self._lines):
            raise self._error("nothing may follow the end")
        return Replay(game, ruleset, bots, tuple(boards), tuple(forfeited), verdicts)

    def _table(self) -> tuple[Game, Ruleset, dict[Seat, str]]:
        line = self._line()
        if line.get("e") != "table" or line.get("format") != FORMAT:
            raise self._error(f"not a record: the first line must be a table of format {FORMAT}")
        try:
            game = game_named(str(line.get("game")))
            if line.get("rules_version") != game.rules_version:
                raise RulesVersionMismatch(
                    f"made under rules_version {quoted(line.get('rules_version'))} of {game.key}; "
                    f"this engine knows {game.rules_version}",
                    1,
                )
            options = line.get("ruleset")
            if not isinstance(options, dict):
                raise self._error("field 'ruleset' must hold every option")
            ruleset = complete_ruleset(game, str(line.get("preset")), options)
        except RecordError:
            raise
        except EngineError as error:
            raise self._error(str(error)) from None
        bots = line.get("bots")
        seats = game.seats(ruleset)
        if not isinstance(bots, list) or len(bots) != seats or not all(isinstance(bot, dict) for bot in bots):
            raise self._error(f"field 'bots' must list seats 1 to {seats}")
        hashes = [bot.get("sha256") for bot in bots]
        if not all(isinstance(sha256, str) for sha256 in hashes):
            raise self._error("every bot must have its 'sha256'")
        return game, ruleset, dict(enumerate(hashes, start=1))

    def _board(self, line: Line) -> Board:
        kind, number, seed = line.get("kind"), line.get("board"), line.get("seed")
        if (kind != "deal" and kind != "game") or type(number) is not int or not isinstance(seed, str):
            raise self._error("a board must have its number, its kind (deal or game) and its seed")
        return Board(kind, number, seed, () if self._decks_from_seed else self._decks())

    def _decks(self) -> tuple[tuple[str, ...], ...]:
        decks = []
        for index in range(self._agreed + 1, len(self._lines)):
            line = self._line(index)
            if line.get("e") == "result":
                break
            if line.get("e") == "deal":
                deck = line.get("deck")
                if not isinstance(deck, list) or not all(isinstance(card, str) for card in deck):
                    raise self._error("field 'deck' must be a list of cards", index)
                decks.append(tuple(deck))
        return tuple(decks)

    def _replayed(self, game: Game, ruleset: Ruleset, board: Board, writer: RecordWriter) -> ReplayedBoard:
        """Play a board by the record's acts and compare every line."""
        try:
            state = game.start(ruleset, board)
        except EngineError as error:
            raise self._error(str(error)) from None
        writer.start_board(board, state)
        self._compare(writer)
        decisions, states = [], [state]
        while state.to_act:
            before, acts = state, []
            for offset, seat in enumerate(before.to_act):
                index = self._agreed + offset
                act = self._act(seat, state, index)
                try:
                    state = state.apply(seat, act.action)
                except EngineError as error:
                    raise self._error(str(error), index) from None
                acts.append(act)
            writer.add(before, state, {act.seat: act.verdict for act in acts if act.verdict is not None})
            self._compare(writer)
            decisions.append(tuple(acts))
            if self._keep_states:
                states.append(state)
        writer.end_board(state)
        self._compare(writer)
        outcome = state.outcome()
        assert outcome is not None, "nobody is to act, so the board is over"
        return ReplayedBoard(board, tuple(decisions), outcome, tuple(states) if self._keep_states else ())

    def _act(self, seat: Seat, state: State, index: int) -> Act:
        line = self._line(index)
        if line.get("e") != "act" or line.get("seat") != seat:
            raise self._error(f"seat {seat} must act here ({state.situation})", index)
        action = line.get("action")
        if not isinstance(action, str):
            raise self._error("field 'action' must be text", index)
        if "by" not in line and "verdict" not in line:
            return Act(seat, action, None)
        verdict = line.get("verdict")
        if line.get("by") != REFEREE or not isinstance(verdict, str) or verdict == OK or not verdict:
            raise self._error(f"an act by the {REFEREE} must name the verdict of a fault", index)
        if action != state.fallback(seat):
            raise self._error(f"the {REFEREE} must act {state.fallback(seat)!r} for seat {seat}", index)
        return Act(seat, action, verdict)

    def _ending(self, line: Line, seats: int) -> tuple[list[Seat], dict[Seat, str]]:
        forfeited, verdicts = line.get("forfeited"), line.get("verdicts")
        if line.get("e") != "end" or not isinstance(forfeited, list) or not isinstance(verdicts, dict):
            raise self._error("a board or the end with 'forfeited' and 'verdicts' must stand here")
        if sorted(verdicts) != sorted(map(str, range(1, seats + 1))):
            raise self._error(f"field 'verdicts' must name seats 1 to {seats}")
        if not all(type(seat) is int for seat in forfeited):
            raise self._error("field 'forfeited' must be a list of seats")
        return forfeited, {seat: verdicts[str(seat)] for seat in range(1, seats + 1)}

    def _line(self, index: int | None = None) -> Line:
        """Parse line ``index`` from 0, by default the first that has not been compared."""
        index = self._agreed if index is None else index
        if index >= len(self._lines):
            raise self._error("the record ends too early", index)
        if len(self._lines[index]) > _LINE_BYTES:
            raise self._error(f"{len(self._lines[index])} bytes: a line has {_LINE_BYTES} at most", index)
        try:
            line = _parsed(self._lines[index])
        except (ValueError, RecursionError):
            raise self._error("not a line of JSON", index) from None
        if not isinstance(line, dict):
            raise self._error("not a JSON object", index)
        return line

    def _compare(self, writer: RecordWriter) -> None:
        """Compare the lines that the writer has added since the last call with the record."""
        for index, written in enumerate(writer.written_since(self._agreed), start=self._agreed):
            if index >= len(self._lines) or self._lines[index] != written:
                raise self._error(_difference(self._line(index), json.loads(written)), index)
        self._agreed = writer.length

    def _error(self, reason: str, index: int | None = None) -> RecordError:
        return RecordError(reason, (self._agreed if index is None else index) + 1)


def complete_ruleset(game: Game, preset: str, options: Mapping[str, Any]) -> Ruleset:
    """Return the ruleset of a first line. Raise ``RulesetError`` unless it is complete and valid."""
    ruleset = game.ruleset(preset, options)
    missing = sorted(ruleset.as_dict().keys() - options.keys())
    if missing:
        raise RulesetError(f"option {missing[0]!r} of {preset} is missing: a record must name every option")
    return ruleset


def _parsed(line: bytes) -> Any:
    """Parse a line, cached because most lines are the same few hundred acts. Do not modify the result."""
    return json.loads(line) if len(line) > _SHORT_BYTES else _parsed_act(line)


_parsed_act = functools.lru_cache(maxsize=1024)(json.loads)


def _verdicts_refusal(
    seats: list[Seat],
    first_faults: Mapping[Seat, str],
    forfeited: Collection[Seat],
    verdicts: Mapping[Seat, str],
) -> str | None:
    """Return how the last line contradicts the substituted acts; None if it does not."""
    if sorted(verdicts) != seats:
        return f"verdicts must name the seats {seats}"
    for seat in seats:
        due, given = first_faults.get(seat, OK), verdicts[seat]
        if given != due:
            return f"seat {seat} must have {due}, the verdict of its first fault, not {quoted(given)}"
    if len(set(forfeited)) < len(forfeited) or not set(forfeited) <= set(first_faults):
        faulty = sorted(first_faults)
        return f"forfeited must be some of the seats with a fault {faulty}, not {quoted(list(forfeited))}"
    return None


def _difference(line: Line, expected: Line) -> str:
    kind = expected["e"]
    if line.get("e") != kind:
        return f"expected a line {kind!r}, got {_quoted(line.get('e'))}"
    for name in sorted(line.keys() | expected.keys()):
        if name not in expected:
            return f"{kind!r} has no field {quoted(name)}"
        if name not in line:
            return f"field {name!r} of {kind!r} is missing"
        if line[name] != expected[name]:
            given, due = _quoted(line[name]), _quoted(expected[name])
            return f"field {name!r} of {kind!r} is {given}, the rules give {due}"
    return f"{kind!r} is not spelt canonically: keys sorted, no spaces, one line feed"


def _quoted(value: object) -> str:
    return clipped(json.dumps(value), _QUOTED_CHARACTERS)
