"""Boards of a file or folder: for ``rensho play --boards FILE``.

The rules and the boards come from the file. Source: docs/kit.md#boards-of-a-file.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, cast

from analysis.deal_position import DealPosition, deal_board
from analysis.position_errors import PositionError
from analysis.position_text import parse_position_text
from analysis.problems import PROBLEM_FORMAT, parse_problem
from analysis.work import AnalysisError
from bots.kit.errors import InvalidInput
from bots.kit.files import read_limited
from bots.kit.local.match import GivenBoard, LocalMatch
from bots.kit.local.record_files import RecordFile, read_records
from bots.kit.local.runner import MAX_BOARDS
from bots.kit.local.summary import FORMAT as MATCH_FORMAT
from bots.kit.replay.bot_names import bot_names
from bots.kit.replay.command import GZIP_MAGIC, is_record
from engine import BoardKind, EngineError, Rules, game_named, preset_named
from engine.game import Board
from engine.games.kakeya import GAME
from engine.record import complete_ruleset
from engine.refusals import clipped, quoted
from league.errors import ArchiveInvalid
from league.export_shape import shape_errors
from league.fairness import board_seed, local_board_seed
from league.verify.archive import ArchiveLimits, archive_document
from league.verify.daily import daily_seed, daily_statement
from referee.contract import BoardOrder
from referee.errors import FaultFileInvalid
from referee.fault_file import FORMAT as FAULT_FORMAT
from referee.reproduce import read_fault_file
from referee.text_files import TextFileError, text_decoded

MAX_FILE_BYTES = 64 << 20
MAX_TEXTS = 10_000
"""Maximum position texts of a file."""
MAX_ERROR_CHARS = 200
MAX_LISTED_BOTS = 10
MIN_HASH_CHARACTERS = 6
ACCEPTED = (
    "give an export (.zip), a record, a folder of records, the summary.json of a match, a fault or position "
    "file, a problem, or position texts"
)
_ZIP_MAGIC = b"PK"
_SCORE = re.compile(r"-?[0-9]{1,9}(/[1-9][0-9]{0,8})?")
_PRESET_LINE = re.compile(r"^[ \t\ufeff]*preset[ \t]*[:：]", re.IGNORECASE | re.MULTILINE)


class FileBoard(NamedTuple):
    board: Board
    origin: str
    """Where it is in the file: ``stage 1, round 2, board 7``, ``line 12``."""
    results: Mapping[str, Fraction] = {}
    """Average stones of each bot on this board, by its key."""


class FileBoards(NamedTuple):
    rules: Rules
    boards: tuple[FileBoard, ...]
    bots: Mapping[str, tuple[str, ...]] = {}
    """Names and hashes of each bot with results, the best name first, by the key of ``FileBoard.results``."""

    def lost_by(self, name: str, path: Path) -> FileBoards:
        """Return only the boards on which a bot lost stones, or raise ``InvalidInput`` if there are none."""
        if not self.bots:
            raise InvalidInput(f"{path} has boards without results, so no bot lost: omit --lost")
        keys = [key for key, names in self.bots.items() if name in names or _is_hash_of(name, names)]
        if len(keys) != 1:
            given = sorted({names[0] for names in self.bots.values()})[:MAX_LISTED_BOTS]
            count = "no bot" if not keys else f"{len(keys)} bots"
            raise InvalidInput(
                f"{path} has {count} named {quoted(name)}: give a name or hash, such as {', '.join(given)}"
            )
        boards = tuple(board for board in self.boards if board.results.get(keys[0], Fraction()) < 0)
        if not boards:
            raise InvalidInput(
                f"{name} lost on no board of {path}: omit --lost to play all {len(self.boards)}"
            )
        return self._replace(boards=boards)


class ChosenRules(NamedTuple):
    """Rules that the caller has asked for; None and empty for those of the file."""

    preset: str | None = None
    options: Mapping[str, Any] = {}
    kind: BoardKind | None = None

    def fits(self, rules: Rules) -> bool:
        options = rules.ruleset.as_dict()
        return (
            self.preset in (None, rules.ruleset.preset)
            and self.kind in (None, rules.kind)
            and all(name in options and options[name] == value for name, value in self.options.items())
        )


def boards_of(path: Path, chosen: ChosenRules, lost_by: str | None = None) -> FileBoards:
    """Return the boards of a file or folder, in its order; with ``lost_by``, those on which this bot lost.

    Raise ``InvalidInput`` if the file is unreadable, has no boards, boards of other or several rules, or too
    many; ``CheckFailed`` if a record breaks the rules.
    """
    groups = [group for group in _groups(path) if group.boards]
    fitting = [group for group in groups if chosen.fits(group.rules)]
    if not groups:
        raise InvalidInput(f"{path} has no boards: {ACCEPTED}")
    if not fitting:
        raise InvalidInput(
            f"{path} has boards of {_listed(groups)} only: choose these rules, or omit the choice"
        )
    if len(fitting) > 1:
        raise InvalidInput(
            f"{path} has boards of {_listed(fitting)}: choose one preset, or name a part of it"
        )
    (file_boards,) = fitting
    if file_boards.rules.decisions_bound is None:
        raise InvalidInput(
            f"{path} has games without a limit of deals, which may never end: use other boards"
        )
    if len(file_boards.boards) > MAX_BOARDS:
        raise InvalidInput(f"{path} has {len(file_boards.boards)} boards: the maximum is {MAX_BOARDS}")
    return file_boards if lost_by is None else file_boards.lost_by(lost_by, path)


def on_boards(match: LocalMatch, file_boards: FileBoards, source: str, lost_by: str | None) -> LocalMatch:
    """Return the match on the boards of the file ``source``, selected by ``lost_by`` if it is given."""
    given = tuple(
        GivenBoard(BoardOrder(board.number, board.kind, board.seed), origin)
        for board, origin, _ in file_boards.boards
    )
    return match._replace(boards=len(given), given=given, source=source, lost_by=lost_by or "")


def _listed(groups: Iterable[FileBoards]) -> str:
    return ", ".join(
        dict.fromkeys(f"{group.rules.ruleset.preset} ({group.rules.kind} boards)" for group in groups)
    )


def _is_hash_of(name: str, names: tuple[str, ...]) -> bool:
    return len(name) >= MIN_HASH_CHARACTERS and any(each.startswith(name) for each in names)


def _groups(path: Path) -> list[FileBoards]:
    """Return the boards of a file or folder, by rules."""
    if path.is_dir():
        return _of_records(path, read_records(path))
    head = read_limited(path, MAX_FILE_BYTES) if not _is_zip(path) else _ZIP_MAGIC
    if head.startswith(_ZIP_MAGIC):
        return [_of_export(path)]
    if head.startswith(GZIP_MAGIC) or is_record(head):
        return _of_records(path, read_records(path))
    try:
        text = text_decoded(head, str(path))
    except TextFileError as error:
        raise InvalidInput(f"{error}: {ACCEPTED}") from None
    if text.lstrip().startswith(("{", "[")):
        return [_of_json(path, head, text)]
    return _of_texts(path, text)


def _is_zip(path: Path) -> bool:
    """Return whether a file is a zip, which may be larger than other files; False for an unreadable file."""
    try:
        with path.open("rb") as file:
            return file.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC
    except OSError:
        return False


def _of_records(path: Path, records: list[RecordFile]) -> list[FileBoards]:
    hashes = {sha256 for record in records for sha256 in record.replayed.bots.values()}
    names = bot_names(path, hashes)
    groups: dict[str, tuple[Rules, dict[Board, FileBoard], dict[Board, dict[str, list[int]]]]] = {}
    for record in records:
        replayed = record.replayed
        for played in replayed.boards:
            board = played.board._replace(decks=())
            rules = Rules(replayed.game, replayed.ruleset, board.kind)
            key = json.dumps(
                [replayed.ruleset.preset, replayed.ruleset.as_dict(), board.kind], sort_keys=True
            )
            _, boards, stones = groups.setdefault(key, (rules, {}, {}))
            boards.setdefault(board, FileBoard(board, f"{record.name}, board {board.number}"))
            for seat, won in played.outcome.stones.items():
                stones.setdefault(board, {}).setdefault(replayed.bots[seat], []).append(won)
    return [
        FileBoards(
            rules,
            tuple(board._replace(results=_averages(stones[key])) for key, board in boards.items()),
            {
                sha256: (names.get(sha256, sha256), sha256)
                for sha256 in dict.fromkeys(bot for by_bot in stones.values() for bot in by_bot)
            },
        )
        for rules, boards, stones in groups.values()
    ]


def _averages(stones: Mapping[str, list[int]]) -> dict[str, Fraction]:
    return {bot: Fraction(sum(won), len(won)) for bot, won in stones.items()}


def _of_export(path: Path) -> FileBoards:
    try:
        document = archive_document(path, ArchiveLimits())
    except FileNotFoundError:
        raise InvalidInput(f"cannot read {path}: it does not exist") from None
    except ArchiveInvalid as error:
        raise InvalidInput(f"{path} is not an export of a tournament ({error}): {ACCEPTED}") from None
    if wrong := next(shape_errors(document), None):
        raise InvalidInput(f"{path}: {clipped(wrong, MAX_ERROR_CHARS)}: save it again with rensho export")
    tournament = document["tournament"]
    if tournament["secret"] is None:
        raise InvalidInput(
            f"{path}: the tournament is not over, so its seeds are not published: use a folder from "
            "rensho pull"
        )
    rules = _rules(path, tournament, tournament["board_kind"])
    secret = bytes.fromhex(tournament["secret"])
    boards = []
    for stage in document["stages"]:
        for played in stage["rounds"]:
            scores: dict[int, dict[str, list[Fraction]]] = {}
            for fixture in played["fixtures"]:
                for score in fixture["scores"]:
                    by_entry = scores.setdefault(score["board"], {})
                    by_entry.setdefault(score["entry"], []).append(Fraction(score["value"]))
            for number in range(1, played["boards"] + 1) if scores else ():
                seed = board_seed(
                    *(secret, tournament["id"], stage["field_digest"]),
                    *(stage["number"], played["number"], number),
                )
                origin = f"stage {stage['number']}, round {played['number']}, board {number}"
                results = {entry: sum(won) / len(won) for entry, won in scores.get(number, {}).items()}
                boards.append(
                    FileBoard(Board(rules.kind, number, seed), origin, cast("dict[str, Fraction]", results))
                )
    return FileBoards(
        rules,
        tuple(boards),
        {
            entry["id"]: (
                *(version["bot"]["text"] for version in entry["versions"] if version["bot"]["text"]),
                entry["id"],
                *(version["bundle_sha256"] for version in entry["versions"]),
            )
            for entry in document["entries"]
        },
    )


def _rules(path: Path, described: Mapping[str, Any], kind: BoardKind) -> Rules:
    """Return the rules that a document describes by ``game``, ``preset`` and ``ruleset``."""
    try:
        game = game_named(described["game"])
        return Rules(game, complete_ruleset(game, described["preset"], described["ruleset"]), kind)
    except EngineError as error:
        raise InvalidInput(f"{path}: {error}: it was made by another release of Rensho") from None


def _of_json(path: Path, data: bytes, text: str) -> FileBoards:
    try:
        document = json.loads(text)
    except RecursionError:
        raise InvalidInput(f"{path} is nested too deeply: {ACCEPTED}") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(_lines_refusal(path, text, error)) from None
    if not isinstance(document, dict):
        raise InvalidInput(f"{path} is a JSON list: {ACCEPTED}")
    readers: Mapping[str, Callable[[Path, bytes, dict[str, Any]], FileBoards]] = {
        FAULT_FORMAT: _of_fault,
        MATCH_FORMAT: _of_summary,
        PROBLEM_FORMAT: _of_problem,
    }
    reader = readers.get(str(document.get("format")), _of_day if "statement" in document else None)
    if reader is None:
        raise InvalidInput(f"{path} is JSON of the format {quoted(str(document.get('format')))}: {ACCEPTED}")
    try:
        return reader(path, data, document)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        reason = clipped(f"{type(error).__name__}: {error}", MAX_ERROR_CHARS)
        raise InvalidInput(f"{path} is damaged ({reason}): save it again") from None


def _lines_refusal(path: Path, text: str, error: json.JSONDecodeError) -> str:
    """Return the message for text that begins like JSON but is not one document."""
    try:
        first = json.loads(text.split("\n", 1)[0])
    except ValueError:
        first = None
    if isinstance(first, dict) and first.get("type") == "tournament":
        return f"{path} is an export in lines: save the archive with rensho export, without --ndjson"
    if isinstance(first, dict) and {"table", "position", "file"} <= first.keys():
        return (
            f"{path} lists positions, but not their cards: download the file of a position, "
            "or use a folder from rensho pull with --lost BOT"
        )
    return f"{path}, line {error.lineno}: not JSON ({error.msg}): {ACCEPTED}"


def _of_fault(path: Path, data: bytes, document: dict[str, Any]) -> FileBoards:
    try:
        file = read_fault_file(data)
        position = next(iter(deque(file.positions(), maxlen=1)), None)
    except FaultFileInvalid as error:
        raise InvalidInput(f"{path}: {error}") from None
    if position is None:
        raise InvalidInput(f"{path}: the bot failed at the start, before any board: choose another file")
    game, ruleset = file.rules
    board = position.board
    return FileBoards(Rules(game, ruleset, board.kind), (FileBoard(board, f"board {board.number}"),))


def _of_summary(path: Path, data: bytes, document: dict[str, Any]) -> FileBoards:
    rules = _rules(path, document, "game" if document["kind"] == "game" else "deal")
    sides, given = document["sides"], document.get("given_boards")
    count = len(sides[0]["scores"])
    if given is None:
        given = [
            {
                "number": number,
                "seed": local_board_seed(document["seed"], number),
                "origin": f"board {number}",
            }
            for number in range(1, count + 1)
        ]
    boards = tuple(
        FileBoard(
            Board(rules.kind, board["number"], board["seed"]),
            str(board["origin"]),
            {str(index): _score(side["scores"][position]) for index, side in enumerate(sides)},
        )
        for position, board in enumerate(given[:count])
    )
    for each in boards:
        _check(path, rules, each)
    bots = {
        str(index): (str(side["side"]), *(str(bot["sha256"]) for bot in side["bots"]))
        for index, side in enumerate(sides)
    }
    return FileBoards(rules, boards, bots)


def _score(value: object) -> Fraction:
    """Return a board score of a summary, or raise ``ValueError``: no text makes a huge number."""
    if not _SCORE.fullmatch(str(value)):
        raise ValueError(f"{quoted(str(value))} is not a score")
    return Fraction(str(value))


def _check(path: Path, rules: Rules, board: FileBoard) -> None:
    """Raise ``InvalidInput`` if the rules refuse a board."""
    try:
        rules.game.start(rules.ruleset, board.board)
    except EngineError as error:
        raise InvalidInput(f"{path}, {board.origin}: {error}") from None


def _of_problem(path: Path, data: bytes, document: dict[str, Any]) -> FileBoards:
    try:
        _, position = parse_problem(data)
    except AnalysisError as error:
        raise InvalidInput(f"{path}: {error}") from None
    return _of_positions(path, [(position, "the problem")])[0]


def _of_day(path: Path, data: bytes, document: dict[str, Any]) -> FileBoards:
    body, secret = daily_statement(document), document["secret"]
    if secret is None:
        raise InvalidInput(f"{path}: the day is not closed, so its cards are not published: wait until it is")
    game, _ = preset_named(body["preset"])
    rules = Rules(game, game.ruleset(body["preset"], body["ruleset"]), "deal")
    board = FileBoard(Board("deal", body["board"], daily_seed(body, secret)), f"the deal of {body['day']}")
    _check(path, rules, board)
    return FileBoards(rules, (board,))


def _of_texts(path: Path, text: str) -> list[FileBoards]:
    """Return the boards of one or more position texts; from the second on, each begins with its preset."""
    starts = [match.start() for match in _PRESET_LINE.finditer(text)]
    if not starts:
        raise InvalidInput(f"{path} has no line 'preset: ..', so it is no position text: {ACCEPTED}")
    if len(starts) > MAX_TEXTS:
        raise InvalidInput(f"{path} has {len(starts)} position texts: the maximum is {MAX_TEXTS}")
    positions = []
    for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True):
        line = text.count("\n", 0, start) + 1
        try:
            # Comments and line breaks before the first key count as well.
            positions.append((parse_position_text(text[start:end]), f"line {line}"))
        except PositionError as error:
            where = f", line {line + error.line - 1}" if error.line else f", text from line {line}"
            raise InvalidInput(f"{path}{where}: {_without_location(error)}") from None
    return _of_positions(path, positions)


def _without_location(error: PositionError) -> str:
    return str(PositionError(error.code, **error.values))


def _of_positions(path: Path, positions: Iterable[tuple[DealPosition, str]]) -> list[FileBoards]:
    groups: dict[str, tuple[Rules, list[FileBoard]]] = {}
    for position, origin in positions:
        ruleset = position.ruleset
        key = json.dumps([ruleset.preset, ruleset.as_dict()], sort_keys=True)
        _, boards = groups.setdefault(key, (Rules(GAME, ruleset, "deal"), []))
        board = deal_board(position, boards[-1].board.number if boards else 0)
        if board is None:
            raise InvalidInput(
                f"{path}, {origin}: no deal board of {ruleset.preset} has these stones, trump and lead: "
                "remove the stones, or change trump or lead"
            )
        boards.append(FileBoard(board, origin))
    return [FileBoards(rules, tuple(boards)) for rules, boards in groups.values()]
