"""The fixed tree of python/1 and the folder it is staged in."""

import json
import os
import re
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
from referee.contract import Limits
from referee.errors import OrderInvalid, SandboxUnavailable
from referee.runtimes import (
    ENTRY_SUFFIXES,
    RUNTIMES,
    clean,
    host_runtime,
    node1,
    place,
    python1,
    runtime_named,
    stage_root,
)
from referee.runtimes.stage import locked, safe_folder, workplace
from referee.runtimes.tree import hash_tree, shared_libraries, tree_digest
from referee.sandbox import PlainProcessDriver
from tests.referee.sandbox.cases import START

pytestmark = pytest.mark.sandbox

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "runtimes.md"


def test_the_tree_is_what_its_digest_says() -> None:
    runtime = runtime_named("python/1")
    assert tree_digest(hash_tree(runtime.root)) == runtime.digest


@pytest.mark.parametrize("name", ["binary/1", "python/1"])
def test_anybody_can_work_out_a_digest_as_the_document_says(name: str) -> None:
    runtime = runtime_named(name)
    (script,) = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        env={"PATH": os.defpath, "TREE": str(runtime.root)},
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout.split() == [runtime.digest, "-"]


def test_the_document_names_every_runtime_flag_and_ending() -> None:
    text = DOCUMENT.read_text()
    for name in (*RUNTIMES, *node1.FLAGS, *python1.ENV, *node1.ENV, node1.SETTING, *node1.PLACES):
        assert f"`{name}" in text, name
    assert all(f"`{ending}`" in text for endings in ENTRY_SUFFIXES.values() for ending in endings)
    assert f"{node1.OWN_MEMORY_BYTES >> 20} MiB for node itself" in text
    assert f"version {node1.OLDEST}" in text
    assert "for a week" in text
    assert place.KEEP_S == 7 * 24 * 3600


def test_any_change_shows_in_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("two")
    files = hash_tree(tmp_path)
    seen = {tree_digest(files)}
    (tmp_path / "a").chmod(0o755)
    seen.add(tree_digest(hash_tree(tmp_path)))
    (tmp_path / "b").write_text("three")
    seen.add(tree_digest(hash_tree(tmp_path)))
    (tmp_path / "b").rename(tmp_path / "c")
    seen.add(tree_digest(hash_tree(tmp_path)))
    assert len(seen) == 4


def test_the_tree_holds_what_bots_need_and_nothing_of_ours() -> None:
    root = runtime_named("python/1").root / "usr"
    for wanted in ("bin/sh", f"bin/python{python1.VERSION}", f"lib/python{python1.VERSION}/json/__init__.py"):
        assert (root / wanted).is_file()
    libraries = root / "lib" / "rensho"
    assert {path.name for path in libraries.iterdir()} <= {
        "bots",
        "engine",
        "launcher.py",
        "numpy",
        "numpy.libs",
    }
    assert {path.name for path in (libraries / "bots").iterdir()} == {"__init__.py", "__pycache__", "sdk"}
    everything = [str(path.relative_to(root)) for path in root.rglob("*")]
    unwanted = (
        "django",
        "referee",
        "arena",
        "dist-packages",
        "site-packages",
        "idlelib",
        "ensurepip",
        "tkinter",
    )
    assert not [path for path in everything if any(word in path.split("/") for word in unwanted)]


def test_nobody_else_can_write_into_the_tree() -> None:
    for path in (
        stage_root(),
        *runtime_named("python/1").root.parents,
        *runtime_named("python/1").root.rglob("*"),
    ):
        if path.is_relative_to(stage_root()):
            assert not path.stat().st_mode & 0o022, path


def test_bytecode_lies_beside_every_module() -> None:
    root = runtime_named("python/1").root / "usr" / "lib"
    for module in (root / "rensho" / "engine").rglob("*.py"):
        compiled = list((module.parent / "__pycache__").glob(f"{module.stem}.*.pyc"))
        assert len(compiled) == 1, module
        # Flag 1: made from a hash; bit 2 clear: not checked against the source.
        assert compiled[0].read_bytes()[4:8] == b"\1\0\0\0"


def test_two_builds_give_the_same_digest(staged: Path) -> None:
    base = next(stage_root().glob("runtimes/python-1-base-*"))
    digests = set()
    for name in ("one", "two"):
        aside = staged / name
        aside.mkdir()
        # The second under a careful user's umask.
        before = os.umask(0o077 if name == "two" else 0o022)
        try:
            python1._build(aside, base, python1._our_packages())
        finally:
            os.umask(before)
        digests.add((aside / "digest").read_text())
        shutil.rmtree(aside)
    assert len(digests) == 1


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    def build(aside: Path) -> None:
        (aside / "half").write_text("done")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        place.into_place(tmp_path / "tree", build)
    assert list(tmp_path.iterdir()) == []


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

        return place.provide(stage, "test/1", key, build).root.parent

    @staticmethod
    def let_go(ready: Path) -> None:
        os.close(place._held.pop(ready))

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
            "import sys\nfrom pathlib import Path\nfrom referee.runtimes import place\n"
            "place.provide(Path(sys.argv[1]), 'test/1', 'used', lambda aside: None)\n"
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
            user.wait(10)
            self.aged(ready / "digest")
            assert clean(stage) == ["test-1-used"]
        finally:
            user.kill()
            user.communicate(timeout=10)

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
        (folder / f"{place.BUILDING}abc" / "tree").mkdir(parents=True)
        (folder / f"{place.REMOVING}python-1-y").mkdir()
        with workplace(folder, place.BUILDING) as busy:
            (busy / "half").write_text("done")
            assert clean(stage) == [
                f"{place.BUILDING}abc",
                f"{place.REMOVING}python-1-y",
                "python-1-base-x",
            ]
            assert (busy / "half").exists()
        assert [path.name for path in folder.iterdir()] == [".lock"]

    def test_nothing_goes_while_somebody_builds(self, stage: Path) -> None:
        ready = self.provided(stage, "old")
        self.let_go(ready)
        self.aged(ready / "digest")
        with locked(ready.parent, "a test"):
            assert clean(stage) == []
        assert clean(stage) == ["test-1-old"]

    def test_a_stage_without_trees_is_clean(self, stage: Path) -> None:
        assert clean(stage) == []

    def test_the_trees_of_this_process_are_held(self) -> None:
        for offer in offers():
            if offer.digest:
                assert runtime_named(offer.name).root.parent in place._held

    def test_workers_that_build_at_once_build_once(self, stage: Path) -> None:
        """Locks of files are of the open file, so threads stand for processes here."""
        built = []

        def build(aside: Path) -> None:
            built.append(aside)
            time.sleep(0.05)
            (aside / "tree").mkdir()

        def provide(_: int) -> str:
            return place.provide(stage, "test/1", "same", build).digest

        with ThreadPoolExecutor(4) as pool:
            assert len(set(pool.map(provide, range(4)))) == 1
        assert len(built) == 1
        self.let_go(stage / "runtimes" / "test-1-same")


