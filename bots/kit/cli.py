"""``rensho``: tools for authors. Exit status 0 done, 1 found wrong, 2 unusable input or command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bots.kit.errors import InputUnusable
from bots.kit.replay import read_record, replay_lines
from engine import RecordError

DONE = 0
FOUND_WRONG = 1
UNUSABLE = 2


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
        epilog="Exit status: 0 done, 1 what was looked at is wrong, 2 the input or the command is unusable.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("replay", help="show the record of a table as text, every line confirmed")
    show.add_argument("file", type=Path, help="a rensho-record/1 file, gzipped or not")
    show.set_defaults(command=_replay)
    return parser


def _replay(arguments: argparse.Namespace) -> int:
    record = read_record(arguments.file)
    try:
        for line in replay_lines(record):
            print(line)
    except RecordError as error:
        print(f"rensho: {arguments.file}: {error}", file=sys.stderr)
        return FOUND_WRONG
    return DONE


if __name__ == "__main__":
    sys.exit(main())
