"""Titles, meanings and advice for verdicts."""

from __future__ import annotations

from typing import NamedTuple


class VerdictText(NamedTuple):
    title: str
    meaning: str
    advice: str
    start_advice: str = ""
    """Advice if it happened before the first request; empty if the same."""


VERDICTS = {
    "ILLEGAL_ACTION": VerdictText(
        "Illegal action",
        "The bot answered in time and in form, but what it chose was not allowed.",
        "Answer one of the request's legal actions, spelt exactly as it stands there. A bot that works "
        "the rules out for itself is easily wrong in a rare position; the list never is.",
    ),
    "OUT_OF_TIME": VerdictText(
        "Out of time",
        "No answer came in time.",
        "Compare what was used with the limits: CPU time means that it thought too long, wall-clock time "
        "alone that it waited or slept, or that its answer stayed in a buffer: flush each one. Every request "
        "states what is left in clock.bank_ms; think less when it runs low.",
        "Write ready first, flush it, and load less before it: large tables can be read while the first "
        "request is answered.",
    ),
    "CRASHED": VerdictText(
        "Crashed",
        "The bot's program ended, or closed its output, before the table was over.",
        "The last lines of its log say where, if it wrote any. Put your bot into the same position with "
        "the fault file, and it should end there again.",
        "It ended before it was ready. Look for a missing file or import: only what the runtime has and "
        "what you uploaded is there.",
    ),
    "PROTOCOL": VerdictText(
        "Protocol broken",
        "What the bot wrote is no answer, or came when nobody had asked.",
        "Write one JSON object a line for each request, with its id, and nothing else to standard "
        "output. What you want to know yourself belongs on standard error.",
        'The answer to hello is {"type":"ready"}, before anything else. What you want to know yourself '
        "belongs on standard error.",
    ),
    "OVER_MEMORY": VerdictText(
        "Too much memory",
        "The bot and what it started used more memory than a seat has.",
        "Keep less from one decision to the next, and bound every cache.",
        "Load less at the start, or in a smaller form.",
    ),
    "OVER_OUTPUT": VerdictText(
        "Too much output",
        "The bot wrote a longer line, more lines or a longer log than it may.",
        "Answer with the id, the action and little else, and write less to standard error.",
    ),
    "SANDBOX_VIOLATION": VerdictText(
        "Forbidden system call",
        "The bot asked the system for something no bot is given.",
        "There is no network, and no other program to start or to look at. A library that tries has to "
        "be used otherwise or left out.",
    ),
}


def verdict_text(verdict: str) -> VerdictText:
    """Describe a verdict; an unknown one by its name.

    >>> verdict_text("CRASHED").title, verdict_text("SOMETHING_NEW").title
    ('Crashed', 'Something new')
    """
    return VERDICTS.get(verdict) or VerdictText(verdict.replace("_", " ").capitalize(), "", "")
