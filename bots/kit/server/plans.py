"""What a tournament will take, as a table."""

from __future__ import annotations

from rich.console import Console

from bots.kit.client.shapes import Plan
from bots.kit.replay_ink import columns

_HOUR_S = 3600


def plan_print(console: Console, plan: Plan) -> None:
    """Rounds, fixtures, tables, boards and CPU at most, for so many entries."""
    head = ("", "format", "entries", "rounds", "fixtures", "tables", "boards", "decisions", "CPU")
    rows = [
        (
            str(stage["number"]),
            stage["format"].replace("_", " "),
            str(stage["entries"]),
            _rounds(stage["rounds"], stage["passes"]),
            *(f"{stage[name]:,}" for name in ("fixtures", "tables", "boards", "decisions")),
            cpu_text(stage["cpu_s_most"]),
        )
        for stage in plan["stages"]
    ]
    console.print(f"With {plan['entries']} entries, at most:", style="bold")
    console.print(columns(head, rows, right={0, 2, 3, 4, 5, 6, 7, 8}))
    # Where nothing was measured the server's notes say so.
    if plan["cpu_s_expected"] is not None:
        console.print(f"Expected CPU: {cpu_text(plan['cpu_s_expected'])}", soft_wrap=True)
    if plan["hours_most"] is not None:
        told = f"{plan['hours_most']:.1f} hours at most"
        if plan["hours_expected"] is not None:
            told += f", {plan['hours_expected']:.1f} expected"
        console.print(f"With {plan['capacity']} tables at a time: {told}", soft_wrap=True)
    if plan["budget_cpu_s"] is not None:
        console.print(f"Budget: {cpu_text(plan['budget_cpu_s'])} of CPU", soft_wrap=True)
    for note in plan["notes"]:
        console.print(f"Note: {note}", soft_wrap=True)


def _rounds(rounds: int | None, passes: int) -> str:
    told = "?" if rounds is None else str(rounds)
    return f"{told} x {passes}" if passes > 1 else told


def cpu_text(seconds: float) -> str:
    """A CPU time as people say it.

    >>> cpu_text(42.25), cpu_text(7200)
    ('42 s', '2.0 h')
    """
    return f"{seconds / _HOUR_S:,.1f} h" if seconds >= _HOUR_S else f"{seconds:,.0f} s"
