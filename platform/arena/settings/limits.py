"""Resources of a bot's process, from the environment: ``BOT_<FIELD>`` for each field of ``Limits``.

Names carry units, as in ``BOT_MEMORY_BYTES=268435456``. Unset variables keep their default.
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
"""Below these values an interpreter does not start or a bot cannot answer, and its author would be blamed."""
FREE_MIB_VARIABLE = "WORKER_FREE_MIB"
DEFAULT_FREE_MIB, MAX_FREE_MIB = 64, 1 << 20
MAX_VALUE = 1 << 40
"""Maximum of any limit, to catch typing errors."""


def bot_limits_of(environment: Mapping[str, str]) -> Limits:
    """Return the limits of an environment; SystemExit for a wrong value, or one that contradicts another."""
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
    """Return the free bytes that a worker needs: ``WORKER_FREE_MIB``, from 1 to 1048576, default 64."""
    return number_of(environment, FREE_MIB_VARIABLE, DEFAULT_FREE_MIB, range(1, MAX_FREE_MIB + 1)) << 20


def variable_of(field: str) -> str:
    """Return the variable of a limit: ``BOT_MEMORY_BYTES``."""
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
