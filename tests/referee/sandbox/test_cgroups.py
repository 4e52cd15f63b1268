"""Control groups as this machine has them: what they count, cap, stop and end, and what is left of them.

Where the machine or the user has none to give, the same tests demand the refusal and its remedy.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.contract import Limits
from referee.driver import DriverFault, ExitReason
from referee.runtimes import Runtime, runtime_named
from referee.sandbox import Level, control_files, janitor
from referee.sandbox.cgroup_sites import CgroupLayout, CgroupSite, hierarchies, sites
from referee.sandbox.cgroups import CHAIN_TASKS, PREFIX, Cgroup
from referee.sandbox.child import wait_readable
from referee.sandbox.launch import SandboxedProcess, SandboxLaunch, launch_sandbox
from referee.sandbox.owner import owner_mark
from tests.referee.sandbox.cases import PATIENCE_S, has_stopped, wait_until
from tests.referee.sandbox.grouping import working_places
from tests.refusals import refusal

pytestmark = pytest.mark.full

BOT = """
import os, sys, time
def balloon():
    taken = []
    while True:
        taken.append(b"x" * (1 << 20))
def shared():
    import mmap
    taken = mmap.mmap(-1, 300 << 20)
    for at in range(0, len(taken), 4096):
        taken[at] = 1
def forks():
    count = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(1000)
            count += 1
    except OSError:
        print(count, flush=True)
def spins():
    os.fork()
    while True:
        pass
def exits():
    os._exit(3)
act = sys.stdin.readline().strip()
print("ready", flush=True)
globals()[act]()
sys.stdin.read()
"""


def named_folders() -> set[Path]:
    """Every control group of this very process, in every tree."""
    mark = f"{PREFIX}{owner_mark()}-"
    tops = {tree.mount for tree in hierarchies()}
    return {
        Path(folder, name)
        for top in tops
        for folder, names, _ in os.walk(top)
        for name in names
        if name.startswith(mark)
    }


MADE: list[SandboxLaunch | SandboxedProcess] = []


@pytest.fixture(autouse=True)
def _no_group_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ends the boxes of a test that failed half way, and their groups; the others have ended theirs."""
    failures = request.session.testsfailed
    yield
    while MADE:
        end(MADE.pop())
    left = named_folders()
    for folder in left:
        control_files.kill_one_by_one(folder)
        control_files.remove_group(folder, PATIENCE_S)
    if request.session.testsfailed == failures:
        assert left == set()


def end(made: SandboxLaunch | SandboxedProcess) -> None:
    if isinstance(made, SandboxLaunch):
        made.abandon()
    elif made._process.returncode is None:
        made.finish(died=False)


@pytest.fixture
def places() -> list[CgroupSite]:
    return working_places()


@pytest.fixture
def bundle(staged: Path) -> Path:
    folder = staged / "grouped"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / "main.py").write_text(BOT)
    return folder


def single() -> Runtime:
    return runtime_named("python/1")


def several() -> Runtime:
    return single()._replace(single_process=False, needs_cgroup=True)


def started(bundle: Path, runtime: Runtime, act: str, limits: Limits | None = None) -> SandboxedProcess:
    """A box past its gate whose bot has said that it is ready and now does ``act``."""
    limits = limits or Limits(memory_bytes=64 << 20, threads=8)
    box = launch_sandbox(
        bundle, runtime, "main.py", limits, cpu_limit_s=20, level=Level.FULL, label="bot"
    ).admit()
    MADE.append(box)
    os.write(box.stdin, f"{act}\n".encode())
    assert read_line(box) == b"ready"
    return box


def read_line(box: SandboxedProcess) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        assert wait_readable([box.stdout], 30), "no word from the bot"
        byte = os.read(box.stdout, 1)
        assert byte, "the bot has ended"
        line += byte
    return line[:-1]


@pytest.fixture
def each_place(places: list[CgroupSite], monkeypatch: pytest.MonkeyPatch) -> Iterator[CgroupSite]:
    """Boxes get their groups in one arrangement after the other."""

    def go() -> Iterator[CgroupSite]:
        for site in places:
            monkeypatch.setattr("referee.sandbox.launch.cgroup_site", lambda site=site: site)
            yield site

    return go()


