"""``rensho reproduce`` for both kinds of files: a fault, and the log of a table of ``rensho connect``.

A bot gets the messages of a log again, in order. At a remote table, it had no sandbox and wall-clock time, so
it runs as an ordinary process here too.
"""

from __future__ import annotations

import argparse
import json
import queue
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bots.kit.display.console import print_lines, print_result
from bots.kit.display.formatting import count_text
from bots.kit.errors import CHECK_FAILED, DONE, InvalidInput
from bots.kit.files import read_text
from bots.kit.local import reproduce
from bots.kit.remote.folder import bot_program
from bots.kit.remote.process import BotExit, BotMessage, BotNote, BotProcess
from bots.kit.subcommands import Commands
from engine.errors import ProtocolError
from engine.game import json_text
from engine.printable import printable
from engine.refusals import clipped
from engine.wire import Ready, parse_ready

LOG_BYTES = 64 << 20
ANSWER_S = 120.0
"""Maximum seconds for ``ready`` and for each answer."""


class Table(NamedTuple):
    """A log, as far as it can be repeated."""

    id: str
    hello: Mapping[str, Any]
    decisions: Sequence[Mapping[str, Any]]


class Decision(NamedTuple):
    id: str
    phase: str
    logged: str
    """Action of the log."""
    action: str | None
    """Action now; None if the bot gives no answer."""
    is_legal: bool
    is_forced: bool
    """Whether the bot is not asked, because it skips decisions with a single legal action."""
    thought_ms: float


def register(commands: Commands) -> None:
    reproduce.register(commands, _reproduce)


def _reproduce(arguments: argparse.Namespace) -> int:
    table = table_log(arguments.file)
    if table is None:
        return reproduce.run(arguments)
    if arguments.request:
        print_lines(json_text(table.decisions[-1]["request"]))
        return DONE
    decisions, failure = repeat(Path(arguments.bot or "."), table)
    print_result(
        arguments,
        {"table": table.id, "decisions": [each._asdict() for each in decisions], "failure": failure or None},
        lambda: print_lines(*_report(table, decisions, failure)),
    )
    return DONE if not failure and all(each.is_legal for each in decisions) else CHECK_FAILED


def table_log(path: Path) -> Table | None:
    """Read the log of a table; None for another kind of file. Raise ``InvalidInput`` for a broken log."""
    try:
        with path.open("rb") as file:
            if not file.readline(200).startswith(b'{"type": "table"'):
                return None
    except OSError:
        return None  # the other reader explains it
    try:
        lines = [json.loads(line) for line in read_text(path, LOG_BYTES).splitlines()]
        hello = next((line["hello"] for line in lines if line["type"] == "start"), None)
        decisions = [line for line in lines if line["type"] == "decision"]
        for line in decisions:
            _ = (line["request"]["id"], line["request"]["legal"], line["events"], line["answer"]["action"])
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        detail = clipped(str(error))
        raise InvalidInput(f"{path} is not a complete log of rensho connect: {detail}") from None
    if hello is None or not decisions:
        raise InvalidInput(f"{path} has no decision to repeat")
    return Table(str(lines[0].get("table")), hello, decisions)


def repeat(path: Path, table: Table) -> tuple[list[Decision], str]:
    """Send the messages of a log to a bot; return its decisions, and why it failed, or an empty text."""
    heard: queue.SimpleQueue[BotMessage | BotNote | BotExit] = queue.SimpleQueue()
    bot = BotProcess(bot_program(path))
    decisions: list[Decision] = []
    try:
        bot.attach(table.id, table.hello, heard.put)
        ready = parse_ready(json_text(_next(heard).message).encode())
        decisions.extend(_decisions(bot, table, ready, heard))
    except _Failed as failure:
        return decisions, str(failure)
    except ProtocolError as error:
        return decisions, str(error)
    finally:
        bot.detach(table.id)
        bot.close()
    return decisions, ""


class _Failed(Exception):
    """The bot gave no answer."""


def _decisions(
    bot: BotProcess, table: Table, ready: Ready, heard: queue.SimpleQueue[BotMessage | BotNote | BotExit]
) -> Iterator[Decision]:
    unsent: list[Mapping[str, Any]] = []
    for line in table.decisions:
        request, legal = line["request"], line["request"]["legal"]
        request_id, phase, logged = str(request["id"]), str(request.get("phase")), line["answer"]["action"]
        unsent += line["events"]
        if ready.skip_forced and len(legal) == 1:
            yield Decision(request_id, phase, logged, legal[0], True, True, 0.0)
            continue
        if ready.events:
            for event in unsent:
                bot.send(table.id, event)
        unsent = []
        began = time.monotonic()
        bot.ask(table.id, request)
        answer = _next(heard)
        action = answer.message.get("action")
        thought_ms = round((answer.arrived_at - began) * 1e3, 1)
        text = action if isinstance(action, str) else None
        yield Decision(request_id, phase, logged, text, action in legal, False, thought_ms)


def _next(heard: queue.SimpleQueue[BotMessage | BotNote | BotExit]) -> BotMessage:
    """Return the next message of the bot. Raise ``_Failed`` if it ends, or does not answer in time."""
    until = time.monotonic() + ANSWER_S
    while True:
        try:
            item = heard.get(timeout=max(until - time.monotonic(), 0))
        except queue.Empty:
            raise _Failed(f"the bot did not answer within {ANSWER_S:.0f} s") from None
        if isinstance(item, BotMessage):
            return item
        if isinstance(item, BotExit):
            last = item.log.splitlines()[-1] if item.log else ""
            raise _Failed(": ".join(part for part in ("the bot ended", item.detail, last) if part))


def _report(table: Table, decisions: Sequence[Decision], failure: str) -> Iterator[str]:
    for number, each in enumerate(decisions, 1):
        if each.action != each.logged or not each.is_legal:
            now = "no action" if each.action is None else each.action
            remark = "" if each.is_legal else ", which is illegal"
            yield printable(f"decision {number} ({each.phase}): {now} instead of {each.logged}{remark}")
    same = sum(each.action == each.logged for each in decisions)
    yield f"{same} of {count_text(len(table.decisions), 'decision')} as logged."
    if failure:
        yield printable(f"Decision {len(decisions) + 1}: {failure}")
