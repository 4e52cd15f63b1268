"""Where groups are found: on machines of every kind, by what the settings say, and by ordinary users."""

import errno
import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.errors import SandboxUnavailable
from referee.sandbox import cgroup_sites
from referee.sandbox.cgroup_sites import CgroupLayout, CgroupSite, Hierarchy, hierarchies, sites
from tests.referee.hostile.modes import MODES, Mode, play_mode, refusal
from tests.referee.ordinary import ordinary_uid
from tests.referee.sandbox.grouping import working_places
from tests.referee.stages import folder_in_memory, libraries_of, link_trees
from tests.refusals import refusal as refused

ROOT = Path(__file__).resolve().parents[3]
HYBRID = """\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
HYBRID_OURS = "9:name=systemd:/s\n8:pids:/\n4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/s\n"


def test_a_machine_of_both_versions_is_understood() -> None:
    found = {tuple(sorted(tree.controllers)): tree for tree in hierarchies(HYBRID, HYBRID_OURS)}
    root = Path("/sys/fs/cgroup")
    assert found[("memory",)] == Hierarchy(1, frozenset({"memory"}), root / "memory", root / "memory/a/b")
    assert found[("cpu", "cpuacct")].own == root / "cpu,cpuacct/c"
    assert found[("pids",)].own == root / "pids"
    assert found[()] == Hierarchy(2, frozenset(), root / "unified", root / "unified/s")


@pytest.mark.parametrize(
    ("mountinfo", "ours", "own"),
    [
        ("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/a.slice/b", "/sys/fs/cgroup/a.slice/b"),
        ("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/", "/sys/fs/cgroup"),
        # In a container: its own group is all that is mounted.
        (
            "30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup cgroup rw,memory",
            "4:memory:/docker/1",
            "/sys/fs/cgroup",
        ),
        (
            "30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup cgroup rw,memory",
            "4:memory:/docker/1/x",
            "/sys/fs/cgroup/x",
        ),
        ("30 23 0:26 /docker/1 /sys/fs/cgroup rw - cgroup cgroup rw,memory", "4:memory:/docker/12", None),
        ("30 23 0:26 /.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "0::/../elsewhere", None),
        ("30 23 0:26 / /with\\040blank rw - cgroup2 cgroup2 rw", "0::/a", "/with blank/a"),
    ],
)
def test_our_own_group_is_found(mountinfo: str, ours: str, own: str | None) -> None:
    (tree,) = hierarchies(mountinfo, ours)
    assert tree.own == (Path(own) if own is not None else None)


def test_other_file_systems_are_no_groups() -> None:
    assert hierarchies("22 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense\n", "0::/\n") == ()


@pytest.mark.parametrize(
    ("setting", "step", "remedy"),
    [
        ("off", "SANDBOX_CGROUP=off", "Clear SANDBOX_CGROUP"),
        ("rensho", "'rensho'", "/rensho"),
        ("/", "'/'", "/rensho"),
        ("/../up", "'/../up'", "/rensho"),
    ],
)
def test_settings_that_give_nothing_say_so(setting: str, step: str, remedy: str) -> None:
    caught = refused(SandboxUnavailable, sites, (), {"SANDBOX_CGROUP": setting})
    assert step in caught.step
    assert remedy in caught.remedy


def test_a_machine_without_controllers_is_told_apart() -> None:
    with pytest.raises(SandboxUnavailable, match="memory controller") as caught:
        sites((), {})
    assert "systemd.unified_cgroup_hierarchy=1" in caught.value.remedy


def version_1(top: Path, names: str = "memory pids cpu freezer cpuacct") -> tuple[Hierarchy, ...]:
    """Folders that stand for trees of version 1, our own group one step down."""
    for name in names.split():
        (top / name / "own").mkdir(parents=True)
    return tuple(Hierarchy(1, frozenset({name}), top / name, top / name / "own") for name in names.split())


def test_version_1_uses_our_own_groups(tmp_path: Path) -> None:
    (site,) = sites(version_1(tmp_path), {})
    own = {name: tmp_path / name / "own" for name in ("memory", "pids", "cpu", "freezer", "cpuacct")}
    assert site == CgroupSite(
        CgroupLayout.V1, own["memory"], own["pids"], own["cpu"], None, own["freezer"], own["cpuacct"]
    )


def test_the_freezer_of_version_2_is_preferred(tmp_path: Path) -> None:
    (tmp_path / "unified").mkdir()
    (tmp_path / "unified/cgroup.procs").touch()
    unified = Hierarchy(2, frozenset(), tmp_path / "unified", tmp_path / "unified")
    first, second = sites((*version_1(tmp_path), unified), {})
    assert (first.kind, first.unified) == (CgroupLayout.HYBRID, tmp_path / "unified")
    assert (second.kind, second.unified) == (CgroupLayout.V1, None)


def test_a_named_group_is_looked_for_below_our_own_first(tmp_path: Path) -> None:
    trees = version_1(tmp_path)
    for name in ("memory", "pids", "freezer", "cpuacct"):
        (tmp_path / name / "given").mkdir()
    (tmp_path / "memory/own/given").mkdir()
    (site,) = sites(trees, {"SANDBOX_CGROUP": "/given"})
    assert (site.memory, site.pids) == (tmp_path / "memory/own/given", tmp_path / "pids/given")
    assert site.cpu is None


@pytest.mark.parametrize(
    ("names", "step"),
    [("memory freezer cpuacct", "pids"), ("memory pids cpu cpuacct", "freeze")],
)
def test_controllers_that_are_missing_are_named(tmp_path: Path, names: str, step: str) -> None:
    with pytest.raises(SandboxUnavailable, match=step):
        sites(version_1(tmp_path, names), {})


def test_a_named_group_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="/given") as caught:
        sites(version_1(tmp_path), {"SANDBOX_CGROUP": "/given"})
    assert "chown" in caught.value.remedy


class Kernel:
    """Imitates what the kernel makes of orders to groups of version 2: the rules of cgroups(7)."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.refuses: set[str] = set()

    def group(self, path: str, controllers: str, pids: str = "") -> Path:
        folder = self.top / path
        folder.mkdir(exist_ok=True)
        for name, text in (("controllers", controllers), ("subtree_control", ""), ("procs", pids)):
            (folder / f"cgroup.{name}").write_text(text)
        if path:
            (folder / "cgroup.type").write_text("domain")
        return folder

    def order(self, file: Path, text: str) -> None:
        group = file.parent
        if file.name == "cgroup.procs":
            for other in self.top.rglob("cgroup.procs"):
                other.write_text(" ".join(pid for pid in other.read_text().split() if pid != text))
            file.write_text(f"{file.read_text() if file.exists() else ''} {text}".strip())
        elif (group / "cgroup.type").exists() and (group / "cgroup.procs").read_text().split():
            raise OSError(errno.EBUSY, "Device or resource busy")
        elif text[1:] in self.refuses:
            raise OSError(errno.EINVAL, "Invalid argument")
        else:
            file.write_text(f"{file.read_text()} {text[1:]}".strip())
            for below in group.glob("*/cgroup.controllers"):
                below.write_text(file.read_text())


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel(tmp_path)
    monkeypatch.setattr(cgroup_sites, "write_control", kernel.order)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return kernel


