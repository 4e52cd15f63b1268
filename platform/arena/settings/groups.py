"""Validation of ``SANDBOX_CGROUP``: in the sandbox, a wrong value would only lower its level."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "SANDBOX_CGROUP"
WORDS = ("auto", "off")


def control_groups_check(environment: Mapping[str, str]) -> None:
    """Raise SystemExit unless the setting is ``auto``, ``off`` or the path of a group below the mount."""
    text = environment.get(VARIABLE, "")
    is_path = text.startswith("/") and text.strip("/") != "" and ".." not in text.split("/")
    if text and text not in WORDS and not is_path:
        raise SystemExit(
            f"rensho: {VARIABLE}={text[:80]!r} is neither {' nor '.join(WORDS)} nor the path of a group "
            "below the mount, as in /rensho."
        )
