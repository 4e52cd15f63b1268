"""The command ``rensho``.

Exit status: 0 done, 1 what was looked at is wrong, 2 the input or the command cannot be used, 3 this
machine cannot do it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bots.kit.check import check_lines, check_path
from bots.kit.errors import InputUnusable
from bots.kit.replay import read_record, replay_lines
from bots.kit.verify import export_verify
from engine import RecordError

DONE = 0
FOUND_WRONG = 1
UNUSABLE = 2
MACHINE_UNABLE = 3

DEFAULT_PRESET = "kakeya4"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; ``argv`` without the program's name, by default from the command line."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.command(arguments)
    except InputUnusable as error:
        print(f"rensho: {error}", file=sys.stderr)
        return UNUSABLE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rensho",
        description="Tools for authors of bots.",
        epilog="Exit status: 0 done, 1 what was looked at is wrong, "
        "2 the input or the command cannot be used, 3 this machine cannot do it.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="try a bot as the server does before it may play")
    check.add_argument("path", type=Path, help="a folder with rensho.toml, an archive of one, or a .py file")
    check.add_argument("--preset", default=DEFAULT_PRESET, help="the rules to try it under (%(default)s)")
    check.add_argument(
        "--no-sandbox", action="store_true", help="run it as an ordinary process: trusted bots only"
    )
    check.add_argument("--json", action="store_true", help="print the whole report as JSON")
    check.set_defaults(command=_check)

    show = commands.add_parser("replay", help="show the record of a table as text, every line confirmed")
    show.add_argument("file", type=Path, help="a rensho-record/1 file, gzipped or not")
    show.set_defaults(command=_replay)

    verify = commands.add_parser("verify", help="derive a whole tournament again from its export alone")
    verify.add_argument("file", type=Path, help="the archive of /api/v1/tournaments/ID/export")
    verify.add_argument("--json", action="store_true", help="print what disagrees as JSON")
    verify.set_defaults(command=_verify)
    return parser


def _check(arguments: argparse.Namespace) -> int:
    report = check_path(arguments.path, arguments.preset, is_sandboxed=not arguments.no_sandbox)
    if arguments.json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        for line in check_lines(report):
            print(line)
    if report.platform_fault is not None:
        return MACHINE_UNABLE
    return DONE if report.accepted else FOUND_WRONG


def _replay(arguments: argparse.Namespace) -> int:
    record = read_record(arguments.file)
    try:
        for line in replay_lines(record):
            print(line)
    except RecordError as error:
        print(f"rensho: {arguments.file}: {error}", file=sys.stderr)
        return FOUND_WRONG
    return DONE


def _verify(arguments: argparse.Namespace) -> int:
    document, found = export_verify(arguments.file)
    event = document.get("tournament", {})
    if arguments.json:
        print(json.dumps({"tournament": event.get("id"), "disagreements": found}, indent=2))
    elif found:
        for line in found:
            print(f"- {line}")
        print(f"{event.get('name')}: {len(found)} things disagree.")
    else:
        print(f"{event.get('name')}: every deal, result, score and standing follows from the export.")
    return FOUND_WRONG if found else DONE


if __name__ == "__main__":
    sys.exit(main())
