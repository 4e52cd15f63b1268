"""Faults as a server groups them: a table for each version, or everything of one group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from rich.console import Console

from bots.kit.client.shapes import FaultGroup, FaultGroupDetail, Version
from bots.kit.display.console import columns, print_table
from bots.kit.display.fault_text import fault_lines, fault_of
from bots.kit.display.words import counted, minute_text
from referee.faults import last_words

HEAD = ("count", "verdict", "phase", "last seen", "fingerprint", "said last")
FINGERPRINT_DIGITS = 8
"""So many are enough to name one."""


class FaultyVersion(NamedTuple):
    """One version with its faults, alike ones together."""

    version: Version
    groups: Sequence[FaultGroup | FaultGroupDetail]


def faults_print(console: Console, faulty: FaultyVersion) -> None:
    """A version, what keeps it from entering if anything does, and a line for each group of faults."""
    version, groups = faulty
    head = f"{version['bot_name']}, version {version['number']} ({version['state']})"
    count = sum(group["count"] for group in groups)
    number = f"{counted(count, 'fault')} of {counted(len(groups), 'kind')}" if count else "no faults"
    console.print(f"{head}: {number}", style="bold", soft_wrap=True)
    if version["state"] == "suspended":
        console.print(f"  Suspended: {version.get('suspended_reason') or 'see its page'}", soft_wrap=True)
    if version["waiting_reason"]:
        console.print(f"  Waiting: {version['waiting_reason']}", soft_wrap=True)
    if groups:
        rows = [
            (
                str(group["count"]),
                group["verdict"],
                group["phase"],
                minute_text(group["last_seen_at"]),
                group["fingerprint"][:FINGERPRINT_DIGITS],
                _last_words(group),
            )
            for group in groups
        ]
        print_table(console, columns(HEAD, rows, right={0}, fold={5}))


def _last_words(group: FaultGroup | FaultGroupDetail) -> str:
    """The last line of its log, or else what is wrong."""
    sample = group["sample"]
    return last_words(str(sample.get("log_tail") or "")) or str(sample.get("reason") or "")


def group_print(console: Console, version: Version, group: FaultGroup | FaultGroupDetail) -> None:
    """Everything that is known of one group."""
    times = "once" if group["count"] == 1 else f"{group['count']} times"
    first, last = minute_text(group["first_seen_at"]), minute_text(group["last_seen_at"])
    when = f"at {last}" if first == last else f"from {first} to {last}"
    where = f"of table {group['table']}" if group.get("table") else "of the check's trial table"
    sample, clock = group["sample"], group["sample"]["clock"]
    trace = cast(FaultGroupDetail, group).get("clock_trace") or []
    links = group.get("links") or {}
    console.print(
        f"{version['bot_name']}, version {version['number']}: {times} {when}; "
        f"the last in seat {group['seat']} {where}",
        style="bold",
        soft_wrap=True,
    )
    lines = [
        *fault_lines(fault_of(sample)),
        *([f"  played:  {sample['action']}, in its place"] if sample.get("action") else []),
        f"  CPU:     {clock['used_cpu_ms']:.1f} ms of {clock['limit_cpu_ms']:.0f}; on the clock "
        f"{clock['used_wall_ms']:.0f} ms of {clock['limit_wall_ms']:.0f}",
    ]
    if len(trace) > 1:
        times_ms = ", ".join(f"{decision['cpu_ms']:.1f}" for decision in trace)
        lines.append(f"  CPU of its last decisions, in ms: {times_ms}")
    lines += [f"  {f'{name}:':<8} {links[name]}" for name in ("page", "record", "board") if links.get(name)]
    for line in lines:
        console.print(line, soft_wrap=True)
