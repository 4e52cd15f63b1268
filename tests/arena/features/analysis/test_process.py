"""The computing process and the workers around it."""

from __future__ import annotations

import datetime
import json
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest
from django.utils import timezone

from analysis.notes import notes_bytes
from analysis.process import (
    Job,
    JobFailed,
    NotesJob,
    NotesMade,
    PositionSolved,
    Progress,
    Reply,
    SolveJob,
    position_values,
)
from arena.common.blobs import blob_get
from arena.common.features import CasualNotes
from arena.competition.models import Tournament
from arena.features.analysis.casual import (
    casual_claim,
    casual_expire,
    casual_finish,
    casual_notes,
    limits_of,
)
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.features.analysis.models import CasualAnalysis, SolvedPosition, TableAnalysis
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.runner.computing import ComputingProcess, ProcessDied
from arena.features.analysis.runner.notes_worker import NotesWorker
from arena.features.analysis.runner.solve_worker import SolveWorker
from arena.features.play.models import CasualTable
from arena.matches.models import Table
from tests import factories
from tests.arena.features.analysis.notes import notes_of
from tests.arena.features.analysis.positions import ask, steps_of
from tests.arena.features.play.tables import a_seat

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("solver_up")]
LONGEST_S = 60.0


@pytest.fixture
def process() -> Iterator[ComputingProcess]:
    made = ComputingProcess(is_idle=True)
    yield made
    made.kill()


def last_reply(process: ComputingProcess) -> Reply:
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        reply = process.poll(1.0)
        if reply is not None and not isinstance(reply, Progress):
            return reply
    raise AssertionError("no reply")


@pytest.fixture
def ending(table: Table) -> SolvedPosition:
    """A position with four cards left, to be solved."""
    ask(table, plays=[step["a"] for step in steps_of(table)[:48]])
    return SolvedPosition.objects.get()


def test_it_solves_is_cancelled_fails_and_goes_on(
    process: ComputingProcess, table: Table, ending: SolvedPosition
) -> None:
    position = position_from_json(ending.position)
    process.start(SolveJob(position))
    solved = last_reply(process)
    assert isinstance(solved, PositionSolved)
    assert solved.values == position_values(position)
    first = process._process
    process.start(NotesJob(blob_get(table.record_sha256)))
    assert process.poll(0.3) is None
    process.cancel()
    assert process._process is first, "it ended the job by itself"
    process.start(NotesJob(b"no record"))
    assert isinstance(last_reply(process), JobFailed)
    process.start(SolveJob(position._replace(turn=9)))
    assert isinstance(last_reply(process), JobFailed)
    process.start(SolveJob(position))
    assert isinstance(last_reply(process), PositionSolved)
    assert process._process is first


def test_a_background_process_runs_only_on_an_idle_machine(
    process: ComputingProcess, ending: SolvedPosition
) -> None:
    process.start(SolveJob(position_from_json(ending.position)))
    last_reply(process)
    assert process._process is not None
    assert process._process.pid is not None
    pid = process._process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == 19
    assert os.sched_getscheduler(pid) == os.SCHED_IDLE


def test_a_process_that_dies_is_started_again(
    process: ComputingProcess, table: Table, ending: SolvedPosition
) -> None:
    process.start(NotesJob(blob_get(table.record_sha256)))
    assert process._process is not None
    assert process._process.pid is not None
    os.kill(process._process.pid, signal.SIGKILL)
    with pytest.raises(ProcessDied, match="-9"):
        last_reply(process)
    process.start(SolveJob(position_from_json(ending.position)))
    assert isinstance(last_reply(process), PositionSolved)


class Answers(ComputingProcess):
    """A computing process that gives these replies."""

    def __init__(self, *replies: Reply | None) -> None:
        super().__init__(is_idle=False)
        self.replies = list(replies)
        self.jobs: list[object] = []
        self.is_cancelled = False

    def start(self, job: Job) -> None:
        self.jobs.append(job)

    def poll(self, timeout_s: float) -> Reply | None:
        return self.replies.pop(0)

    def cancel(self) -> None:
        self.is_cancelled = True

    def kill(self) -> None:
        self.is_cancelled = True


