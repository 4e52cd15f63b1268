"""Integers from the environment. A wrong value ends the process with a message that names the variable."""

from __future__ import annotations

from collections.abc import Mapping

MAX_DIGITS = 12


def number_of(environment: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    """Return the value of a variable, or the default if it is unset or empty.

    Raises:
        SystemExit: the value is not an integer in the range. Every command reads the settings first, so the
        operator sees
            this message without a traceback.
    """
    text = environment.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text) in allowed):
        raise SystemExit(
            f"rensho: {name}={text[:40]!r} is not a whole number from {allowed.start} to {allowed.stop - 1}. "
            f"Correct it or leave it out: the default is {default}."
        )
    return int(text)


def numbers_of(
    environment: Mapping[str, str], prefix: str, defaults: Mapping[str, int], allowed: range
) -> dict[str, int]:
    """Return the value of each variable in ``defaults``, all of which begin with ``prefix``.

    Raises SystemExit (as ``number_of``, or another variable has the prefix).
    """
    for name in sorted(environment):
        if name.startswith(prefix) and name not in defaults:
            raise SystemExit(f"rensho: {name[:80]} is not a setting; settings: {', '.join(defaults)}.")
    return {name: number_of(environment, name, default, allowed) for name, default in defaults.items()}
