"""A fault that begins late delays those of its host: otherwise the end of one would undo the other."""

from __future__ import annotations

import contextlib

from tests.chaos.agenda import follow
from tests.chaos.plan import Kind, Planned


class Stage:
    """Faults that each take some time to begin, by a clock of its own."""

    def __init__(self, begin_s: float) -> None:
        self.now, self.begin_s = 0.0, begin_s
        self.log: list[tuple[str, Kind]] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def begin(self, number: int, fault: Planned) -> contextlib.ExitStack:
        self.now += self.begin_s
        self.log.append(("begin", fault.kind))
        ending = contextlib.ExitStack()
        ending.callback(self.log.append, ("end", fault.kind))
        return ending


PLANNED = [
    Planned(1.0, Kind.BROKER_RESTART, "", 3.0),
    Planned(5.0, Kind.CUT, "w1", 2.0),
    Planned(7.0, Kind.BROKER_FORGET, "", 1.0),
]


def followed(begin_s: float) -> list[tuple[str, Kind]]:
    stage = Stage(begin_s)
    follow(PLANNED, stage.begin, lambda: stage.now, stage.sleep)
    return stage.log


def test_faults_begin_and_end_as_planned() -> None:
    assert followed(0.0) == [
        ("begin", Kind.BROKER_RESTART),
        ("end", Kind.BROKER_RESTART),
        ("begin", Kind.CUT),
        ("end", Kind.CUT),
        ("begin", Kind.BROKER_FORGET),
        ("end", Kind.BROKER_FORGET),
    ]


def test_a_late_fault_is_over_before_the_next_one_of_its_host_begins() -> None:
    log = followed(10.0)
    assert sorted(log) == sorted(followed(0.0))
    assert log.index(("end", Kind.BROKER_RESTART)) < log.index(("begin", Kind.BROKER_FORGET))
