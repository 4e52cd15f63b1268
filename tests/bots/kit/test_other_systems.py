"""Where there is no Linux: the kit plays without a sandbox, or says in one line what it needs."""

import json
import os
import subprocess
import sys

import pytest

from tests.bots.kit.conftest import CRASHES

LIKE_MACOS = """\
import os, select, signal, socket, sys
sys.platform = "darwin"
# What macOS alone has, and urllib asks for there.
scproxy = type(sys)("_scproxy")
scproxy._get_proxy_settings = scproxy._get_proxies = dict
sys.modules["_scproxy"] = scproxy
for module, names in (
    (select, ("epoll",)),
    (socket, ("AF_NETLINK", "AF_PACKET")),
    (os, ("pidfd_open", "sched_getaffinity", "sched_setaffinity", "memfd_create", "setns", "unshare")),
    (signal, ("pidfd_send_signal",)),
):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""
LIKE_WINDOWS = """\
import os, sys
class NoUnix:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "termios", "resource", "pwd", "grp"):
            raise ModuleNotFoundError(f"this pretends to be Windows: no module named {name!r}")
sys.meta_path.insert(0, NoUnix())
os.name = "nt"
"""


@pytest.fixture
def pretending(tmp_path):
    """Runs the kit in an interpreter that takes itself for another system, and so do its children."""

    def call(pretence, *words):
        place = tmp_path / "pretence"
        place.mkdir(exist_ok=True)
        (place / "sitecustomize.py").write_text(pretence)
        path = os.pathsep.join([str(place), *sys.path[1:]])
        return subprocess.run(
            [sys.executable, "-m", "bots.kit.start", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.mark.full
@pytest.mark.parametrize("preset", ["kakeya4", "kakkuri"])
def test_a_match_is_played_without_what_only_linux_has(pretending, tmp_path, preset):
    made = json.loads(pretending(LIKE_MACOS, "new", "mine", "--preset", preset, "--json").stdout)
    words = [*made["play"].split()[1:], "--boards", "2", "--no-sandbox", "--json"]
    done = pretending(LIKE_MACOS, *words)
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert summary["boards"] == 2
    assert {json.dumps(side["faults"]) for side in summary["sides"]} == {"{}"}
    assert pretending(LIKE_MACOS, "check", "mine", "--preset", preset, "--no-sandbox").returncode == 0


@pytest.mark.parametrize(
    ("pretence", "walls", "names"),
    [(LIKE_MACOS, [], ("Linux", "--no-sandbox")), (LIKE_WINDOWS, ["--no-sandbox"], ("WSL",))],
)
def test_without_linux_one_line_says_what_to_use(pretending, pretence, walls, names):
    done = pretending(pretence, "play", "house:greedy", "house:rules", *walls)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert all(name in done.stderr for name in names)


@pytest.mark.full
def test_a_fault_is_reproduced_without_what_only_linux_has(pretending, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(CRASHES)
    check = pretending(LIKE_MACOS, "check", bot, "--no-sandbox", "--save-fault", tmp_path / "faults")
    assert check.returncode == 1
    (file,) = (tmp_path / "faults").iterdir()
    done = pretending(LIKE_MACOS, "reproduce", file, bot, "--no-sandbox", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads(done.stdout)["now"]["is_same"] is True


def test_the_doctor_says_what_the_system_lacks_and_what_runs_all_the_same(pretending):
    done = pretending(LIKE_MACOS, "doctor", "--json")
    assert (done.returncode, done.stderr) == (3, "")
    details = {row["part"]: row["detail"] for row in json.loads(done.stdout)["findings"]}
    assert "darwin" in details["sandbox"]
    assert "python/1" in details["no sandbox"]
    assert "binary/1" in details["no sandbox"]
