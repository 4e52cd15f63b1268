"""The command ``rensho``.

Exit status: 0 done; 1 a check failed; 2 invalid input or command; 3 not possible on this machine, or no
server can be reached; 4 standard output cannot be written; 130 interrupted; 141 broken pipe.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from bots.kit.display.output import discard_output, guarded_output
from bots.kit.errors import (
    BROKEN_PIPE,
    CHECK_FAILED,
    DONE,
    ENVIRONMENT_FAILURE,
    INTERRUPTED,
    INVALID_INPUT,
    OUTPUT_FAILED,
    KitError,
    OutputFailed,
    error_text,
)
from engine.printable import printable
from engine.refusals import clipped
from referee.table import engine_version

__all__ = [
    "BROKEN_PIPE",
    "CHECK_FAILED",
    "DONE",
    "ENVIRONMENT_FAILURE",
    "INTERRUPTED",
    "INVALID_INPUT",
    "OUTPUT_FAILED",
    "main",
]

COMMANDS = {
    "new": "local.new",
    "check": "server.check",
    "play": "local.play",
    "compare": "local.compare",
    "gauntlet": "local.gauntlet",
    "tune": "local.tune",
    "replay": "replay.command",
    "analyse": "local.analyse",
    "reproduce": "remote.reproduce",
    "verify": "local.verify",
    "doctor": "local.doctor",
    "api": "server.api",
    "login": "server.login",
    "logout": "server.login",
    "submit": "server.submit",
    "connect": "remote.command",
    "tournaments": "server.tournaments",
    "entries": "server.entries",
    "series": "server.series",
    "standings": "server.standings",
    "watch": "server.watch",
    "export": "server.export",
    "pull": "server.pull",
}
"""Module of each command, in the order of ``rensho --help``; only that of the named command is imported."""

INTERNAL_ERROR_TEXT = "this is a bug in rensho. Please report it with the output of: rensho --debug {command}"


MAX_ERROR_CHARS = 200
MAX_COMMAND_CHARS = 120


class _Parser(argparse.ArgumentParser):
    """Parser with short, printable error messages; ``nargs="*"`` accepts options between arguments."""

    _is_mixed = False

    def error(self, message: str) -> NoReturn:
        super().error(clipped(printable(message)))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._is_mixed or not any(action.nargs == "*" for action in self._get_positional_actions()):
            return super().parse_known_args(args, namespace)
        self._is_mixed = True
        return self.parse_known_intermixed_args(args, namespace)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. ``argv`` excludes the program name."""
    argv_list = list(sys.argv[1:] if argv is None else argv)
    try:
        with guarded_output():
            return _run_command(argv_list)
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE
    except OutputFailed as error:
        discard_output()
        _print_error(error_text(error))
        return error.status


def _run_command(argv: list[str]) -> int:
    try:
        arguments = parser_for(argv).parse_args(argv)
        status: int = arguments.command(arguments)
    except (OutputFailed, BrokenPipeError):
        raise
    except KitError as error:
        _print_error(error_text(error))
        return error.status
    except KeyboardInterrupt:
        _print_error("interrupted")
        return INTERRUPTED
    except (
        Exception
    ) as error:  # unknown errors are bugs of rensho; the traceback is printed with --debug only
        if "--debug" in argv:
            traceback.print_exc()
        description = clipped(printable(f"{type(error).__name__}: {error}"), MAX_ERROR_CHARS)
        command = clipped(shlex.join(word for word in argv if word != "--debug"), MAX_COMMAND_CHARS)
        _print_error(f"{description}; {INTERNAL_ERROR_TEXT.format(command=command)}")
        return ENVIRONMENT_FAILURE
    return status


def _print_error(message: str) -> None:
    """Print a message on standard error. If that fails, only the exit status reports the error."""
    with suppress(OutputFailed, OSError):
        print(f"rensho: {printable(message)}", file=sys.stderr)  # noqa: T201


def parser_for(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser of the named command, or of all commands if ``argv`` names none."""
    named = next((word for word in argv if not word.startswith("-")), "")
    paths = [COMMANDS[named]] if named in COMMANDS else dict.fromkeys(COMMANDS.values())
    parser = _Parser(
        prog="rensho",
        description="Write bots, play matches on this machine, and take part in tournaments on a server.",
        epilog="Exit status: 0 done; 1 a check failed; 2 invalid input or command; 3 not possible on this "
        "machine, or no server can be reached; 4 standard output cannot be written; 130 interrupted; 141 "
        "broken pipe.",
    )
    parser.add_argument("--version", action="version", version=f"rensho {engine_version()}")
    parser.add_argument("--debug", action="store_true", help="print the traceback of internal errors")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for path in paths:
        import_module(f"bots.kit.{path}").register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
