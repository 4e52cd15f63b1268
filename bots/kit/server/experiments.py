"""``rensho experiment NEW OLD`` and ``rensho experiments``: is a new version better? Tested on the server."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import Any, get_args

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.experiments import LIVE
from bots.kit.client.shapes import Experiment, ExperimentFull, ExperimentIn, ExperimentState, Version
from bots.kit.display.console import answer, answer_table, console_for, note, say, say_json
from bots.kit.display.evidence import spark_text
from bots.kit.display.words import counted, duration_text, interval_text, minute_text
from bots.kit.errors import DONE, InputUnusable
from bots.kit.server.arguments import add_limit, add_paged, add_reason, add_states, limited, server_command
from bots.kit.server.naming import active, latest, version_named
from bots.kit.subcommands import Commands, group
from engine.printable import printable

STATES = get_args(ExperimentState)
Choose = Callable[[Client, str], Version | None]
DESCRIPTION = (
    "Have the server test whether NEW is better than OLD: by the same sequential test as rensho compare, on "
    "duplicate boards, in what events and challenges leave of its workers. It stops itself. A bot is given "
    "by its name (NEW: its latest version, OLD: the active one), as NAME@3, as OWNER/NAME for a public one, "
    "or by the id of a version. With --against both meet that field on the same boards instead of each other."
)


def register(commands: Commands) -> None:
    """Add ``rensho experiment`` and ``rensho experiments``."""
    made = server_command(
        commands,
        "experiment",
        "test on the server whether a new version is better than an old one",
        _make,
        description=DESCRIPTION,
    )
    made.add_argument("new", metavar="NEW", help="the new version, one of your own")
    made.add_argument(
        "old", metavar="OLD", nargs="?", help="the old version (the active one of the same bot)"
    )
    made.add_argument(
        "--against", action="append", default=[], metavar="BOT", help="one of the field; may be repeated"
    )
    made.add_argument("--preset", default="kakeya4", help="the rules to play by (%(default)s)")
    help_text = "change one option of the rules, such as debt=false or seats=5; may be repeated"
    made.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=help_text)
    made.add_argument("--kind", choices=("deal", "game"), default="deal", help="kind of board (deal)")
    help_text = "smallest gain to detect, in stones a board (0.2)"
    made.add_argument("--difference", type=float, help=help_text)
    help_text = "probability of calling NEW better when it is not (0.05)"
    made.add_argument("--alpha", type=float, help=help_text)
    help_text = "probability of missing that NEW is better (0.05)"
    made.add_argument("--beta", type=float, help=help_text)
    made.add_argument("--cap", type=int, metavar="N", help="stop after this many boards (2000)")
    help_text = "boards played before the test is asked again (40)"
    made.add_argument("--batch", type=int, metavar="N", help=help_text)
    help_text = "CPU-seconds that all bots of it may use"
    made.add_argument("--budget", type=int, metavar="S", help=help_text)
    _add_follow(made)
    below = group(
        commands,
        "experiments",
        "your experiments on the server: list, show, stop",
        "Your experiments on the server. rensho experiment NEW OLD makes one.",
    )
    listed = server_command(below, "list", "list your experiments, newest first", _list)
    add_states(listed, STATES)
    add_limit(listed)
    shown = server_command(below, "show", "show an experiment and what its boards say", _show)
    add_paged(shown, "experiment")
    _add_follow(shown)
    stopped = server_command(below, "stop", "stop an experiment before it is decided", _stop)
    add_paged(stopped, "experiment")
    add_reason(stopped)


def _add_follow(parser: argparse.ArgumentParser) -> None:
    help_text = "wait for its end and show how it goes; with --json every change is a line"
    parser.add_argument("--follow", action="store_true", help=help_text)


def _make(client: Client, arguments: argparse.Namespace) -> int:
    new = chosen(client, arguments.new, latest)
    old = chosen(client, arguments.old, active) if arguments.old else active(client, new["bot"])
    if old is None:
        raise InputUnusable(f"{arguments.new!r} has no active version yet: name OLD")
    fields: ExperimentIn = {
        "candidate": new["id"],
        "baseline": old["id"],
        "preset": arguments.preset,
        "board_kind": arguments.kind,
    }
    if arguments.against:
        fields["field"] = [chosen(client, named, active)["id"] for named in arguments.against]
    if options := dict(map(_option, arguments.option)):
        fields["ruleset"] = options
    for name in ("difference", "alpha", "beta"):
        if (rate := getattr(arguments, name)) is not None:
            fields[name] = rate
    if arguments.cap is not None:
        fields["cap"] = arguments.cap
    if arguments.batch is not None:
        fields["boards_per_batch"] = arguments.batch
    if arguments.budget is not None:
        fields["budget_cpu_s"] = arguments.budget
    made = client.experiment_create(fields)
    if arguments.follow:
        return _followed(client, made["id"], arguments)
    line = f"{question_text(made)} {made['state']}. Follow it: rensho experiments show {made['id']} --follow"
    return answer(arguments, made, lambda: say(line))


def chosen(client: Client, named: str, choose: Choose) -> Version:
    """The version of this name, ``NAME@NUMBER``, id or address; OWNER/NAME is a public bot's active one.

    Raises:
        InputUnusable: nothing is called so, or it has no such version.
    """
    name, at, number = named.rpartition("@")
    if at and number.isascii() and number.isdigit():
        bot_id = chosen(client, name, latest)["bot"]
        for version in client.versions(bot_id):
            if version["number"] == int(number):
                return version
        raise InputUnusable(f"{name} has no version {number} that you may see")
    owner, slash, name = named.partition("/")
    if not slash or not owner or "/" in name or ":" in owner:
        return version_named(client, named, choose)
    for bot in client.bots(owner=owner, name=name):
        if found := active(client, bot["id"]):
            return found
        raise InputUnusable(f"{named} has no version that may be played yet")
    raise InputUnusable(f"there is no public bot {name!r} of {owner!r}: the site's page of bots lists them")


def _option(word: str) -> tuple[str, Any]:
    """An option of the rules as the API takes it."""
    name, equals, text = word.partition("=")
    if not (name and equals):
        raise InputUnusable(f"--option {word!r} is not NAME=VALUE: write it like debt=false or seats=5")
    try:
        return name, json.loads(text)
    except ValueError:
        return name, text


def _list(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.experiments(state=arguments.state))
    rows = [
        (
            row["id"],
            Text(f"{version_text(row['candidate'])} – {version_text(row['baseline'])}", "bold"),
            row["preset"],
            row["state"],
            str(row["boards"]),
            minute_text(row["created_at"]),
        )
        for row in found
    ]
    head = ("id", "versions", "preset", "state", "boards", "made")
    empty = "No experiment yet. Make one: rensho experiment NEW OLD --follow"
    return answer_table(arguments, found, head, rows, empty=empty, right={4}, fold={1})


def _show(client: Client, arguments: argparse.Namespace) -> int:
    if arguments.follow:
        return _followed(client, arguments.experiment, arguments)
    found = client.experiment(arguments.experiment)
    return answer(arguments, found, lambda: experiment_print(console_for(), found))


def _stop(client: Client, arguments: argparse.Namespace) -> int:
    found = client.experiment_stop(arguments.experiment, arguments.reason)
    return answer(arguments, found, lambda: say(answer_text(found)))


def _followed(client: Client, experiment_id: str, arguments: argparse.Namespace) -> int:
    """Show the experiment as it goes on, to its end."""
    looks = client.experiment_looks(experiment_id, note)
    console = console_for()
    if arguments.json:
        for found in looks:
            say_json({name: value for name, value in found.items() if name != "path"}, indent=None)
        return DONE
    last = _live(console, looks) if console.is_terminal else _lines(console, looks)
    experiment_print(console, last)
    return DONE


def _live(console: Console, looks: Iterator[ExperimentFull]) -> ExperimentFull:
    """A bar of boards towards those expected."""
    parts = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*parts, console=console, transient=True) as progress:
        task = progress.add_task("boards", total=None, words="")
        for found in looks:
            left = found["expected_remaining"]
            total = None if left is None else found["boards"] + left
            progress.update(
                task, total=total, completed=found["boards"], words=printable(progress_text(found))
            )
    return found


def _lines(console: Console, looks: Iterator[ExperimentFull]) -> ExperimentFull:
    """A line for every change worth one, for a file or a pipe."""
    said = ""
    for found in looks:
        line = f"{found['state']}: {progress_text(found)}"
        if line != said:
            console.print(line, soft_wrap=True)
        said = line
    return found


def version_text(version: Any) -> str:
    """A version as people name it."""
    return f"{version['bot']} {version['number']}"


def question_text(found: Experiment | ExperimentFull) -> str:
    """What is asked."""
    return f"Is {version_text(found['candidate'])} better than {version_text(found['baseline'])}?"


def progress_text(found: ExperimentFull) -> str:
    """How far it is, without a mean, which means nothing before the end."""
    words = [counted(found["boards"], "board")]
    if found["boards"]:
        bounds = f"({found['lower']:+.2f} to {found['upper']:+.2f})"
        words.append(f"evidence {found['evidence']:+.2f} {bounds}")
    if left := found["expected_remaining"]:
        words.append(f"about {counted(left, 'board')} more, {found['cap']:,} at most")
    if progress := found["progress"]:
        words.append(f"batch {progress['batch']}: {progress['tables_done']} of {progress['tables']} tables")
    if found["state"] == "queued" and found["state_reason"]:
        words.append(found["state_reason"])
    return ", ".join(words)


def answer_text(found: ExperimentFull) -> str:
    """The answer to what was asked, in a sentence or two."""
    boards, gain = counted(found["boards"], "board"), found["gain"]
    interval = ""
    if gain is not None and gain["anytime_low"] is not None and gain["anytime_high"] is not None:
        anytime = interval_text(gain["anytime_low"], gain["anytime_high"])
        interval = f" At whatever moment one looks, the true gain lies in {anytime}, with 95 %."
    match found["state"]:
        case "accepted":
            return f"Yes, after {boards}.{_corrected(gain)}{interval}"
        case "rejected":
            return (
                f"No, after {boards}: if it gains at all, it is less than {found['difference']:g} stones a "
                f"board.{_corrected(gain)}{interval}"
            )
        case "inconclusive":
            return f"Not decided: {boards} did not tell.{interval}"
        case "stopped":
            return f"Stopped after {boards} ({found['state_reason'] or found['end_code']}).{interval}"
    left = found["expected_remaining"]
    more = f", about {left:,} more if it goes on like this" if left else ""
    return f"Not known yet: {boards} so far{more}, {found['cap']:,} at most."


def _corrected(gain: Any) -> str:
    """The mean as it is, corrected, and its interval widened, each called what it is."""
    if gain is None:
        return ""
    text = f" Mean {gain['mean']:+.3f} stones a board, which flatters the side that won"
    if gain["corrected"] is not None:
        text += f"; corrected for the early stop {gain['corrected']:+.3f}"
    if gain["widened_low"] is not None:
        text += f"; 95 % interval, widened for it, {interval_text(gain['widened_low'], gain['widened_high'])}"
    return f"{text}."


def experiment_print(console: Console, found: ExperimentFull) -> None:
    """Print an experiment: the answer first, then what was asked and how it came about."""
    console.print(question_text(found), style="bold", soft_wrap=True)
    console.print(answer_text(found), soft_wrap=True)
    if console.encoding.startswith("utf") and found["path"]:
        path = [(step["number"], step["evidence"]) for step in found["path"]]
        console.print(f"Path: {spark_text(path, found['lower'], found['upper'])}")
    if found["state"] in LIVE:
        console.print(progress_text(found), soft_wrap=True)
    met = "against each other"
    if found["opponents"]:
        names = ", ".join(map(version_text, found["opponents"]))
        met = f"both against {names}" if found["is_field"] else f"at one table with {names}"
    console.print(
        f"Asked: {found['preset']}, {met}; a gain of {found['difference']:g} stones a board, wrongly found "
        f"in {found['alpha']:.0%}, missed in {found['beta']:.0%}, {found['cap']:,} boards at most.",
        soft_wrap=True,
    )
    spent, budget = duration_text(found["cpu_s_spent"]), duration_text(found["budget_cpu_s"])
    played = sum(batch["state"] == "counted" for batch in found["batches"])
    void = sum(batch["state"] == "void" for batch in found["batches"])
    words = f"Spent: {counted(played, 'batch', 'batches')}, {spent} of {budget} CPU"
    console.print(f"{words}, {void} void." if void else f"{words}.")
