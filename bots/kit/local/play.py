"""``rensho play``: a duplicate match between bots on this machine."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bots.kit.display.console import console_for, print_result
from bots.kit.errors import CHECK_FAILED, DONE, INTERRUPTED, InvalidInput
from bots.kit.local.board_files import ChosenRules, FileBoards, boards_of, on_boards
from bots.kit.local.match import LocalMatch
from bots.kit.local.match_text import conclusion_text, print_faults, print_match
from bots.kit.local.params import add_param, with_params
from bots.kit.local.rules import parse_options, rules_from
from bots.kit.local.runner import add_running_arguments, require_boards, run_match, run_settings
from bots.kit.local.sides import contenders_from
from bots.kit.local.summary import match_summary
from bots.kit.subcommands import Commands, add_command
from engine.refusals import quoted

DEFAULT_BOARDS = {"deal": 100, "game": 10}
EPILOG = """\
A side is a folder with rensho.toml, an archive of one, a .py file, or a house bot such as house:greedy.
Two bots may share a side of two seats: a+b, the first in the lower seat.
Every board is played once for every rotation of the sides, so that all hold the same cards.

Exit status: 0 played to the end; 1 a bot did not start, or forfeited a table; 2 invalid input or
command; 3 no sandbox on this machine; 130 interrupted: the boards played so far are printed."""


def register(commands: Commands) -> None:
    play = add_command(
        commands,
        "play",
        "play a duplicate match between bots on this machine",
        _play,
        epilog=EPILOG,
    )
    play.add_argument("sides", nargs="+", metavar="SIDE", help="one argument per side")
    help_text = (
        "number of boards (100 deals or 10 games), or a file whose boards are played: an export, records, a "
        "summary.json, a fault or position file, position texts"
    )
    play.add_argument("--boards", metavar="N|FILE", help=help_text)
    help_text = "only boards of the file on which this bot lost stones: a name or hash"
    play.add_argument("--lost", metavar="BOT", help=help_text)
    add_param(play, "the first side, or with 2:NAME=VALUE of the second")
    add_running_arguments(play)


def _play(arguments: argparse.Namespace) -> int:
    given = _given_boards(arguments)
    rules = rules_from(arguments, arguments.sides) if given is None else given.rules
    contenders = tuple(with_params(contenders_from(arguments.sides, rules), arguments.param))
    match = LocalMatch(rules, contenders, 0, arguments.seed)
    if given is None:
        count = DEFAULT_BOARDS[rules.kind] if arguments.boards is None else int(arguments.boards)
        match = match._replace(boards=require_boards(count))
    else:
        match = on_boards(match, given, arguments.boards, arguments.lost)
    run = run_match(run_settings(arguments), match)
    summary = match_summary(run)
    if run.folder is not None:
        run.folder.write_summary(summary)

    def show() -> None:
        console = console_for()
        print_match(console, run)
        console.print(conclusion_text(match, run.tally), soft_wrap=True)
        print_faults(console, run)

    print_result(arguments, summary, show)
    if run.is_interrupted:
        return INTERRUPTED
    return CHECK_FAILED if any(side.forfeits for side in run.tally.sides) else DONE


def _given_boards(arguments: argparse.Namespace) -> FileBoards | None:
    """Return the boards of the file that ``--boards`` names; None for a number."""
    if arguments.boards is None or re.fullmatch(r"[+-]?\d+", arguments.boards):
        if arguments.lost is not None:
            raise InvalidInput("--lost selects boards of a file: add --boards FILE")
        return None
    path = Path(arguments.boards)
    if not path.exists():
        raise InvalidInput(
            f"--boards {quoted(arguments.boards)} is neither a number nor a file: give one of them"
        )
    chosen = ChosenRules(arguments.preset, parse_options(arguments.option), arguments.kind)
    return boards_of(path, chosen, arguments.lost)
