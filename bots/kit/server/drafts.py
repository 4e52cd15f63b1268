"""Fields of a tournament from a TOML or JSON file and from options."""

from __future__ import annotations

import argparse
import datetime
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from bots.kit.client.shapes import TournamentChangeIn, TournamentIn
from bots.kit.errors import InvalidInput
from bots.kit.files import read_text
from bots.kit.server.arguments import add_file
from bots.kit.server.stage_options import add_stage_options, option_value
from bots.kit.server.times import times_to_utc
from engine.refusals import clipped, quoted

MAX_FILE_BYTES = 1 << 20
MAX_LINE_DOTS = 1000
MAX_ERROR_CHARS = 200
"""Maximum characters of a parser's error in a message."""
REQUIRED = ("name", "preset")
TOURNAMENT_ONLY_FIELDS = ("name", "closes_at", "starts_at")
"""Fields that an edition of a series receives from its series."""


def add_options(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    parser.add_argument("--name", help="name of the tournament")
    add_template_options(parser)
    parser.add_argument(
        "--closes-at",
        metavar="TIME",
        help="end of entry, such as 2027-05-01T18:00; a date alone means the end of that day",
    )
    parser.add_argument("--starts-at", metavar="TIME", help="earliest start")


def add_template_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that tournaments and editions of a series share."""
    parser.add_argument("--preset", metavar="PRESET", help="preset of rules")
    add_stage_options(parser)
    parser.add_argument("--boards", metavar="N", type=int, help="boards per round")
    parser.add_argument("--kind", choices=("deal", "game"), help="kind of board")
    parser.add_argument(
        "--min-entries",
        metavar="N",
        type=int,
        help="minimum entries; with fewer, the tournament is cancelled",
    )
    parser.add_argument("--max-entries", metavar="N", type=int, help="maximum entries")
    parser.add_argument(
        "--private",
        action="store_true",
        help="visible only to entrants, invited players, organisers and staff",
    )
    help_text = "any other field, with its value as JSON or text; may be repeated"
    parser.add_argument("--set", metavar="FIELD=VALUE", action="append", default=[], help=help_text)


def new_fields(arguments: argparse.Namespace) -> TournamentIn:
    """Return the fields of a new tournament. Raise ``InvalidInput`` for unknown or missing fields."""
    fields = fields_from_arguments(arguments)
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        options_named = " and ".join(f"--{name}" for name in missing)
        raise InvalidInput(f"a tournament needs a {' and a '.join(missing)}: give {options_named}, or a file")
    return cast(TournamentIn, fields)


def changed_fields(arguments: argparse.Namespace) -> TournamentChangeIn:
    """Return the fields to change. Raise ``InvalidInput`` for unknown fields or none."""
    fields = fields_from_arguments(arguments)
    if not fields:
        raise InvalidInput("nothing to change: give a field, for example --set budget_cpu_s=7200")
    return cast(TournamentChangeIn, fields)


def fields_from_arguments(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of the file, updated with the options. Raise ``InvalidInput`` for unknown fields."""
    fields = (
        fields_from_file(arguments.file, TournamentIn, "a tournament") if arguments.file is not None else {}
    )
    fields.update(template_from_arguments(arguments, TournamentIn, "a tournament"))
    given = {name: getattr(arguments, name) for name in TOURNAMENT_ONLY_FIELDS}
    fields.update({name: value for name, value in given.items() if value is not None})
    times_to_utc(fields)
    return fields


def template_from_arguments(arguments: argparse.Namespace, shape: type, owner: str) -> dict[str, Any]:
    """Return the fields of the options of ``add_template_options``; ``--set`` accepts those of ``shape``."""
    options: dict[str, Any] = {
        "preset": arguments.preset,
        "stages": arguments.stages,
        "boards_per_round": arguments.boards,
        "board_kind": arguments.kind,
        "min_entries": arguments.min_entries,
        "max_entries": arguments.max_entries,
        "visibility": "private" if arguments.private else None,
    }
    fields = {name: value for name, value in options.items() if value is not None}
    for text in arguments.set:
        name, is_there, value = text.partition("=")
        if not is_there or not name:
            raise InvalidInput(f"--set {quoted(text)}: write it as FIELD=VALUE, such as max_entries=32")
        _check_name(name, "--set", shape, owner)
        fields[name] = option_value(value)
        _check_choice(name, fields[name], "--set", shape)
    return fields


def fields_from_file(path: Path, shape: type, owner: str) -> dict[str, Any]:
    """Return the fields of a file. Raise ``InvalidInput`` for a field that ``shape`` does not have."""
    text = read_text(path, MAX_FILE_BYTES)
    try:
        document = json.loads(text) if path.suffix == ".json" else _toml(text)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise InvalidInput(f"{path} is not {kind}: {clipped(str(error), MAX_ERROR_CHARS)}") from None
    if not isinstance(document, dict):
        raise InvalidInput(f'{path} is not a JSON object: write for example {{"name": ..., "preset": ...}}')
    for name in document:
        _check_name(name, str(path), shape, owner)
        _check_choice(name, document[name], str(path), shape)
    plain: dict[str, Any] = _as_json(document)
    return plain


def _toml(text: str) -> dict[str, Any]:
    """Parse TOML, or raise ``ValueError``."""
    # A key of n parts costs n squared to read.
    if any(line.count(".") > MAX_LINE_DOTS for line in text.splitlines()):
        raise ValueError(f"a line has more than {MAX_LINE_DOTS} dots")
    return tomllib.loads(text)


def _check_name(name: str, where: str, shape: type, owner: str) -> None:
    fields = shape.__annotations__
    names = dict.fromkeys((*(field for field in REQUIRED if field in fields), *fields))
    if name not in names:
        raise InvalidInput(
            f"{where}: {owner} has no field {quoted(name)}; its fields are: {', '.join(names)}"
        )


def _check_choice(name: str, value: Any, where: str, shape: type) -> None:
    """Reject a value that is not among the choices of a field."""
    hint = get_type_hints(shape)[name]
    if get_origin(hint) is Literal and value not in get_args(hint):
        choices = ", ".join(map(str, get_args(hint)))
        raise InvalidInput(f"{where}: {name} cannot be {quoted(value)}; choose one of {choices}")


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_json(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_as_json(inner) for inner in value]
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return value
