"""What must be true of remote tables that are over, whatever happened to network, clients and site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from arena.common.blobs import blob_get
from arena.features.remote.models import RemoteSeat, RemoteTable
from engine.record import replay
from tests.chaos.remote.proxy import Forwarded

TOLERANCE_S = 1.0
"""Maximum seconds by which a charged time may exceed the time from question to answer."""


class Asked(NamedTuple):
    """A request of a remote seat."""

    table: str
    at: float
    """Seconds since the epoch."""


class Outage(NamedTuple):
    """A time during which a part of the site was down, in seconds since the epoch."""

    kind: str
    begins: float
    ends: float

    def overlap(self, begins: float, ends: float) -> float:
        return max(0.0, min(self.ends, ends) - max(self.begins, begins))


def problems_of(
    asked: Mapping[str, Asked], forwarded: Collection[Forwarded], outages: Collection[Outage]
) -> Iterator[str]:
    """Yield all problems of the tables."""
    received: dict[str, float] = {}
    for each in forwarded:
        if each.status == 200:
            received.setdefault(each.request, each.sent_at)
    for table in RemoteTable.objects.order_by("pk"):
        yield from (f"{table}: {problem}" for problem in _table_problems(table))
    for seat in RemoteSeat.objects.select_related("table").order_by("pk"):
        yield from (f"{seat.table}: {problem}" for problem in _seat_problems(seat))
        for request, digest, charged_ms in seat.answers:
            if not digest or request not in asked or request not in received:
                continue
            open_s = received[request] - asked[request].at
            within = [
                (outage.kind, overlap)
                for outage in outages
                if (overlap := outage.overlap(asked[request].at, received[request]))
            ]
            down_s = sum(overlap for _, overlap in within)
            if charged_ms / 1000 > open_s - down_s + TOLERANCE_S:
                yield (
                    f"{seat.table}: request {request} was open for {open_s:.1f} s, the site down for "
                    f"{down_s:.1f} s of it ({', '.join(f'{kind} {each:.1f} s' for kind, each in within)}), "
                    f"and {charged_ms / 1000:.1f} s were charged"
                )


def _table_problems(table: RemoteTable) -> Iterator[str]:
    if table.state != RemoteTable.State.FINISHED:
        yield f"{table.state}: {table.failure_reason}"
        return
    if table.length != len(table.actions):
        yield f"{len(table.actions)} actions, and a length of {table.length}"
    try:
        replay(blob_get(table.record_sha256))
    except Exception as error:
        yield f"its record does not replay: {error}"
    if table.is_rated and table.score is None:
        yield "it has no score"


def _seat_problems(seat: RemoteSeat) -> Iterator[str]:
    if seat.is_active or not seat.verdict:
        yield "its seat is still active"
    repeated = [request for request, times in Counter(id_ for id_, *_ in seat.answers).items() if times > 1]
    if repeated:
        yield f"requests settled more than once: {repeated}"
    actions = sum(each == seat.seat for each, _ in seat.table.actions)
    if seat.verdict == "OK" and actions != len(seat.answers):
        yield f"{actions} actions of the seat for {len(seat.answers)} requests"
