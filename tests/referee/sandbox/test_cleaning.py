"""Runtime trees that nobody uses are removed, those in use never."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.capability import offers
from referee.runtimes import (
    clean,
    runtime_named,
    tree_store,
)
from referee.runtimes.stage import folder_lock, scratch_folder

pytestmark = pytest.mark.full


class TestCleaning:
    """Trees go when nobody has used them for long; never one in use, nor one that is being built."""

    OLD = 8 * 24 * 3600

    @pytest.fixture
    def stage(self, staged: Path) -> Iterator[Path]:
        folder = Path(tempfile.mkdtemp(dir=staged))
        folder.chmod(0o755)
        yield folder
        shutil.rmtree(folder)

    @staticmethod
    def provided(stage: Path, key: str) -> Path:
        def build(aside: Path) -> None:
            (aside / "tree").mkdir()
            (aside / "tree" / "file").write_text(key)

        return tree_store.provide(stage, "test/1", key, build).root.parent

    @staticmethod
    def let_go(ready: Path) -> None:
        os.close(tree_store._locks.pop(ready))

    def aged(self, path: Path) -> Path:
        then = time.time() - self.OLD
        os.utime(path, (then, then))
        return path

    def test_a_forgotten_tree_goes_and_a_recent_one_stays(self, stage: Path) -> None:
        old, recent = self.provided(stage, "old"), self.provided(stage, "recent")
        for ready in (old, recent):
            self.let_go(ready)
        self.aged(old / "digest")
        assert clean(stage) == ["test-1-old"]
        assert [path.name for path in (stage / "runtimes").glob("[!.]*")] == ["test-1-recent"]
        assert clean(stage) == []

    def test_a_tree_in_use_stays_however_old_and_is_no_longer_old(self, stage: Path) -> None:
        ready = self.provided(stage, "used")
        self.aged(ready / "digest")
        assert clean(stage) == []
        self.let_go(ready)
        assert clean(stage) == []
        self.aged(ready / "digest")
        assert clean(stage) == ["test-1-used"]

    def test_a_tree_that_another_process_uses_stays(self, stage: Path) -> None:
        ready = self.provided(stage, "used")
        self.let_go(ready)
        script = (
            "import sys\nfrom pathlib import Path\nfrom referee.runtimes import tree_store\n"
            "tree_store.provide(Path(sys.argv[1]), 'test/1', 'used', lambda aside: None)\n"
            "print('held', flush=True)\nsys.stdin.read()\n"
        )
        user = subprocess.Popen(
            [sys.executable, "-c", script, str(stage)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert user.stdout is not None
            assert user.stdout.readline() == "held\n"
            self.aged(ready / "digest")
            assert clean(stage) == []
            user.kill()
            user.wait(60)
            self.aged(ready / "digest")
            assert clean(stage) == ["test-1-used"]
        finally:
            user.kill()
            user.communicate(timeout=60)

    def test_a_tree_that_is_asked_for_again_is_built_again(self, stage: Path) -> None:
        ready = self.provided(stage, "old")
        self.let_go(ready)
        self.aged(ready / "digest")
        clean(stage)
        assert (self.provided(stage, "old") / "tree" / "file").read_text() == "old"
        # Emptied by hand under a process that holds it.
        shutil.rmtree(ready)
        assert (self.provided(stage, "old") / "tree" / "file").read_text() == "old"
        self.let_go(ready)

    def test_using_a_tree_makes_it_young(self, stage: Path) -> None:
        ready = self.provided(stage, "old")
        self.let_go(ready)
        self.aged(ready / "digest")
        self.let_go(self.provided(stage, "old"))
        assert clean(stage) == []

    def test_bases_and_what_killed_builders_left_go(self, stage: Path) -> None:
        folder = stage / "runtimes"
        (folder / "python-1-base-x" / "tree").mkdir(parents=True)
        folder.chmod(0o755)
        self.aged(folder / "python-1-base-x")
        (folder / f"{tree_store.BUILDING}abc" / "tree").mkdir(parents=True)
        (folder / f"{tree_store.REMOVING}python-1-y").mkdir()
        with scratch_folder(folder, tree_store.BUILDING) as busy:
            (busy / "half").write_text("done")
            assert clean(stage) == [
                f"{tree_store.BUILDING}abc",
                f"{tree_store.REMOVING}python-1-y",
                "python-1-base-x",
            ]
            assert (busy / "half").exists()
        assert [path.name for path in folder.iterdir()] == [".lock"]

    def test_nothing_goes_while_somebody_builds(self, stage: Path) -> None:
        ready = self.provided(stage, "old")
        self.let_go(ready)
        self.aged(ready / "digest")
        with folder_lock(ready.parent, "a test"):
            assert clean(stage) == []
        assert clean(stage) == ["test-1-old"]

    def test_a_stage_without_trees_is_clean(self, stage: Path) -> None:
        assert clean(stage) == []

    def test_the_trees_of_this_process_are_held(self) -> None:
        for offer in offers():
            if offer.digest:
                assert runtime_named(offer.name).root.parent in tree_store._locks

    def test_workers_that_build_at_once_build_once(self, stage: Path) -> None:
        """Locks of files are of the open file, so threads stand for processes here."""
        built = []

        def build(aside: Path) -> None:
            built.append(aside)
            time.sleep(0.05)
            (aside / "tree").mkdir()

        def provide(_: int) -> str:
            return tree_store.provide(stage, "test/1", "same", build).digest

        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(provide, range(4)))) == 1
        assert len(built) == 1
        self.let_go(stage / "runtimes" / "test-1-same")
