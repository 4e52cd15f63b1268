"""The command ``rensho``.

Exit status: 0 done, 1 what was looked at is wrong, 2 the input or the command cannot be used, 3 this
machine cannot do it, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from bots.kit.client.errors import Refused
from bots.kit.errors import DONE, FOUND_WRONG, INTERRUPTED, MACHINE_UNABLE, UNUSABLE, KitError
from bots.kit.local import check, compare, doctor, new, play, reproduce, verify
from bots.kit.replay import command as replay
from bots.kit.server import (
    bots,
    challenge,
    entries,
    export,
    faults,
    games,
    login,
    logs,
    notices,
    pull,
    rulings,
    series,
    standings,
    submit,
    tables,
    tokens,
    tournaments,
    versions,
    watch,
    webhooks,
)
from bots.kit.server.refusals import refusal_text
from engine.refusals import clipped
from referee.table import engine_version

__all__ = ["DONE", "FOUND_WRONG", "INTERRUPTED", "MACHINE_UNABLE", "UNUSABLE", "main"]

COMMANDS = (
    new,
    check,
    play,
    compare,
    replay,
    reproduce,
    verify,
    doctor,
    login,
    submit,
    bots,
    challenge,
    tournaments,
    entries,
    tables,
    series,
    rulings,
    standings,
    watch,
    export,
    pull,
    logs,
    faults,
    versions,
    games,
    notices,
    webhooks,
    tokens,
)
"""In the order of ``rensho --help``. Each module has ``register(commands)``, which adds its command or
commands by ``bots.kit.subcommands``; another module here is another command."""

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
            arguments = _parser().parse_args(words)
            status: int = arguments.command(arguments)
        finally:
            # Here, and not at the interpreter's end, where it would complain of a reader who has gone.
            sys.stdout.flush()
    except KitError as error:
        text = refusal_text(error) if isinstance(error, Refused) else str(error)
        print(f"rensho: {text}", file=sys.stderr)
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


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rensho",
        description="Tools for authors of bots.",
        epilog="Exit status: 0 done, 1 what was looked at is wrong, 2 the input or the command cannot be "
        "used, 3 this machine cannot do it, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"rensho {engine_version()}")
    parser.add_argument("--debug", action="store_true", help="show where in our code a fault arose")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.register(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
