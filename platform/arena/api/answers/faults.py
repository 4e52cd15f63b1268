"""Responses: groups of similar faults."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request
from rest_framework.reverse import reverse
from rest_framework.serializers import URLField

from arena.api.base.shapes import build_shape
from arena.jobs.fault_files import clock_trace_of
from arena.matches.models import FaultGroup


class FaultClockOut(TypedDict):
    """Time limits and usage of the faulty decision, in ms; ``bank_ms`` is the bank before it."""

    bank_ms: float
    limit_cpu_ms: float
    used_cpu_ms: float
    limit_wall_ms: float
    used_wall_ms: float


class FaultOut(TypedDict):
    """One fault with all details."""

    verdict: str
    reason: Annotated[str, "What went wrong, and what to change."]
    board: int
    decision: Annotated[int, "Number of the seat's decision at this table, from 1; 0 while starting."]
    phase: str
    request: Annotated[str | None, "The exact line sent to the bot; null while starting."]
    answer: Annotated[
        str | None, "The exact line from the bot, cut at 4096 characters; null if there was none."
    ]
    log_tail: Annotated[str, "Last lines of standard error. A mark replaces the lines before them."]
    clock: FaultClockOut
    fingerprint: str
    action: Annotated[str | None, "The action played instead."]


class FaultLinksOut(TypedDict):
    """URLs of related resources; null where there is none."""

    fault: Annotated[str, URLField]
    file: Annotated[str, "For rensho reproduce.", URLField]
    page: Annotated[str, URLField]
    check: Annotated[str | None, "If it happened in the trial of the check.", URLField]
    table: Annotated[str | None, URLField]
    record: Annotated[str | None, URLField]
    board: Annotated[str | None, URLField]
    log: Annotated[str | None, URLField]


class FaultGroupOut(TypedDict):
    """Similar faults of one version: same verdict, phase and last log line, except for numbers in it."""

    fingerprint: str
    version: str
    version_number: int
    verdict: str
    phase: str
    count: int
    first_seen_at: datetime.datetime
    last_seen_at: datetime.datetime
    table: Annotated[str, "Table of the sample; empty for the trial table of the check."]
    tournament: Annotated[str, "Tournament of that table; empty for the trial table of the check."]
    seat: Annotated[int, "The bot's seat in the sample."]
    sample: Annotated[FaultOut, "The latest fault of the group."]
    reproduce: Annotated[str, "Command to reproduce it, after downloading the file."]
    links: FaultLinksOut


class DecisionTimeOut(TypedDict):
    """The time of one decision."""

    board: int
    decision: int
    cpu_ms: float
    wall_ms: float
    verdict: Annotated[str, "Verdict of a faulty decision; otherwise empty."]


class FaultGroupDetail(FaultGroupOut):
    """A group of faults, with the times of the last decisions up to the sample."""

    clock_trace: Annotated[list[DecisionTimeOut], "In order; the faulty decision is last."]


def file_name_of(group: FaultGroup) -> str:
    return f"fault-{group.fingerprint}.json"


def fault_group_out(group: FaultGroup, request: Request) -> FaultGroupOut:
    """Return a group of faults of ``version_faults``."""
    table, sample = group.table, group.sample
    return build_shape(
        FaultGroupOut,
        group,
        version=group.version.public_id,
        version_number=group.version.number,
        table=table.public_id if table else "",
        tournament=table.fixture.board_set.round.stage.tournament.public_id if table else "",
        sample=build_shape(FaultOut, sample, clock=build_shape(FaultClockOut, sample["clock"])),
        reproduce=f"rensho reproduce {file_name_of(group)}",
        links=_links(group, request),
    )


def fault_group_detail_out(group: FaultGroup, request: Request) -> FaultGroupDetail:
    summary = fault_group_out(group, request)
    return {
        **summary,
        "clock_trace": [build_shape(DecisionTimeOut, moment) for moment in clock_trace_of(group)],
    }


def _links(group: FaultGroup, request: Request) -> FaultLinksOut:
    def at(name: str, **kwargs: Any) -> str:
        return reverse(name, kwargs=kwargs, request=request)

    version, table = group.version.public_id, group.table
    links: FaultLinksOut = {
        "fault": at("version-fault", version=version, fingerprint=group.fingerprint),
        "file": at("version-fault-file", version=version, fingerprint=group.fingerprint),
        "page": request.build_absolute_uri(f"{group.version.page}/faults/{group.fingerprint}"),
        "check": at("version-check", version=version) if table is None else None,
        "table": None,
        "record": None,
        "board": None,
        "log": None,
    }
    if table is not None:
        links["table"] = at("table", table=table.public_id)
        links["record"] = at("record", table=table.public_id)
        links["log"] = f"{at('log', table=table.public_id)}?seat={group.seat}"
        number = group.sample["board"]
        if number:
            board_set = table.fixture.board_set.public_id
            links["board"] = at("board", board_set=board_set, number=number)
    return links
