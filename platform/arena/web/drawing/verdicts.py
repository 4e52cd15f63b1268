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
        "The bot answered in time and in the right format, but the action is not legal.",
        "Answer with one of the request's legal actions, spelled exactly as listed. A bot that derives "
        "the legal actions itself can be wrong in rare positions; the list is always right.",
    ),
    "OUT_OF_TIME": VerdictText(
        "Out of time",
        "The bot did not answer in time.",
        "Compare the time used with the limits. If CPU time is over, the bot computed for too long. If only "
        "wall time is over, it waited, slept, or left its answer in a buffer: flush after each answer. Every "
        "request gives the remaining bank in clock.bank_ms; compute less when it runs low.",
        "Send ready first, flush it, and load less before it. Large tables can be loaded while answering the "
        "first request.",
    ),
    "CRASHED": VerdictText(
        "Crashed",
        "The bot's program ended or closed its output before the table was over.",
        "The last lines of the log may show where. Run the bot in the same position with the fault file; it "
        "should end there again.",
        "The bot ended before it was ready. Look for a missing file or import: only the runtime and your "
        "uploaded files are available.",
    ),
    "PROTOCOL": VerdictText(
        "Protocol broken",
        "The bot's output is not a valid answer, or came without a request.",
        "Write one line with one JSON object per request, with its id, and nothing else to standard output. "
        "Write debug output to standard error.",
        'Answer hello with {"type":"ready"} before anything else. Write debug output to standard error.',
    ),
    "OVER_MEMORY": VerdictText(
        "Too much memory",
        "The bot and its child processes used more memory than a seat has.",
        "Keep less data between decisions, and limit the size of every cache.",
        "Load less data at the start, or use a smaller format.",
    ),
    "OVER_OUTPUT": VerdictText(
        "Too much output",
        "The bot exceeded the limit for line length, number of lines or log size.",
        "Answer with the id and the action and little else, and write less to standard error.",
    ),
    "SANDBOX_VIOLATION": VerdictText(
        "Forbidden system call",
        "The bot made a system call that the sandbox forbids.",
        "There is no network, and no other program to start or inspect. Configure libraries so that they do "
        "not try, or leave them out.",
    ),
    "DISCONNECTED": VerdictText(
        "Disconnected",
        "The remote bot was disconnected until its disconnect bank was used up.",
        "Keep the client running until its tables are over, and let it reconnect within seconds.",
    ),
}


def verdict_text(verdict: str) -> VerdictText:
    """Describe a verdict; an unknown one by its name.

    >>> verdict_text("CRASHED").title, verdict_text("SOMETHING_NEW").title
    ('Crashed', 'Something new')
    """
    return VERDICTS.get(verdict) or VerdictText(verdict.replace("_", " ").capitalize(), "", "")
