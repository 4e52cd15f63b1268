"""``rensho replay FILE``: display a record after the rules have confirmed every line."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from bots.kit.display.console import DIM, console_for, print_lines, print_result
from bots.kit.errors import DONE, CheckFailed, InvalidInput
from bots.kit.replay.bot_names import HASH_CHARACTERS, bot_names
from bots.kit.replay.html import page_write
from bots.kit.replay.position_text import position_text
from bots.kit.replay.presenter import Presenter
from bots.kit.replay.scene_renderer import SceneRenderer, stones_text
from bots.kit.replay.step import step_through
from bots.kit.replay.stops import Stop, board_stops, viewing_seats
from bots.kit.subcommands import Commands, add_no_color
from engine import RecordError, Replay, Seat, replay
from engine.printable import printable
from engine.record import FORMAT

GZIP_MAGIC = b"\x1f\x8b"
MAX_RECORD_BYTES = 64 << 20
"""Maximum bytes of an uncompressed record."""
MAX_FIRST_LINE_BYTES = 64 << 10
"""Maximum bytes of the first line of a record."""


def register(commands: Commands) -> None:
    show = commands.add_parser(
        "replay",
        help="show the record of a table, after checking every line against the rules",
        description="Show the record of a table, after checking every line against the rules: step by step "
        "in a terminal, otherwise from beginning to end.",
    )
    show.add_argument("file", type=Path, help="a rensho-record/1 file, gzipped or not")
    show.add_argument("--seat", type=int, metavar="N", help="only what this seat could see")
    show.add_argument("--board", type=int, metavar="B", help="only this board")
    show.add_argument("--deal", type=int, metavar="D", help="only this deal of each board")
    how = show.add_mutually_exclusive_group()
    how.add_argument("--step", action="store_true", help="step by step; requires a terminal")
    how.add_argument("--all", action="store_true", help="from beginning to end, in a terminal too")
    how.add_argument("--html", type=Path, metavar="PAGE", help="write a page that works without a server")
    how.add_argument("--json", action="store_true", help="print every step as JSON")
    help_text = "print this position, such as b3t7p2, as position text (Kakeya and Etori)"
    how.add_argument("--text", metavar="POSITION", help=help_text)
    show.add_argument(
        "--notes", type=Path, metavar="NOTES", help="show these rensho-notes/2 on the --html page"
    )
    show.add_argument(
        "--language", choices=("en", "ja"), default="en", help="language of the --html page (default en)"
    )
    add_no_color(show)
    show.set_defaults(command=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if arguments.step and not has_terminal:
        raise InvalidInput("--step requires a terminal for input and output: omit it to print everything")
    record = read_record(arguments.file)
    try:
        replayed = replay(record)
    except RecordError as error:
        if not is_record(record):
            raise InvalidInput(f"{arguments.file} is not a record ({error})") from None
        raise CheckFailed(f"{arguments.file}: {error}") from None
    if arguments.notes is not None and arguments.html is None:
        raise InvalidInput("--notes are shown on a page: add --html PAGE")
    if arguments.text is not None:
        if arguments.seat is not None:
            raise InvalidInput("--text includes all hands: omit --seat")
        print_lines(*position_text(record, replayed, arguments.file, arguments.text).splitlines())
        return DONE
    names = bot_names(arguments.file, set(replayed.bots.values()))
    if arguments.html is not None:
        return _write_html(arguments, record, replayed, names)
    replayed = _select(replayed, arguments.seat, arguments.board)
    stops = [
        stop
        for board in replayed.boards
        for stop in board_stops(replayed, board, arguments.seat)
        if arguments.deal in (None, stop.deal)
    ]
    if not stops:
        raise InvalidInput(f"no board of {arguments.file} has a deal {arguments.deal}: omit --deal")
    if arguments.json:
        return print_result(arguments, replay_json(replayed, stops, arguments.seat, names), lambda: None)
    console = console_for(has_color=not arguments.no_color)
    by_seat = {seat: names[sha256] for seat, sha256 in replayed.bots.items() if sha256 in names}
    renderer = SceneRenderer(console.encoding, by_seat)
    present = Presenter(replayed, renderer, arguments.seat)
    if arguments.step or (has_terminal and not arguments.all):
        step_through(console, renderer, replayed.ruleset.preset, present, stops)
    else:
        for part in replay_pages(replayed, stops, present, renderer, console, arguments.seat):
            console.print(part)
    return DONE


def _write_html(
    arguments: argparse.Namespace, record: bytes, replayed: Replay, names: Mapping[str, str]
) -> int:
    if arguments.seat is not None:
        raise InvalidInput("--html includes all hands: omit --seat and choose the seat on the page")
    length = page_write(
        arguments.html,
        record,
        arguments.file,
        {seat: names.get(sha256, sha256[:HASH_CHARACTERS]) for seat, sha256 in replayed.bots.items()},
        board=arguments.board,
        deal=arguments.deal,
        language=arguments.language,
        notes_path=arguments.notes,
    )
    print_lines(f"{arguments.html}: {length / 1000:,.0f} kB; open it in a browser")
    return DONE


def _select(replayed: Replay, seat: Seat | None, board: int | None) -> Replay:
    """Return the replay with the requested board only. Raise ``InvalidInput`` without that seat or board."""
    seats = replayed.game.seats(replayed.ruleset)
    if seat is not None and not 1 <= seat <= seats:
        raise InvalidInput(f"there is no seat {seat}: this table has seats 1 to {seats}")
    if board is None:
        return replayed
    numbers = [played.board.number for played in replayed.boards]
    if board not in numbers:
        available = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        raise InvalidInput(f"there is no board {board} in this record: it has {available}")
    return replayed._replace(
        boards=tuple(played for played in replayed.boards if played.board.number == board)
    )


def read_record(path: Path) -> bytes:
    """Return the uncompressed bytes of a record, or raise ``InvalidInput``."""
    try:
        if path.stat().st_size > MAX_RECORD_BYTES:
            raise _too_large(path)
        with path.open("rb") as file:
            is_zipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        with gzip.open(path) if is_zipped else path.open("rb") as file:
            data: bytes = file.read(MAX_RECORD_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(
            f"cannot read record {path}: {getattr(error, 'strerror', None) or error}"
        ) from None
    if len(data) > MAX_RECORD_BYTES:
        raise _too_large(path)
    return data


def is_record(data: bytes) -> bool:
    try:
        first = json.loads(data[:MAX_FIRST_LINE_BYTES].split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("e") == "table" and first.get("format") == FORMAT


def _too_large(path: Path) -> InvalidInput:
    return InvalidInput(f"record {path} is larger than {MAX_RECORD_BYTES >> 20} MiB, the maximum of Rensho")


def replay_pages(
    replayed: Replay,
    stops: list[Stop],
    present: Presenter,
    renderer: SceneRenderer,
    console: Console,
    seat: Seat | None,
) -> Iterator[RenderableType]:
    """Yield the complete record: bots, then each board and deal."""
    view = f"as seat {seat} saw it" if seat else "all hands open"
    yield renderer.text(
        " · ".join((replayed.ruleset.preset, f"rules_version {replayed.game.rules_version}", view)), "bold"
    )
    for viewing_seat in viewing_seats(replayed, seat):
        forfeited = ", forfeited" if viewing_seat in replayed.forfeited else ""
        verdict = replayed.verdicts[viewing_seat]
        name = renderer.names.get(viewing_seat)
        named = f"{printable(name)}  " if name else ""
        line = Text(f"  seat {viewing_seat}  {named}bot {replayed.bots[viewing_seat][:12]}  ")
        yield line.append(f"{verdict}{forfeited}", "green" if verdict == "OK" else "yellow")
    for _, on_board in groupby(stops, key=lambda stop: stop.board):
        played = list(on_board)
        yield Text()
        yield renderer.heading(f"Board {played[0].board}", console.width)
        if played[0].seed is not None:
            yield Text(f"  {played[0].kind}, seed {played[0].seed}", DIM)
        for deal, of_deal in groupby(played, key=lambda stop: stop.deal):
            if played[0].kind == "game":
                yield Text(f"\n  Deal {deal}", "bold")
            yield from present.deal_parts(list(of_deal))
        outcome = played[-1].outcome
        if outcome is not None and played[0].kind == "game":
            yield Text(f"\n  Board {played[0].board}: stones {stones_text(outcome.stones)}", "bold")


def replay_json(
    replayed: Replay, stops: list[Stop], seat: Seat | None, names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the record as JSON values, with observations if ``seat`` is given."""
    return {
        "game": replayed.game.key,
        "preset": replayed.ruleset.preset,
        "rules_version": replayed.game.rules_version,
        "ruleset": replayed.ruleset.as_dict(),
        "seat": seat,
        "bots": {
            str(viewing_seat): {
                "name": names.get(replayed.bots[viewing_seat]),
                "sha256": replayed.bots[viewing_seat],
                "verdict": replayed.verdicts[viewing_seat],
                "forfeited": viewing_seat in replayed.forfeited,
            }
            for viewing_seat in viewing_seats(replayed, seat)
        },
        "boards": [
            _board_json(list(on_board), seat) for _, on_board in groupby(stops, key=lambda stop: stop.board)
        ],
    }


def _board_json(stops: list[Stop], seat: Seat | None) -> dict[str, Any]:
    first, outcome = stops[0], stops[-1].outcome
    return {
        "board": first.board,
        "kind": first.kind,
        "seed": first.seed,
        "stops": [_stop_json(stop, seat) for stop in stops],
        "stones": None if outcome is None else {str(seat): won for seat, won in outcome.stones.items()},
    }


def _stop_json(stop: Stop, seat: Seat | None) -> dict[str, Any]:
    stop_fields: dict[str, Any] = {"deal": stop.deal, "events": list(stop.heard)}
    if seat:
        stop_fields["observation"] = stop.eyes.get(seat)
    return stop_fields
