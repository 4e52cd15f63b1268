"""Seats that forfeit a table, by the faults in its record and the fault policy of the event.

Source: docs/contracts.md#clocks-faults-verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

STRICT = "strict"
FATAL_VERDICTS = frozenset({"CRASHED", "OVER_MEMORY", "OVER_OUTPUT", "SANDBOX_VIOLATION"})
"""Verdicts after which the process has always ended."""
POSSIBLY_FATAL_VERDICTS = frozenset({"OUT_OF_TIME", "PROTOCOL"})
"""Verdicts after which it may have ended: start-up or wall time of the table exhausted, or input not read."""


def conduct_disagreement(
    acts: Sequence[str | None], has_forfeited: bool, policy: str, faults_before_forfeit: int
) -> str:
    """Return how the actions of one seat at a table contradict the policy; empty if they do not.

    ``acts`` has None for every decision of the bot, else the verdict for which the referee decided.

    >>> conduct_disagreement([None, "ILLEGAL_ACTION", None], True, "substitute", 3)
    'it forfeits, but its faults give no forfeit'
    >>> conduct_disagreement([None, "CRASHED", "CRASHED"], False, "substitute", 3)
    'its faults forfeit the table, but it does not'
    """
    most = 0 if policy == STRICT else faults_before_forfeit
    due = _forfeit_index(acts, most)
    if due is None:
        is_possible = has_forfeited and bool(acts) and acts[-1] in POSSIBLY_FATAL_VERDICTS
        return "it forfeits, but its faults give no forfeit" if has_forfeited and not is_possible else ""
    if not has_forfeited:
        return "its faults forfeit the table, but it does not"
    if any(verdict != acts[due] for verdict in acts[due:]):
        return "after the fault that forfeits the table the referee did not decide for it"
    return ""


def _forfeit_index(acts: Sequence[str | None], most: int) -> int | None:
    """Return the index of the decision that certainly forfeits the table; None if there is none."""
    faults = 0
    for index, verdict in enumerate(acts):
        if verdict is None:
            continue
        faults += 1
        if verdict in FATAL_VERDICTS or faults > most:
            return index
    return None
