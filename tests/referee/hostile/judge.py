"""What was not contained, in words. An empty list is what every case must come to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from referee.contract import Verdict
from referee.faults import clean_text
from referee.sandbox import Level
from tests.referee.hostile.case import Case, Expect, Expected
from tests.referee.hostile.table import Played

LOG_BYTES = (16 << 10) + (64 << 10) + 1000
"""Kept standard error, kept remarks and the marks where they were cut."""


def expectation(case: Case, level: Level, *, several: bool) -> Expect:
    """What must come of a case at this level."""
    if several:
        assert case.several is not None
        return case.several
    return case.at_full if case.at_full is not None and level >= Level.FULL else case.expect


def judge(case: Case, played: Played, level: Level, *, several: bool) -> list[str]:
    """Everything that was not as declared, a sentence each."""
    if played.report.platform_fault is not None:
        return [f"the platform failed: {played.report.platform_fault}", *played.left]
    expect = expectation(case, level, several=several)
    return [
        *_conduct(case, played, expect),
        *_attempts(case, played, expect, several=several),
        *_others(case, played),
        *(_memory(case, played) if level >= Level.FULL else ()),
        *_logs(played),
        *(_channel(case, played) if case.channel else ()),
        *(_stood_still(played) if case.slow_others else ()),
        *(f"it was told a secret: {secret}" for secret in played.told_secrets),
        *played.left,
    ]


def _conduct(case: Case, played: Played, expect: Expect) -> Iterator[str]:
    for number in case.seats:
        seat = played.report.seats[number - 1]
        if seat.verdict not in expect.verdicts:
            yield f"seat {number} got {seat.verdict}, expected {' or '.join(sorted(expect.verdicts))}"
        if len(seat.faults) not in expect.faults:
            reasons = [f"{fault.verdict}: {fault.reason}" for fault in seat.faults]
            yield f"seat {number} has {len(seat.faults)} faults, expected {expect.faults}: {reasons}"
        if expect.forfeits is not None and seat.forfeited != expect.forfeits:
            yield f"seat {number} {'forfeits' if seat.forfeited else 'does not forfeit'}"
        for fault in seat.faults[:1]:
            if expect.reason not in fault.reason:
                yield f"its author is told {fault.reason!r}, without {expect.reason!r}"
            if fault.phase == "start" != expect.phase or fault.decision not in expect.decisions:
                yield f"the first fault is at {fault.phase}, decision {fault.decision}"


def _memory(case: Case, played: Played) -> Iterator[str]:
    """Where a cgroup counts it."""
    for number in case.seats:
        peak_bytes = played.report.seats[number - 1].peak_bytes
        if peak_bytes > case.limits.memory_bytes + (1 << 20):
            yield f"seat {number} had {peak_bytes >> 20} MiB"


def _attempts(case: Case, played: Played, expect: Expect, *, several: bool) -> Iterator[str]:
    wanted: dict[str, Expected] = {**({} if several else case.attempts), **expect.tells}
    came = dict(played.log)
    if case.channel:
        return
    for attempt, expected in wanted.items():
        if attempt not in came:
            yield f"no word of {attempt!r}"
        elif not matches(came[attempt], expected):
            yield f"{attempt!r} came to {came[attempt]!r}"


def matches(came: object, expected: Expected) -> bool:
    """Whether what came of an attempt is what must come of it."""
    if callable(expected):
        return expected(came)
    return came == expected if isinstance(expected, str) else came in expected


def _others(case: Case, played: Played) -> Iterator[str]:
    for seat in played.report.seats:
        if seat.seat not in case.seats and (seat.verdict is not Verdict.OK or seat.forfeited or seat.faults):
            yield f"seat {seat.seat}, honest, got {seat.verdict}"
    if played.record_differs:
        yield f"the record is not what it is beside an obedient bot: {played.record_differs}"
    if played.heard_differs:
        yield f"the others were told something else: {played.heard_differs}"


def _logs(played: Played) -> Iterator[str]:
    for log in played.raw_logs:
        text = log.decode()
        if len(log) > LOG_BYTES:
            yield f"{len(log)} bytes of log were kept"
        if clean_text(text) != text:
            yield "the log has control codes"
    for seat in played.report.seats:
        for fault in seat.faults:
            for words in (fault.reason, fault.answer or "", fault.log_tail):
                if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\ud800-\udfff]", words):
                    yield f"a fault report has control codes: {words!r}"


def _channel(case: Case, played: Played) -> Iterator[str]:
    sent, noticed = bits(played)
    if len(sent) < 10 or len(noticed) < 10 or len(set(sent.values())) != 2:
        yield f"the partners never got to talk: {len(sent)} sent, {len(noticed)} noticed"
    if case.channel == "closed" and len({repr(came) for _, came in noticed}) > 1:
        yield f"what was noticed depends on something: {noticed} for {sent}"
    if case.bot == "delays_its_answers":
        yield from _charged(case, played, sum(sent.values()))


def bits(played: Played) -> tuple[dict[int, int], list[tuple[int, Any]]]:
    """What the one partner sent, by its turn, and what the other noticed after so many of those turns."""
    sent = {came[0]: came[1] for what, came in played.log if what == "sent"}
    return sent, [(came[0], came[1]) for what, came in played.log if what == "noticed"]


def _charged(case: Case, played: Played, delays: int) -> Iterator[str]:
    """Time cannot be hidden: each delay stands in the timings and is taken off the seat's wall bank."""
    sender = case.seats[0]
    waits = [line for line in played.timings if line["seat"] == sender]
    late = [line for line in waits if line["wall_us"] >= 20_000 > line["cpu_us"]]
    if len(late) < delays:
        yield f"{delays} answers were delayed, {len(late)} are seen in the timings"
    wall_ms = played.report.seats[sender - 1].wall_ms
    if wall_ms < 20 * delays:
        yield f"{delays} answers were delayed and {wall_ms} ms of wall time charged"


def _stood_still(played: Played) -> Iterator[str]:
    """From an answer to the stop some moments pass, and are charged; thinking on would use all there is."""
    wall_ms, cpu_ms = played.between_ms
    if wall_ms < 100:
        yield f"only {wall_ms:.0f} ms lay between its turns"
    if cpu_ms > wall_ms / 8:
        yield f"it used {cpu_ms:.0f} ms of CPU in the {wall_ms:.0f} ms between its turns"


def got_through(played: Played) -> tuple[int, int]:
    """Of a channel that is open: how often the receiver can tell whether a 1 was sent, and of how many times.

    It has the best threshold there is.
    """
    sent, noticed = bits(played)
    pairs = [
        (float(came), any(sent.get(turn) for turn in range(before, now)))
        for (before, _), (now, came) in itertools.pairwise(noticed)
        if now > before
    ]
    right = (sum((value >= threshold) == bit for value, bit in pairs) for threshold, _ in pairs)
    return max(right, default=0), len(pairs)
