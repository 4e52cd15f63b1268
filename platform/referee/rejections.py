"""Reasons for which a bot is rejected, from a fault and the log of its bot."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from engine.refusals import clipped
from referee.contract import Fault, Verdict
from referee.driver import ExitReason
from referee.errors import BundleError
from referee.explanations import EXPLANATIONS, explained
from referee.seat import START_PHASE

VALUE_CHARS = 200
"""Maximum length of a value of an explanation, such as a quote from a bot's log."""


class RejectionReason(NamedTuple):
    """Why a bot is rejected: a stable code, and the remedy in at most ``REFUSAL_CHARS``."""

    code: str
    message: str
    explanation: str = ""
    """Key of ``EXPLANATIONS`` from which the message is made; empty for a message in English alone."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of the explanation by name."""

    def to_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.explanation:
            fields |= {"explanation": self.explanation, "values": dict(self.values)}
        return fields


class FaultyBot(NamedTuple):
    """The bot of a fault, as far as explanations need it."""

    files: Collection[str] = ()
    entry_point: str = ""
    versions: Mapping[str, str] = {}
    """Versions of the runtime's programs by name."""


UNKNOWN_BOT = FaultyBot()


def reason_of(key: str, values: Mapping[str, str], code: str = "") -> RejectionReason:
    """Return the reason with this explanation."""
    short = {name: clipped(value, VALUE_CHARS) for name, value in values.items()}
    message = clipped(explained(key, short))
    return RejectionReason(code or EXPLANATIONS[key].code, message, key, tuple(short.items()))


def rejection_of(error: BundleError) -> RejectionReason:
    """Return the reason for which an upload is no bot."""
    if error.explanation:
        return reason_of(error.explanation, error.values, error.code)
    return RejectionReason(error.code, error.message)


def reason_for(
    fault: Fault,
    bot: FaultyBot = UNKNOWN_BOT,
    end: ExitReason | None = None,
) -> RejectionReason:
    """Return why a fault rejects a bot. ``end`` is the reason for which its driver ended it, if known."""
    is_start = fault.phase == START_PHASE
    if fault.verdict is Verdict.CRASHED:
        if is_start and end is ExitReason.EXITED:
            return reason_of("not_run", {})
        for pattern, key in _HINTS:
            match = pattern.search(fault.log_tail)
            if match:
                return reason_of(key, _values(key, match, bot))
        missing = _MISSING_FILE.search(fault.log_tail)
        if missing and (expression := _expression(missing["path"], bot)):
            return reason_of("relative_file", {"path": missing["path"], "expression": expression})
    code = (_START_CODES if is_start else {}).get(fault.verdict) or CODES[fault.verdict]
    if fault.verdict is Verdict.PROTOCOL and fault.answer and not fault.answer.lstrip().startswith("{"):
        return reason_of("printed", {"line": clipped(fault.answer, PRINTED_CHARS)}, code)
    return RejectionReason(code, clipped(fault.reason))


_START_CODES = {
    Verdict.OUT_OF_TIME: "not_ready",
    Verdict.PROTOCOL: "bad_ready",
    Verdict.CRASHED: "crashed_at_start",
}
CODES = {
    Verdict.ILLEGAL_ACTION: "illegal_action",
    Verdict.OUT_OF_TIME: "too_slow",
    Verdict.CRASHED: "crashed",
    Verdict.PROTOCOL: "bad_answer",
    Verdict.OVER_MEMORY: "over_memory",
    Verdict.OVER_OUTPUT: "over_output",
    Verdict.SANDBOX_VIOLATION: "sandbox_violation",
}
PRINTED_CHARS = 60

_HINTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"BlockingIOError: .*Resource temporarily unavailable|can't start new thread"),
        "too_many_processes",
    ),
    (re.compile(r"^MemoryError|JavaScript heap out of memory", re.MULTILINE), "out_of_memory"),
    (re.compile(r"^fatal error: failed to reserve .* memory", re.MULTILINE), "address_space"),
    (re.compile(r"ModuleNotFoundError: No module named '(?P<module>[^']*)'"), "missing_module"),
    (re.compile(r"Error: Cannot find module '(?P<module>[^']*)'"), "missing_package"),
    (
        re.compile(
            r'^  File ".*", line \d+$[\s\S]*^(?:Syntax|Indentation|Tab)Error: (?P<error>.*)$', re.MULTILINE
        ),
        "syntax_error",
    ),
    (re.compile(r"^SyntaxError: (?P<script_error>.*)$", re.MULTILINE), "syntax_error"),
    (re.compile(r"^(?:OSError: .*Read-only file system|Error: EROFS\b)", re.MULTILINE), "read_only_folder"),
    (
        re.compile(
            r"^(?:OSError: .*(?:File too large|No space left on device)|Error: (?:EFBIG|ENOSPC)\b)",
            re.MULTILINE,
        ),
        "disk_full",
    ),
    (
        re.compile(
            r"^(?:socket\.gaierror: |urllib\.error\.URLError: "
            r"|Error: (?:getaddrinfo|connect|listen) E[A-Z_]+\b)",
            re.MULTILINE,
        ),
        "no_network",
    ),
    (re.compile(r"PermissionError: .*Operation not permitted"), "not_permitted"),
)
"""Patterns in the log of a crash, with the key of their explanation."""

_MISSING_FILE = re.compile(
    r"^(?:FileNotFoundError: .*No such file or directory: |Error: ENOENT: no such file or directory, \w+ )"
    r"'(?P<path>[^']+)'",
    re.MULTILINE,
)


def _values(key: str, match: re.Match[str], bot: FaultyBot) -> dict[str, str]:
    groups = {name: text for name, text in match.groupdict().items() if text is not None}
    if key != "syntax_error":
        return groups
    if "script_error" in groups:
        version = bot.versions.get("node", "")
        language = f"JavaScript for node {version}" if version else "JavaScript"
        return {"language": language, "error": groups["script_error"]}
    version = ".".join(bot.versions.get("python", "").split(".")[:2])
    return {"language": f"Python {version}".rstrip(), **groups}


def _expression(path: str, bot: FaultyBot) -> str:
    """Return code that names a file of the bot which was opened by a relative path; empty if it has none."""
    name = posixpath.normpath(path)
    folder = posixpath.dirname(bot.entry_point)
    if posixpath.join(folder, name) not in bot.files:
        if name not in bot.files:
            return ""
        name = posixpath.relpath(name, folder or ".")
    if bot.entry_point.endswith(".py"):
        return f"Path(__file__).parent / {json.dumps(name, ensure_ascii=False)}"
    return f"path.join(__dirname, {json.dumps(name, ensure_ascii=False)})"
