"""The wrong clock of a process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chaos.clock import clock_step

pytestmark = pytest.mark.full

PROBE = """
import datetime, json, os, subprocess, sys, time
from datetime import datetime as imported
from pathlib import Path
from django.conf import settings
from django.utils import timezone
from tests.chaos.clock import clock_step

def clocks():
    utc = datetime.timezone.utc
    return [
        time.time(),
        time.time_ns() / 1e9,
        datetime.datetime.now().timestamp(),
        imported.now(utc).timestamp(),
        imported.today().timestamp(),
        timezone.now().timestamp(),
    ]

settings.configure(USE_TZ=True)
started = [sys.executable, "-c", "import time; print(time.time())"]
found = {"stepped": clocks(), "monotonic": [time.monotonic()]}
found["started"] = [float(subprocess.check_output(started))]
clock_step(Path(sys.argv[1]), -7200.0)
reader, writer = os.pipe()
if os.fork() == 0:
    os.write(writer, json.dumps(clocks()).encode())
    os._exit(0)
found["forked"] = json.loads(os.read(reader, 9999))
os.wait()
print(json.dumps(found))
"""


def test_the_process_and_its_forks_follow_the_file(tmp_path: Path) -> None:
    clock_step(tmp_path / "clock", 86_400.0)
    (tmp_path / "probe.py").write_text(PROBE)
    before = {
        "stepped": time.time(),
        "forked": time.time(),
        "started": time.time(),
        "monotonic": time.monotonic(),
    }
    argv = [
        sys.executable,
        "-m",
        "tests.chaos.clock",
        str(tmp_path / "clock"),
        "probe",
        str(tmp_path / "clock"),
    ]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        argv, cwd=root, env={"PYTHONPATH": f"{root}:{tmp_path}"}, capture_output=True, text=True, check=True
    )
    hours = {
        name: {round((value - before[name]) / 3600) for value in values}
        for name, values in json.loads(done.stdout).items()
    }
    assert hours == {"stepped": {24}, "forked": {-2}, "started": {0}, "monotonic": {0}}
