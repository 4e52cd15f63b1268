"""The fields of a tournament to be made: from a TOML or JSON file, from options, or both."""

from __future__ import annotations

import argparse
import datetime
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from bots.kit.client.shapes import TournamentChangeIn, TournamentIn
from bots.kit.errors import InputUnusable
from engine.refusals import clipped, quoted

LARGEST_BYTES = 1 << 20
LINE_DOTS = 1000
ERROR_CHARS = 200
"""So much is told of what a parser found."""
NAMES = tuple(TournamentIn.__annotations__)
REQUIRED = ("name", "preset")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that set fields."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?",
        help="its fields as TOML or JSON, by the names of the API",
    )
    parser.add_argument("--name", help="name of the tournament")
    parser.add_argument("--preset", metavar="PRESET", help="the rules to play by")
    parser.add_argument("--format", metavar="FORMAT", help="one stage in this format")
    parser.add_argument("--boards", metavar="N", type=int, help="boards a round")
    parser.add_argument("--kind", choices=("deal", "game"), help="what a board is")
    parser.add_argument("--private", action="store_true", help="only you and those who enter see it")
    parser.add_argument("--closes-at", metavar="TIME", help="end of registration, such as 2027-05-01T18:00Z")
    parser.add_argument("--starts-at", metavar="TIME", help="earliest start")
    parser.add_argument(
        "--set",
        metavar="FIELD=VALUE",
        action="append",
        default=[],
        help="any other field, the value as JSON or text; may be repeated",
    )


def new_fields(arguments: argparse.Namespace) -> TournamentIn:
    """The fields of a tournament to be made.

    Raises:
        InputUnusable: the file cannot be used, or a field is unknown or missing.
    """
    fields = fields_given(arguments)
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        options_named = " and ".join(f"--{name}" for name in missing)
        raise InputUnusable(
            f"a tournament needs a {' and a '.join(missing)}: give {options_named}, or a file"
        )
    return cast(TournamentIn, fields)


def changed_fields(arguments: argparse.Namespace) -> TournamentChangeIn:
    """The fields of a tournament to be changed.

    Raises:
        InputUnusable: the file cannot be used, or a field is unknown, or there is none.
    """
    fields = fields_given(arguments)
    if not fields:
        raise InputUnusable("say what to change, such as --set budget_cpu_s=7200")
    return cast(TournamentChangeIn, fields)


def fields_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the file says, changed by what the options say.

    Raises:
        InputUnusable: the file cannot be used, or a field is unknown.
    """
    fields = fields_read(arguments.file) if arguments.file is not None else {}
    options: dict[str, Any] = {
        "name": arguments.name,
        "preset": arguments.preset,
        "stages": [{"format": arguments.format}] if arguments.format else None,
        "boards_per_round": arguments.boards,
        "board_kind": arguments.kind,
        "visibility": "private" if arguments.private else None,
        "closes_at": arguments.closes_at,
        "starts_at": arguments.starts_at,
    }
    fields.update({name: value for name, value in options.items() if value is not None})
    for text in arguments.set:
        name, is_there, value = text.partition("=")
        if not is_there or not name:
            raise InputUnusable(f"--set {quoted(text)}: write it as FIELD=VALUE, such as max_entries=32")
        _check_name(name, "--set")
        fields[name] = _value(value)
    return fields


def fields_read(path: Path) -> dict[str, Any]:
    """The fields in a file.

    Raises:
        InputUnusable: it cannot be read, or has a field no tournament has.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
        if len(data) > LARGEST_BYTES:
            raise InputUnusable(
                f"{path} has more than {LARGEST_BYTES} bytes, which no tournament needs: leave out the rest"
            )
        found = json.loads(data) if path.suffix == ".json" else _toml(data)
    except OSError as error:
        raise InputUnusable(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # of the bytes, of JSON or of TOML
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise InputUnusable(f"{path} is no {kind}: {clipped(str(error), ERROR_CHARS)}") from None
    if not isinstance(found, dict):
        raise InputUnusable(
            f"{path} holds no fields: write an object, such as {{'name': ..., 'preset': ...}}"
        )
    for name in found:
        _check_name(name, str(path))
    plain: dict[str, Any] = _plain(found)
    return plain


def _toml(data: bytes) -> dict[str, Any]:
    """The fields of a TOML file.

    Raises:
        ValueError: it is none.
    """
    # A key of n parts costs n squared to read.
    if any(line.count(b".") > LINE_DOTS for line in data.splitlines()):
        raise ValueError(f"a line has more than {LINE_DOTS} dots")
    return tomllib.loads(data.decode("utf-8"))


def _check_name(name: str, where: str) -> None:
    if name not in NAMES:
        raise InputUnusable(
            f"{where}: a tournament has no field {quoted(name)}; there are: {', '.join(NAMES)}"
        )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _plain(value: Any) -> Any:
    """Values as JSON has them: TOML's times become texts, in UTC where nothing else is said."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime.datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=datetime.UTC)
        return moment.isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value
