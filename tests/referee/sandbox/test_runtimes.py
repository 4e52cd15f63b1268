"""The fixed tree of python/1 and the folder it is staged in."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.errors import OrderInvalid, SandboxUnavailable
from referee.runtimes import (
    all_recipes,
    host_runtime,
    runtime_named,
    stage_area,
    stage_root,
    tree_store,
)
from referee.runtimes.recipes import node1, python1
from referee.runtimes.stage import safe_folder
from referee.runtimes.tree import hash_tree, shared_libraries, tree_digest
from referee.sandbox import PlainProcessDriver
from tests.referee.sandbox.cases import START
from tests.refusals import refusal

pytestmark = pytest.mark.full

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
    for name in (*all_recipes(), *node1.FLAGS, *python1.ENV, *node1.ENV, node1.SETTING, *node1.PROGRAM_PATHS):
        assert f"`{name}" in text, name
    assert all(f"`{ending}`" in text for recipe in all_recipes().values() for ending in recipe.entry_suffixes)
    assert f"{node1.OWN_MEMORY_BYTES >> 20} MiB" in text
    assert f"version {node1.MIN_VERSION}" in text
    assert "for a week" in text
    assert tree_store.KEEP_S == 7 * 24 * 3600


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
        "__pycache__",
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

    assert "disk full" in str(refusal(OSError, tree_store.build_atomically, tmp_path / "tree", build))
    assert list(tmp_path.iterdir()) == []


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
    assert "mode 777" in str(refusal(SandboxUnavailable, safe_folder, open_folder))


def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/var/lib")
    refusal(SandboxUnavailable, safe_folder, tmp_path / "link")


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
        assert "closed" in str(refusal(SandboxUnavailable, stage_root))
    else:
        assert stage_root() == tmp_path / "closed" / "stage"


def test_the_default_is_in_memory_and_for_each_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RENSHO_STAGE", raising=False)
    assert stage_root() == stage_area.SHARED_MEMORY / f"rensho-{os.geteuid()}"
    assert stage_root().stat().st_mode & 0o077 == (0o010 if os.geteuid() == 0 else 0)


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
            timeout=60,
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