def version_2(kernel: Kernel, own: str) -> tuple[Hierarchy, ...]:
    return (Hierarchy(2, frozenset(), kernel.top, kernel.top / own),)


def test_a_worker_handed_a_group_moves_into_a_leaf_of_it(kernel: Kernel) -> None:
    kernel.group("", "cpu memory pids")
    unit = kernel.group("unit", "cpu memory pids", pids="11 12")
    (site,) = sites(version_2(kernel, "unit"), {})
    assert site == CgroupSite(CgroupLayout.V2, unit, unit, unit, unit)
    assert (unit / "cgroup.procs").read_text() == ""
    assert (unit / "worker/cgroup.procs").read_text() == "11 12"
    assert set((unit / "cgroup.subtree_control").read_text().split()) == {"cpu", "memory", "pids"}
    # Another process of the worker, asking later, finds itself in the leaf.
    kernel.group("unit/worker", "", pids="11 12")
    assert sites(version_2(kernel, "unit/worker"), {}) == [site]


def test_a_machine_that_gives_no_cpu_controller_gives_no_quota(kernel: Kernel) -> None:
    kernel.group("", "memory pids")
    kernel.group("unit", "memory pids", pids="11")
    (site,) = sites(version_2(kernel, "unit"), {})
    assert site.cpu is None


def test_a_cpu_controller_that_cannot_be_shared_is_done_without(kernel: Kernel) -> None:
    """As where processes with real-time priority run."""
    kernel.group("", "cpu memory pids")
    kernel.group("unit", "cpu memory pids")
    kernel.refuses = {"cpu"}
    (site,) = sites(version_2(kernel, "unit"), {})
    assert site.cpu is None
    kernel.refuses = {"memory"}
    kernel.group("unit", "cpu memory pids")
    assert "memory" in str(refused(SandboxUnavailable, sites, version_2(kernel, "unit"), {}))


def test_a_group_that_was_not_handed_over_is_refused_with_the_way(kernel: Kernel) -> None:
    kernel.group("", "cpu memory pids")
    unit = kernel.group("unit", "cpu memory pids", pids="11")
    (unit / "cgroup.type").unlink()
    with pytest.raises(SandboxUnavailable) as caught:
        sites(version_2(kernel, "unit"), {})
    assert "Delegate=yes" in caught.value.remedy
    assert (unit / "cgroup.procs").read_text() == "11"