@pytest.mark.parametrize("act", ["balloon", "shared"])
@pytest.mark.parametrize("runtime", [single, several])
def test_memory_is_counted_and_ends_the_bot(
    each_place: Iterator[CgroupSite], bundle: Path, runtime: Callable[[], Runtime], act: str
) -> None:
    for _ in each_place:
        box = started(bundle, runtime(), act)
        assert box.exit_fd is not None
        assert wait_readable([box.exit_fd], 30)
        peak = box.peak_bytes()
        ended = box.finish(died=True)
        assert ended.reason is ExitReason.MEMORY, ended
        assert "64 MiB" in ended.detail
        assert 50 << 20 < peak <= 64 << 20
        assert box.is_group_removed


def test_what_the_runtime_takes_comes_on_top(each_place: Iterator[CgroupSite]) -> None:
    for site in each_place:
        group = Cgroup(site, Limits(memory_bytes=64 << 20), single()._replace(own_memory_bytes=32 << 20))
        name = "memory.max" if site.kind is CgroupLayout.V2 else "memory.limit_in_bytes"
        try:
            assert int((site.memory / group.name / name).read_text()) == 96 << 20
        finally:
            assert group.remove()


def test_processes_are_limited_to_what_the_limits_say(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    for _ in each_place:
        box = started(bundle, several(), "forks")
        assert int(read_line(box)) + 1 == 8
        assert box.refused_starts() > 0
        assert box.finish(died=False).reason is ExitReason.CLOSED
        assert box.is_group_removed


def test_a_single_process_joins_memory_alone(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    for site in each_place:
        box = started(bundle, single(), "forks")
        assert read_line(box) == b"0"
        assert {folder.parent for folder in named_folders()} == {site.memory}
        box.finish(died=False)


def test_frozen_processes_use_no_cpu_and_thawed_ones_do(
    each_place: Iterator[CgroupSite], bundle: Path
) -> None:
    for _ in each_place:
        box = started(bundle, several(), "spins")
        begun = box.cpu_ms()
        assert wait_until(lambda: box.cpu_ms() > begun + 20)  # noqa: B023
        assert box.can_run()
        box.freeze()
        assert wait_until(lambda: not box.can_run())  # noqa: B023
        assert has_stopped(box.cpu_ms)
        at_rest = box.cpu_ms()
        box.thaw()
        assert wait_until(lambda: box.cpu_ms() > at_rest + 20)  # noqa: B023
        box.freeze()
        assert box.finish(died=False).reason is ExitReason.CLOSED
        assert box.is_group_removed


def test_the_chain_is_not_charged_to_the_bot(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    for _ in each_place:
        launch = launch_sandbox(
            bundle, several(), "main.py", Limits(), cpu_limit_s=20, level=Level.FULL, label="bot"
        )
        box = launch.admit()
        MADE.append(box)
        assert box._freezer is not None
        assert box._chain_cpu_ms > 0
        assert box.cpu_ms() <= box._freezer.cpu_ms() - box._chain_cpu_ms
        box.finish(died=False)


def test_an_end_of_its_own_is_told_as_such(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    for _ in each_place:
        for runtime in (single(), several()):
            box = started(bundle, runtime, "exits")
            assert box.exit_fd is not None
            assert wait_readable([box.exit_fd], 30)
            ended = box.finish(died=True)
            assert (ended.reason, ended.exit_code) == (ExitReason.CRASHED, 3)


def test_threads_of_every_process_are_pinned(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    core = max(os.sched_getaffinity(0))
    for _ in each_place:
        box = started(bundle, several(), "forks")
        read_line(box)
        assert box._freezer is not None
        pids = box._freezer.pids()
        assert len(pids) == 8 + CHAIN_TASKS
        box.pin({core})
        assert all(os.sched_getaffinity(pid) == {core} for pid in pids)
        assert "Invalid argument" in str(refusal(OSError, box.pin, {1023}))
        box.finish(died=False)


def test_an_abandoned_launch_leaves_no_group(each_place: Iterator[CgroupSite], bundle: Path) -> None:
    for _ in each_place:
        launch = launch_sandbox(
            bundle, several(), "main.py", Limits(), cpu_limit_s=20, level=Level.FULL, label="bot"
        )
        MADE.append(launch)
        assert named_folders()
        launch.abandon()
        assert not named_folders()
        launch.abandon()


def test_a_group_that_cannot_be_joined_is_our_fault(
    each_place: Iterator[CgroupSite], bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in each_place:
        with monkeypatch.context() as patch:
            patch.setattr(Cgroup, "join_files", ("/no/such/group/cgroup.procs",))
            with pytest.raises(DriverFault, match="/no/such/group") as caught:
                started(bundle, single(), "exits")
        assert caught.value.reason is ExitReason.INFRA


def test_a_group_that_cannot_be_made_is_our_fault(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A plain folder has no control files; nothing of the attempt stays."""
    site = CgroupSite(CgroupLayout.V2, tmp_path, tmp_path, None, tmp_path)
    monkeypatch.setattr("referee.sandbox.launch.cgroup_site", lambda: site)
    with pytest.raises(DriverFault, match=r"memory\.max") as caught:
        launch_sandbox(bundle, single(), "main.py", Limits(), cpu_limit_s=5, level=Level.FULL, label="bot")
    assert caught.value.reason is ExitReason.INFRA
    assert list(tmp_path.iterdir()) == []


WORKER = """
import os, subprocess, sys, time
from referee.contract import Limits
from referee.runtimes import Runtime
from referee.sandbox.cgroups import Cgroup, cgroup_site, join_script
from referee.sandbox.cgroup_sites import hierarchies
from referee.sandbox.cgroup_sites import sites
from pathlib import Path
site = sites(hierarchies())[int(sys.argv[1])]
group = Cgroup(site, Limits(), Runtime("r", "", Path("/"), (), (), {}, single_process=False))
words = join_script(group.join_files) + "; exec sleep 1000"
left = subprocess.Popen(["sh", "-c", words], start_new_session=True, stdout=2)
while Path(f"/proc/{left.pid}/comm").read_text() != "sleep\\n":
    time.sleep(0.005)
group.freezer.freeze()
print(group.name, left.pid, flush=True)
sys.stdin.read()
"""


def test_the_janitor_ends_and_removes_what_a_dead_worker_left(places: list[CgroupSite]) -> None:
    """Frozen, too: what the freezer of version 1 holds cannot be killed before it is thawed."""
    for number, site in enumerate(sites(hierarchies()) if places else []):
        if site not in places:
            continue
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        )
        assert worker.stdout is not None
        name, pid = worker.stdout.readline().split()
        folders = {folder / name for folder in site[1:] if folder is not None}
        assert not [line for line in janitor() if name in line]
        assert all(folder.is_dir() for folder in folders)
        worker.kill()
        worker.communicate(timeout=60)
        done = janitor()
        # Another process's janitor may have been here first.
        assert {line.split()[3].rstrip(",") for line in done if name in line} <= {str(f) for f in folders}
        assert not any(folder.exists() for folder in folders)
        assert wait_until(lambda: not is_running(int(pid)))  # noqa: B023
        assert not [line for line in janitor() if name in line]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "XZ"
    except OSError:
        return False


@pytest.mark.parametrize(
    "form", [f"{PREFIX}1.{{}}.1-1", f"{PREFIX}nonsense{{}}", "rensho{}", f"{PREFIX}-{{}}"]
)
def test_the_janitor_leaves_what_is_not_known_to_be_orphaned(places: list[CgroupSite], form: str) -> None:
    """Marks of another process namespace above all."""
    name = form.format(os.getpid())
    for site in places[:1]:
        folder = site.memory / name
        try:
            folder.mkdir()
            assert not [line for line in janitor() if name in line]
            assert folder.is_dir()
        finally:
            folder.rmdir()


def test_a_frozen_box_ends_with_the_worker(places: list[CgroupSite], bundle: Path) -> None:
    """Killed while its bot is frozen: the kernel ends the chain, the janitor removes the group."""
    for number, site in enumerate(sites(hierarchies()) if places else []):
        if site not in places:
            continue
        worker = subprocess.Popen(
            [sys.executable, "-c", FREEZER, str(bundle), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        )
        assert worker.stdout is not None
        name, pid = worker.stdout.readline().split()
        worker.send_signal(signal.SIGKILL)
        worker.communicate(timeout=60)
        janitor()
        folders = [folder / name for folder in site[1:] if folder is not None]
        assert not any(folder.exists() for folder in folders)
        assert wait_until(lambda: not is_running(int(pid)))  # noqa: B023


FREEZER = """
import sys
from pathlib import Path
from referee.contract import Limits
from referee.runtimes import runtime_named
from referee.sandbox import Level, launch
from referee.sandbox.cgroup_sites import hierarchies
from referee.sandbox.cgroup_sites import sites
site = sites(hierarchies())[int(sys.argv[2])]
launch.cgroup_site = lambda: site
several = runtime_named("python/1")._replace(single_process=False, needs_cgroup=True)
limits = {"cpu_limit_s": 20, "level": Level.FULL, "label": "bot"}
held = launch.launch_sandbox(Path(sys.argv[1]), several, "main.py", Limits(), **limits).admit()
held.freeze()
print(held._group.name, held.pid, flush=True)
sys.stdin.read()
"""