def test_a_worker_stores_notes_failures_and_the_time_spent(event: Tournament) -> None:
    worker = NotesWorker("test", threading.Event())
    row = TableAnalysis.objects.order_by("-closed_seq", "id")[0]
    notes = notes_bytes(notes_of(blob_get(row.record_sha256)))
    other = notes.replace(b'"board":1', b'"board":77')
    replies: list[tuple[Reply | None, ...]] = [
        (None, Progress(1.0), NotesMade(other, 2.0)),
        (Progress(1.5), JobFailed("RecordError: no", 3.0)),
        (NotesMade(notes, 4.0),),
    ]
    found = []
    for each in replies:
        TableAnalysis.objects.exclude(pk=row.pk).update(state="failed")
        TableAnalysis.objects.update(retry_at=None)
        answers = Answers(*each)
        worker._process = answers
        assert worker.step()
        row.refresh_from_db()
        found.append((row.state, row.failures, row.cpu_ms))
    assert found == [("waiting", 1, 2000), ("waiting", 2, 5000), ("ready", 2, 9000)]


def test_a_stop_returns_the_table_and_the_position(event: Tournament, ending: SolvedPosition) -> None:
    stop = threading.Event()
    stop.set()
    notes, solve = NotesWorker("test", stop), SolveWorker(stop)
    notes._process = first = Answers(None)
    solve._process = second = Answers(None)
    assert notes.step()
    assert solve.step()
    assert first.is_cancelled
    assert second.is_cancelled
    assert set(TableAnalysis.objects.values_list("state", "failures")) == {("waiting", 0)}
    ending.refresh_from_db()
    assert (ending.state, ending.failures) == ("waiting", 0)


def test_a_worker_solves_a_position(ending: SolvedPosition) -> None:
    worker = SolveWorker(threading.Event())
    try:
        assert worker.step()
        assert not worker.step()
    finally:
        worker.close()
    ending.refresh_from_db()
    assert (ending.state, bool(ending.values)) == ("done", True)


@pytest.fixture
def casual(table: Table) -> CasualAnalysis:
    """A casual table whose page was opened; its record is that of the table."""
    seat = a_seat(factories.aya())
    CasualTable.objects.filter(pk=seat.pk).update(
        state="finished", ended_at=timezone.now(), record_sha256=table.record_sha256
    )
    heartbeat(Queue.INTERACTIVE)
    assert casual_notes(CasualTable.objects.get(pk=seat.pk), True) == CasualNotes("waiting")
    return CasualAnalysis.objects.get()


def test_notes_of_casual_tables_come_after_positions(
    casual: CasualAnalysis, ending: SolvedPosition, table: Table
) -> None:
    worker = SolveWorker(threading.Event())
    notes = notes_bytes(notes_of(blob_get(table.record_sha256)))
    worker._process = answers = Answers(
        PositionSolved({"0": ["AS"]}, 0.1), Progress(1.0), None, NotesMade(notes, 2.0)
    )
    assert worker.step()
    assert worker.step()
    assert not worker.step()
    assert [type(job) for job in answers.jobs] == [SolveJob, NotesJob]
    assert answers.jobs[1] == NotesJob(blob_get(table.record_sha256), limits_of(casual.live_table))
    casual.refresh_from_db()
    assert (casual.state, casual.cpu_ms) == ("ready", 2000)
    assert casual_notes(casual.live_table, True) == CasualNotes("ready", json.loads(notes))


def test_long_notes_give_way_to_positions_and_fail_after_three_attempts(
    casual: CasualAnalysis, ending: SolvedPosition, monkeypatch: pytest.MonkeyPatch
) -> None:
    SolvedPosition.objects.update(state="done", values={"0": ["AS"]})
    monkeypatch.setattr("arena.features.analysis.runner.solve_worker.YIELD_S", 0.0)
    monkeypatch.setattr("arena.features.analysis.runner.solve_worker.position_waits", lambda: True)
    worker = SolveWorker(threading.Event())
    worker._process = answers = Answers(Progress(1.5))
    assert worker.step()
    assert answers.is_cancelled
    casual.refresh_from_db()
    assert (casual.state, casual.failures, casual.cpu_ms) == ("waiting", 0, 1500)
    for _ in range(3):
        worker._process = Answers(JobFailed("RecordError: no", 1.0))
        assert worker.step()
    assert not worker.step()
    assert casual_notes(casual.live_table, True) == CasualNotes("failed")


def test_the_lease_of_a_process_that_is_gone_expires(casual: CasualAnalysis) -> None:
    row = casual_claim()
    assert row is not None
    assert casual_claim() is None
    CasualAnalysis.objects.update(leased_until=timezone.now() - datetime.timedelta(seconds=1))
    assert casual_expire() == 1
    assert not casual_finish(row, b"{}", 1.0), "another process has it"
    casual.refresh_from_db()
    assert (casual.state, casual.failures) == ("waiting", 1)
