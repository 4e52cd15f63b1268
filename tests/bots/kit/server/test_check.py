"""`rensho check` with a login: the versions of its runtime, compared with those of the server's workers."""

import json

import pytest

from arena.matches.workers import worker_heartbeat
from bots.kit.local.new import create_bot
from referee.runtimes import host_runtime

pytestmark = pytest.mark.full
HERE = dict(host_runtime("python/1").versions)


def a_worker(name, **versions):
    worker_heartbeat(name, "FULL", {"python/1": "0"}, 1, versions={"python/1": {**HERE, **versions}})


@pytest.fixture
def mine(tmp_path):
    return create_bot(tmp_path / "mine", "kakeya4").folder


def check(run, bot):
    status, out, err = run("check", bot, "--no-sandbox", "--json")
    assert status == 0
    return json.loads(out), err


def test_versions_that_differ_from_the_server_s_are_named(run, public, mine):
    a_worker("one", python="3.99.1")
    a_worker("two", python="3.99.0")
    report, err = check(run, mine)
    assert report["bot"]["versions"] == HERE
    assert report["server_versions"]["python"] == ["3.99.0", "3.99.1"]
    assert "3.99.0 or 3.99.1" in err
    assert "numpy" not in err


def test_equal_versions_and_servers_without_workers_need_no_note(run, public, mine):
    assert check(run, mine)[1] == ""
    a_worker("one")
    a_worker("two", python="3.99.0")
    assert check(run, mine)[1] == ""


def test_without_a_server_the_check_is_the_same(run, mine, monkeypatch):
    monkeypatch.delenv("RENSHO_URL", raising=False)
    report, err = check(run, mine)
    assert (report["accepted"], report["server_versions"], err) == (True, {}, "")
    monkeypatch.setenv("RENSHO_URL", "http://127.0.0.1:1")
    report, err = check(run, mine)
    assert report["accepted"]
    assert "127.0.0.1:1" in err