def test_an_unknown_runtime_lists_those_there_are() -> None:
    for provider in (runtime_named, host_runtime):
        with pytest.raises(OrderInvalid, match=r"'perl/5'.*python/1"):
            provider("perl/5")


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    assert "libc.so.6" in shared_libraries([Path("/bin/sh")])
    assert shared_libraries([tmp_path / "nothing"]) == {}


def test_a_folder_others_can_write_into_is_refused(tmp_path: Path) -> None:
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    with pytest.raises(SandboxUnavailable, match="mode 777"):
        safe_folder(open_folder)


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/var/lib")
    with pytest.raises(SandboxUnavailable):
        safe_folder(tmp_path / "link")


@pytest.mark.parametrize("named", ["relative/path", "/proc/no/such"])
def test_a_staging_area_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("RENSHO_STAGE", named)
    with pytest.raises(SandboxUnavailable, match=named):
        stage_root()


def test_a_staging_area_bots_cannot_reach_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Bots of root run as somebody else; those of an ordinary user as that user."""
    (tmp_path / "closed").mkdir(mode=0o700)
    monkeypatch.setenv("RENSHO_STAGE", str(tmp_path / "closed" / "stage"))
    if os.geteuid() == 0:
        with pytest.raises(SandboxUnavailable, match="closed"):
            stage_root()
    else:
        assert stage_root() == tmp_path / "closed" / "stage"


def test_the_users_own_folder_is_the_default_for_others(
    monkeypatch: pytest.MonkeyPatch, staged: Path
) -> None:
    monkeypatch.delenv("RENSHO_STAGE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(staged / "state"))
    ordinary = os.geteuid() or 61234
    monkeypatch.setattr(os, "geteuid", lambda: ordinary)
    assert stage_root() == staged / "state" / "rensho" / "stage"


def plain(folder: Path, entry_point: str) -> PlainProcessDriver:
    return PlainProcessDriver(
        folder, host_runtime("python/1"), entry_point, Limits(), cpu_limit_s=5, label=entry_point
    )


def test_a_bot_imports_its_own_modules_and_ours(tmp_path: Path) -> None:
    (tmp_path / "strategy.py").write_text("NAME = 'mine'\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "beside.py").write_text("NAME = 'beside'\n")
    (tmp_path / "deep" / "main.py").write_text(
        "import beside, strategy, engine, bots.sdk\n"
        "print(beside.NAME, strategy.NAME, engine.__name__)\ninput()\n"
    )
    with plain(tmp_path, "deep/main.py") as driver:
        assert driver.collect(**START).line == b"beside mine engine"


def test_exit_and_pickles_work_as_in_any_script(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        "import pickle, sys\n"
        "class Thing:\n    pass\n"
        "print(type(pickle.loads(pickle.dumps(Thing()))).__name__, sys.argv)\n"
        "exit()\n"
    )
    with plain(tmp_path, "main.py") as driver:
        assert driver.collect(**START).line == f"Thing {[f'{tmp_path}/main.py']}".encode()


def test_a_bot_that_walks_through_a_set_plays_the_same_way_twice(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print(list({'7H', 'KH', 'AS', '3C'}))\ninput()\n")
    lines = set()
    for _ in range(3):
        with plain(tmp_path, "main.py") as driver:
            lines.add(driver.collect(**START).line)
    assert len(lines) == 1


def test_ldd_sees_all_the_tree_needs() -> None:
    """Every library named by the interpreter and numpy resolves inside the tree itself."""
    root = runtime_named("python/1").root
    loader = next(root.rglob("ld-linux-*"))
    libraries = next(root.rglob("libc.so.6")).parent
    for binary in (root / python1.INTERPRETER.lstrip("/"), *root.glob("usr/lib/rensho/numpy/_core/*.so")):
        listing = subprocess.run(
            [str(loader), "--library-path", str(libraries), "--list", str(binary)],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
        )
        assert listing.returncode == 0, listing.stderr
        outside = [line for line in listing.stdout.splitlines() if "=> /" in line and str(root) not in line]
        assert outside == []


def test_the_file_list_of_the_base_is_complete() -> None:
    base = next(stage_root().glob("runtimes/python-1-base-*"))
    listed = json.loads((base / "files.json").read_text())
    found = {str(path.relative_to(base / "tree")) for path in (base / "tree").rglob("*") if path.is_file()}
    assert set(listed) == found
