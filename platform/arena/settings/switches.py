"""Boolean settings: 1 or 0 and nothing else, so that a typing error cannot disable a protection."""

from __future__ import annotations

from collections.abc import Mapping


def switch_of(environment: Mapping[str, str], name: str) -> bool:
    """Return whether a variable is 1; unset and empty mean 0.

    Raises:
        SystemExit: the value is neither 0 nor 1. Every command reads the settings first, so the operator sees
        this
            message without a traceback.
    """
    text = environment.get(name, "").strip()
    if text not in ("", "0", "1"):
        raise SystemExit(f"rensho: {name}={text[:40]!r} is neither 0 nor 1. Write {name}=1, or leave it out.")
    return text == "1"
