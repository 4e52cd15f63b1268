"""The command ``rensho``.

Exit status: 0 done; 1 a check failed; 2 invalid input or command; 3 not possible on this machine, or no
server can be reached; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from bots.kit.errors import (
    DONE,
    FOUND_WRONG,
    INTERRUPTED,
    MACHINE_UNABLE,
    UNUSABLE,
    KitError,
    error_text,
)
from engine.refusals import clipped
from referee.table import engine_version

__all__ = ["DONE", "FOUND_WRONG", "INTERRUPTED", "MACHINE_UNABLE", "UNUSABLE", "main"]

COMMANDS = {
    "new": "local.new",
    "check": "local.check",
    "play": "local.play",
    "compare": "local.compare",
    "gauntlet": "local.gauntlet",
    "tune": "local.tune",
    "replay": "replay.command",
    "reproduce": "local.reproduce",
    "verify": "local.verify",
    "doctor": "local.doctor",
    "login": "server.login",
    "logout": "server.login",
    "submit": "server.submit",
    "bots": "server.bots",
    "activate": "server.bots",
    "versions": "server.bots",
    "edit": "server.bots",
    "challenge": "server.challenge",
    "experiment": "server.experiments",
    "experiments": "server.experiments",
    "tournaments": "server.tournaments",
    "entries": "server.entries",
    "tables": "server.tables",
    "logs": "server.tables",
    "series": "server.series",
    "ladder": "server.ladder",
    "rulings": "server.rulings",
    "integrity": "server.integrity",
    "standings": "server.standings",
    "rating": "server.rating",
    "watch": "server.watch",
    "export": "server.export",
    "pull": "server.pull",
    "faults": "server.faults",
    "games": "server.games",
    "formats": "server.games",
    "webhooks": "server.webhooks",
    "notices": "server.tokens",
    "tokens": "server.tokens",
}
"""The module of each command, in the order of ``rensho --help``. Its ``register(commands)`` adds its command
or commands by ``bots.kit.subcommands``. A command imports its own module and no other."""

REPORT = (
    "this is a fault of rensho, not yours. Please report it with the output of the same command "
    "after --debug: rensho --debug {command}"
)


ERROR_CHARS = 200
COMMAND_CHARS = 120


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with a command line in a few words, however much was given."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and end with the status of an input that cannot be used."""
        super().error(clipped(message))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; ``argv`` without the program's name, by default from the command line."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            arguments = parser_for(words).parse_args(words)
            status: int = arguments.command(arguments)
        finally:
            # Here, and not at the interpreter's end, where it would complain of a reader who has gone.
            sys.stdout.flush()
    except KitError as error:
        print(f"rensho: {error_text(error)}", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("rensho: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has had enough, as `head` has. What is left to say goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:  # the edge: whatever is unknown is ours, and nobody is shown a traceback
        if "--debug" in words:
            traceback.print_exc()
        what = clipped(f"{type(error).__name__}: {error}", ERROR_CHARS)
        command = clipped(shlex.join(word for word in words if word != "--debug"), COMMAND_CHARS)
        print(f"rensho: {what}; {REPORT.format(command=command)}", file=sys.stderr)
        return MACHINE_UNABLE
    return status


def parser_for(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that these words name; of all commands if they name none."""
    named = next((word for word in words if not word.startswith("-")), "")
    paths = [COMMANDS[named]] if named in COMMANDS else dict.fromkeys(COMMANDS.values())
    parser = _Parser(
        prog="rensho",
        description="Write bots, play matches on this machine, and take part in tournaments on a server.",
        epilog="Exit status: 0 done; 1 a check failed; 2 invalid input or command; 3 not possible on this "
        "machine, or no server can be reached; 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"rensho {engine_version()}")
    parser.add_argument("--debug", action="store_true", help="print the traceback of an internal error")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for path in paths:
        import_module(f"bots.kit.{path}").register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
