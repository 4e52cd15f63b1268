"""Files of an installation are its user's alone, whatever starts first and whatever its umask was."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.settings.private import prepare_data_folder

ROOT = Path(__file__).resolve().parents[3]
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
MODULE = """
import os, runpy, sys
sys.argv = [sys.argv[1], *sys.argv[2:]]
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
except SystemExit:
    pass
print("umask", oct(os.umask(0)))
"""
SIGNAL = """
import os, sys
import arena
from celery import signals
os.umask(0o022)
getattr(signals, sys.argv[1]).send(sender="a test", instance=None, conf=None)
print("umask", oct(os.umask(0)))
"""


def umask_after(code: str, data: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import os; os.umask(0o022)\n{code}", *words],
        # As outside tests: no folder for each process of pytest-xdist.
        env={
            **os.environ,
            "PYTEST_XDIST_WORKER": "",
            "RENSHO_DATA": str(data),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    found = re.search(r"^umask (\S+)$", done.stdout, re.MULTILINE)
    assert found, done.stderr
    return found[1]


@pytest.mark.parametrize(
    "words", [("manage", "check"), ("benchmarks.demo", "--help"), ("benchmarks.seeding", "--help")]
)
def test_commands_create_files_for_their_user_alone(tmp_path: Path, words: tuple[str, ...]) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "blobs").mkdir(0o755)
    (data / "blobs" / "older").touch(0o644)
    assert umask_after(MODULE, data, *words) == "0o77"
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    fresh = [path for path in data.rglob("*") if path.name not in ("blobs", "older")]
    assert fresh
    assert [path for path in fresh if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("signal", ["celeryd_init", "beat_init"])
def test_workers_and_beat_do_so_however_they_are_started(tmp_path: Path, signal: str) -> None:
    assert umask_after(SIGNAL, tmp_path, signal) == "0o77"


def test_a_folder_that_is_not_ours_to_close_is_left(tmp_path: Path) -> None:
    others = Path("/usr")
    if os.geteuid() == 0:
        others = tmp_path / "others"
        others.mkdir()
        os.chown(others, 61234, 61234)
    others_mode = others.stat().st_mode
    assert prepare_data_folder(others) == others
    assert others.stat().st_mode == others_mode
    assert others_mode & 0o077
    shared = tmp_path / "shared"
    (shared / "of somebody").mkdir(parents=True)
    shared.chmod(0o755)
    prepare_data_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755, "it holds other things"
    (shared / "secret_key").touch()
    prepare_data_folder(shared)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o700, "it is in use"
    (tmp_path / "file").write_text("")
    assert not prepare_data_folder(tmp_path / "file" / "data").exists()


def test_units_say_the_same() -> None:
    assert UNITS
    for unit in UNITS:
        text = unit.read_text()
        assert "\nUMask=0077\n" in text, unit.name
        assert re.findall(r"^StateDirectoryMode=(.*)$", text, re.MULTILINE) == ["0700"], unit.name
