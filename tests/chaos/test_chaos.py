"""Three minutes of faults on three hosts: every tournament comes out as if there had been none."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.chaos.__main__ import refusal
from tests.chaos.plan import Kind
from tests.chaos.units import ROOT

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200), pytest.mark.xdist_group("chaos")]

SEED, MINUTES, FAULTS, TABLES = 44, 3, 20, 56


@pytest.mark.skipif(refusal() != "", reason=refusal())
def test_faults_change_no_result_and_leave_nothing() -> None:
    argv = [sys.executable, "-m", "tests.chaos", "--seed", str(SEED), "--minutes", str(MINUTES)]
    done = subprocess.run(
        [*argv, "--faults", str(FAULTS), "--tables", str(TABLES), "--concurrency", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    print(done.stdout, done.stderr[-5000:])
    summary = json.loads(done.stdout[done.stdout.index("\n{\n") :])
    assert (done.returncode, summary["problems"]) == (0, [])
    skipped = {text.partition(":")[0] for text in summary["skipped"]}
    assert {*summary["faults_by_kind"], *skipped} == set(Kind)
    assert summary["faults"] > FAULTS / 2
    assert summary["finished"] == summary["tables"] >= TABLES
    assert summary["played_again"] > 0, "no fault hit a table"
