"""What a bot's process may use, from the environment: ``BOT_<FIELD>`` for each field of ``Limits``.

The names carry the units, as ``BOT_MEMORY_BYTES=268435456``. What is not named keeps its default.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from arena.settings.numbers import number_of
from referee.contract import Limits

PREFIX = "BOT_"
MIN_VALUES: Mapping[str, int | float] = {
    "memory_bytes": 16 << 20,
    "address_space_bytes": 128 << 20,
    "threads": 1,
    "cores": 0.1,
    "stack_bytes": 256 << 10,
    "locked_bytes": 0,
    "pending_signals": 0,
    "open_files": 16,
    "file_bytes": 0,
    "scratch_bytes": 64 << 10,
    "scratch_inodes": 16,
    "line_bytes": 512,
    "lines_ahead": 1,
    "unread_bytes": 64 << 10,
    "stderr_keep_bytes": 1 << 10,
    "stderr_kill_bytes": 1 << 10,
    "faults_before_forfeit": 0,
}
"""Below these an interpreter does not start or a bot cannot answer, and its author would be blamed."""
FREE_MIB_VARIABLE = "WORKER_FREE_MIB"
DEFAULT_FREE_MIB, MAX_FREE_MIB = 64, 1 << 20
MAX_VALUE = 1 << 40
"""No limit is larger: a slip of the pen rather than a wish."""


def bot_limits_of(environment: Mapping[str, str]) -> Limits:
    """The limits an environment asks for.

    Raises:
        SystemExit: one of them is no number, out of its range, or at odds with another. Every command
            comes here first, so the operator reads this one sentence and no traceback.
    """
    given = {}
    for field in dataclasses.fields(Limits):
        name = variable_of(field.name)
        text = environment.get(name, "").strip()
        if text:
            given[field.name] = _parse_limit(name, text, field.name, whole=isinstance(field.default, int))
    limits = Limits(**given)  # type: ignore[arg-type]
    if limits.stderr_keep_bytes > limits.stderr_kill_bytes:
        raise SystemExit(
            f"rensho: BOT_STDERR_KEEP_BYTES ({limits.stderr_keep_bytes}) is more than BOT_STDERR_KILL_BYTES "
            f"({limits.stderr_kill_bytes}), which ends the bot before. Raise the second or lower the first."
        )
    return limits


def free_bytes_of(environment: Mapping[str, str]) -> int:
    """Bytes that must be free wherever a worker writes: ``WORKER_FREE_MIB``, from 1 to 1048576, default 64.

    Raises:
        SystemExit: it is no whole number, or out of its range.
    """
    return number_of(environment, FREE_MIB_VARIABLE, DEFAULT_FREE_MIB, range(1, MAX_FREE_MIB + 1)) << 20


def variable_of(field: str) -> str:
    """Name of the setting of one limit: ``BOT_MEMORY_BYTES``."""
    return PREFIX + field.upper()


def _parse_limit(name: str, text: str, field: str, *, whole: bool) -> int | float:
    least = MIN_VALUES[field]
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= MAX_VALUE:
        kind = "whole number" if whole else "number"
        raise SystemExit(
            f"rensho: {name}={text!r} is not a {kind} from {least} to {MAX_VALUE}. Correct it or leave it "
            f"out: the default is {getattr(Limits(), field)}."
        )
    return value
