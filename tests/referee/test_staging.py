"""What is cleared away of the bundles that bots run from: the forgotten and the half unpacked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from referee.bundle import import_archive
from referee.runtimes import stage_root
from referee.staging import KEEP_S, clean_stage, staged_bundle, used_mark
from tests.referee.archives import FILES, zipped

DIES_UNPACKING = """
import os, sys
from pathlib import Path
from referee import staging
def unpack(data, dest):
    dest.mkdir()
    (dest / "half").write_text("done")
    print("unpacking", flush=True)
    sys.stdin.read()
staging.unpack = unpack
data = Path(sys.argv[1]).read_bytes()
staging.staged_bundle(sys.argv[2], lambda _: data)
"""


@pytest.fixture
def bundles(monkeypatch):
    """The folder of the bundles, in a staging area of its own."""
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=stage_root()))
    folder.chmod(0o755)
    monkeypatch.setenv("RENSHO_STAGE", str(folder))
    yield folder / "bundles"
    shutil.rmtree(folder)


def bot(remark):
    return import_archive(zipped(FILES | {"remark": remark}), "bot.zip")


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_bundles_nobody_asked_for_lately_go(bundles):
    old, recent = bot(b"old"), bot(b"recent")
    for bundle in (old, recent):
        staged_bundle(bundle.sha256, lambda _, data=bundle.data: data)
    then = time.time() - KEEP_S - 60
    os.utime(used_mark(bundles / old.sha256), (then, then))
    assert clean_stage() == [old.sha256]
    assert names(bundles) == names(bundles.with_name("used")) == {recent.sha256}
    assert clean_stage() == []


def test_a_bundle_asked_for_while_it_goes_stays(bundles, monkeypatch):
    """The table touches the folder between the cleaner's look and its hand."""
    bundle = bot(b"busy")
    folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
    then = time.time() - KEEP_S - 60
    os.utime(used_mark(folder), (then, then))
    rename = Path.rename

    def touched_first(self, target):
        if self == folder:
            os.utime(used_mark(folder))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", touched_first)
    assert clean_stage() == []
    assert (folder / "main.py").is_file()


def test_what_a_killed_worker_left_half_unpacked_goes_at_once_and_not_before(bundles, tmp_path):
    bundle = bot(b"half")
    (tmp_path / "bundle").write_bytes(bundle.data)
    worker = subprocess.Popen(
        [sys.executable, "-c", DIES_UNPACKING, str(tmp_path / "bundle"), bundle.sha256],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout.readline() == "unpacking\n"
        assert clean_stage() == []
        (left,) = names(bundles)
        worker.kill()
        worker.wait(60)
        assert clean_stage() == [left]
        assert names(bundles) == set()
    finally:
        worker.kill()
        worker.communicate(timeout=60)
    assert (staged_bundle(bundle.sha256, lambda _: bundle.data) / "main.py").is_file()


def test_a_stage_nobody_used_yet_is_clean(bundles):
    assert clean_stage() == []


def test_bots_cannot_see_that_another_table_asks_for_their_bundle(bundles):
    bundle = bot(b"twice")
    folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
    seen = folder.stat()
    os.utime(used_mark(folder), (0, 0))
    assert staged_bundle(bundle.sha256, lambda _: b"") == folder
    assert used_mark(folder).stat().st_mtime > 0
    assert folder.stat() == seen