@pytest.mark.parametrize(("name", "is_ours"), [("terminal.scope", False), ("made-by-hand", True)])
def test_a_login_session_is_not_divided_unasked(kernel: Kernel, name: str, is_ours: bool) -> None:
    """There a user may write to the groups of terminals and desktop, and yet they are systemd's."""
    kernel.group("", "cpu memory pids")
    kernel.group("user@1000.service", "cpu memory pids")
    own = kernel.group(f"user@1000.service/{name}", "cpu memory pids", pids="11 12")
    if is_ours:
        assert sites(version_2(kernel, f"user@1000.service/{name}"), {})[0].memory == own
        return
    with pytest.raises(SandboxUnavailable) as caught:
        sites(version_2(kernel, f"user@1000.service/{name}"), {})
    assert "Delegate=yes" in caught.value.remedy
    assert (own / "cgroup.procs").read_text() == "11 12"


def test_a_group_without_memory_is_refused(kernel: Kernel) -> None:
    kernel.group("", "hugetlb")
    kernel.group("unit", "hugetlb", pids="11")
    assert "memory" in str(refused(SandboxUnavailable, sites, version_2(kernel, "unit"), {}))


def test_root_in_a_group_that_is_not_its_own_makes_one_at_the_top(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.group("", "cpu memory pids", pids="1")
    session = kernel.group("session", "", pids="11")
    kernel.group("rensho", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (site,) = sites(version_2(kernel, "session"), {})
    assert site.memory == kernel.top / "rensho"
    assert (session / "cgroup.procs").read_text() == "11"


def test_a_named_group_of_version_2_is_used_as_it_is(kernel: Kernel) -> None:
    kernel.group("", "cpu memory pids")
    given = kernel.group("given", "cpu memory pids")
    kernel.group("given/worker", "", pids="11")
    (site,) = sites(version_2(kernel, "given/worker"), {"SANDBOX_CGROUP": "/given"})
    assert site.memory == given
    with pytest.raises(SandboxUnavailable, match="/absent"):
        sites(version_2(kernel, "given/worker"), {"SANDBOX_CGROUP": "/absent"})


USER = """
import json
from referee.sandbox import probe
found = probe()
print(json.dumps([found.level.name, found.cgroup, [list(failure) for failure in found.failures]]))
"""


@pytest.fixture
def as_user() -> Iterator[Callable[..., list[object]]]:
    """What the probe tells an ordinary user; the runtimes are root's, so that none is built again."""
    with folder_in_memory("user") as place:
        yield functools.partial(_ask, place, _of_an_ordinary_user(place))


def _of_an_ordinary_user(place: Path) -> list[str]:
    (place / "runtimes").mkdir()
    link_trees(place)
    # Copies, since the folder of the repository may be closed to others, such as below /root.
    for package in ("platform/referee", "engine", "bots"):
        shutil.copytree(ROOT / package, place / "code" / Path(package).name)
    ids: list[str] = []
    if os.geteuid() == 0:
        for path in (place, place / "runtimes"):
            os.chown(path, ordinary_uid(), ordinary_uid())
        ids = ["setpriv", f"--reuid={ordinary_uid()}", f"--regid={ordinary_uid()}", "--clear-groups", "--"]
    return ids


def _ask(place: Path, ids: list[str], **env: str) -> list[object]:
    done = subprocess.run(
        [*ids, os.path.realpath(sys.executable), "-c", USER],
        env={
            "PATH": os.environ["PATH"],
            "RENSHO_STAGE": str(place),
            "PYTHONPATH": f"{place / 'code'}:{libraries_of(place)}",
            **env,
        },
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_an_ordinary_user_without_a_group_is_told_how_to_get_one(
    as_user: Callable[..., list[object]],
) -> None:
    level, words, failures = as_user()
    if level == "FULL":
        assert os.geteuid() != 0, "root's groups are not for ordinary users"
    else:
        assert (level, words) == ("FULL1", "")
        assert "chown" in str(failures)


def test_switched_off_is_told_as_such(as_user: Callable[..., list[object]]) -> None:
    level, words, failures = as_user(SANDBOX_CGROUP="off")
    assert (level, words) == ("FULL1", "")
    assert "SANDBOX_CGROUP=off" in str(failures)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])
def test_root_and_ordinary_users_get_what_they_should(mode: Mode) -> None:
    """FULL wherever groups can be written or handed over, with nothing more to wish for."""
    why = refusal(mode)
    if why:
        is_named = "SANDBOX_CGROUP" in os.environ  # Whoever runs the tests was given a group by hand.
        assert (mode.is_root and os.geteuid() != 0) or is_named or not working_places(), why
        return
    outcome = play_mode(mode, "--probe")
    assert outcome.level == ("FULL" if mode.has_cgroup else "FULL1")
    assert bool(outcome.failures) != mode.has_cgroup
