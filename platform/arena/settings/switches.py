"""Settings that are on or off: 1 or 0 and nothing else, so that no misspelt one switches a protection off."""

from __future__ import annotations

from collections.abc import Mapping


def switch_of(environment: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on; one that is not set or empty is off.

    Raises:
        SystemExit: it is neither 0 nor 1. Every command reads the settings first, so the operator reads this
            one sentence and no traceback.
    """
    text = environment.get(name, "").strip()
    if text not in ("", "0", "1"):
        raise SystemExit(f"rensho: {name}={text[:40]!r} is neither 0 nor 1. Write {name}=1, or leave it out.")
    return text == "1"
