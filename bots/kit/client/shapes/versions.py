"""Shapes of the API: addresses under versions. Drawn up from docs/openapi.yaml."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from bots.kit.client.shapes.basic import FaultLinks, Reason
from bots.kit.client.shapes.shared import Fault

CheckState: TypeAlias = Literal["waiting", "running", "done", "failed"]


class Check(TypedDict):
    """The last attempt to check a version. ``reinstates``: asked for to end a suspension."""

    version: str
    attempt: int
    state: CheckState
    steps: list[CheckStep]
    reasons: list[Reason]
    report: dict[str, Any] | None
    """The trial table's report."""
    reason: str
    waiting_reason: str
    """Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime;
    empty if it waits for nothing but its turn."""
    reinstates: bool
    created_at: str
    started_at: str | None
    finished_at: str | None


class CheckStep(TypedDict):
    """One thing a check tried."""

    name: str
    ok: bool
    detail: str


class FaultGroupDetail(TypedDict):
    """A group of faults, and how long the bot took for its last decisions up to the sample."""

    fingerprint: str
    version: str
    version_number: int
    verdict: str
    phase: str
    count: int
    first_seen_at: str
    last_seen_at: str
    table: NotRequired[str]
    """Where the sample happened; empty for the check's trial table."""
    tournament: NotRequired[str]
    """Of that table; empty for the check's trial table."""
    seat: int
    """The bot's seat in the sample."""
    sample: Fault
    """The latest of them."""
    reproduce: str
    """The command, once the file is downloaded."""
    links: FaultLinks
    clock_trace: list[Moment]


class Moment(TypedDict):
    """What one decision took."""

    board: int
    decision: int
    cpu_ms: float
    wall_ms: float
    verdict: str
    """Of a faulted one; else empty."""
