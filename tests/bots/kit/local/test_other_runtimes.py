"""Bots that are no Python, with the commands of the kit: in the sandbox and without."""

import json

import pytest

from bots.kit.errors import ENVIRONMENT_FAILURE
from referee.capability import offers
from referee.errors import SandboxUnavailable
from referee.runtimes import host_runtime
from referee.runtimes.recipes import node1
from tests.referee.foreign import EXAMPLES, compiled, is_here

pytestmark = pytest.mark.full

NODE = 'name = "js"\nruntime = "node/1"\nentry_point = "main.js"\n'
PROGRAM = 'name = "c"\nruntime = "binary/1"\nentry_point = "bot"\n'
FAULTY = """\
const lines = require("node:readline").createInterface({ input: process.stdin });
let asked = 0;
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log('{"type":"ready"}');
  if (message.type !== "request") return;
  asked += 1;
  if (asked === 20) message.plan.length;
  console.log(JSON.stringify({ id: message.id, action: message.legal[0] }));
});
"""


@pytest.fixture
def javascript(tmp_path):
    """A bot on node that fails at its twentieth request."""
    folder = tmp_path / "js"
    folder.mkdir()
    (folder / "rensho.toml").write_text(NODE)
    (folder / "main.js").write_text(FAULTY)
    return folder


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory):
    """The example in C, built."""
    folder = tmp_path_factory.mktemp("c")
    program = compiled(folder, (EXAMPLES / "c" / "bot.c").read_text(), "-static")
    home = folder / "bot"
    home.mkdir()
    (home / "rensho.toml").write_text(PROGRAM)
    (home / "bot").write_bytes(program)
    return home


def has_node():
    try:
        host_runtime("node/1")
    except SandboxUnavailable:
        return False
    return True


def played(rensho, bot, *walls):
    summary = rensho.json("play", bot, "house:greedy", "--boards", 2, *walls)
    assert summary["sides"][0]["faults"] == {}
    assert summary["sides"][0]["decisions"] > 20
    return summary


@pytest.mark.parametrize("runtime", ["binary/1", "node/1"])
def test_a_bot_plays_in_the_sandbox_and_without_alike(rensho, request, runtime):
    if not is_here(runtime):
        return
    bot = EXAMPLES / "javascript" if runtime == "node/1" else request.getfixturevalue("c_bot")
    walled, bare = played(rensho, bot), played(rensho, bot, "--no-sandbox")
    assert walled["record_sha256s"] == bare["record_sha256s"]
    rensho.prints("check", bot)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("walls", [[], ["--no-sandbox"]])
def test_a_fault_on_node_names_its_line_and_is_reproduced(rensho, javascript, tmp_path, walls):
    if not (has_node() if walls else is_here("node/1")):
        return
    words = ("--boards", 2, "--record", tmp_path / "rec", *walls)
    assert rensho("play", javascript, "house:greedy", *words)[0] == 1
    file = sorted((tmp_path / "rec").glob("*.fault-1.json"))[0]
    now = rensho.json("reproduce", file, javascript, *walls, status=1)["now"]
    assert (now["verdict"], now["is_same"]) == ("CRASHED", True)
    assert "'length') (main.js, line 8)" in now["conclusion"]
    (javascript / "main.js").write_text(FAULTY.replace("message.plan.length", "{}"))
    assert rensho.json("reproduce", file, javascript, *walls)["now"]["verdict"] == "OK"


def test_a_sandbox_too_weak_for_a_runtime_is_told_with_the_remedy(rensho, javascript, monkeypatch):
    monkeypatch.setenv("SANDBOX_CGROUP", "off")
    offers(again=True)
    try:
        names = ("node/1", "SANDBOX_CGROUP", "--no-sandbox")
        rensho.refuses("play", javascript, "house:greedy", names=names, status=ENVIRONMENT_FAILURE)
        status, out, _ = rensho("check", javascript, "--json")
        assert (status, json.loads(out)["platform_cause"]) == (ENVIRONMENT_FAILURE, "runtime")
    finally:
        monkeypatch.undo()
        offers(again=True)


def test_without_node_the_missing_program_is_named(rensho, javascript, monkeypatch):
    monkeypatch.setenv(node1.SETTING, "/nowhere/node")
    words = ("play", javascript, "house:greedy", "--no-sandbox")
    rensho.refuses(*words, names=("node/1", "/nowhere/node"), status=ENVIRONMENT_FAILURE)
