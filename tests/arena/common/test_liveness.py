"""The liveness file: touched by the loops of workers, play and analysis, and never a reason to stop."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.common.liveness import VARIABLE, liveness_mark
from arena.features.analysis.runner import service as analysis
from arena.jobs import worker
from arena.tables.live import service as play


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "alive"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def test_the_file_is_created_and_its_time_advances(file):
    liveness_mark()
    os.utime(file, (0, 0))
    liveness_mark()
    assert file.stat().st_mtime > 0
    assert file.stat().st_mode & 0o077 == 0


def test_without_the_variable_nothing_is_written(file, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    liveness_mark()
    assert not file.exists()


def test_a_file_that_cannot_be_written_stops_nothing(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing" / "alive"))
    liveness_mark()
    assert VARIABLE in caplog.text


@pytest.mark.django_db
def test_a_worker_marks_each_beat_without_asking_for_anything_first(file, monkeypatch):
    monkeypatch.setattr(worker.Pulse, "_end_if_outdated", lambda _: None)
    monkeypatch.setattr(worker._MainProcess, "readiness", None)
    worker.Pulse._beat(SimpleNamespace(_end_if_outdated=lambda: None), None)
    assert file.exists()


def test_play_and_analysis_mark_their_loops(file, monkeypatch):
    served = play.Service([], capacity=1)
    monkeypatch.setattr(served, "_subscribe", lambda: None)
    monkeypatch.setattr(served, "sweep", served.stop)
    monkeypatch.setattr(served, "_end", lambda: None)
    served.run()
    assert file.exists()
    file.unlink()
    queues = analysis.Service([])
    monkeypatch.setattr(queues._stop, "wait", lambda _: queues.stop())
    assert queues.run()
    assert file.exists()
