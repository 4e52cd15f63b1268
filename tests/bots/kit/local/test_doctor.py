"""`rensho doctor`: what a machine can do, what it lacks, and the remedy for each."""

import json

import pytest

from bots.kit.local.doctor import SANDBOX_FAILS, SANDBOX_WORKS
from referee.capability import offers
from referee.runtimes import all_recipes
from referee.sandbox import probe

pytestmark = pytest.mark.full


@pytest.fixture
def anew(monkeypatch):
    """The machine looked at again afterwards, as it is."""
    yield
    monkeypatch.undo()
    offers(again=True)


@pytest.fixture
def seen(rensho):
    """What the doctor finds, by part, and its status."""

    def look():
        status, out, err = rensho("doctor", "--json")
        assert err == ""
        report = json.loads(out)
        parts = {}
        for finding in report["findings"]:
            parts.setdefault(finding["part"], []).append(finding)
        return status, report["can_sandbox"], parts

    return look


def test_a_machine_with_a_sandbox_is_told_so(rensho, seen):
    status, can, parts = seen()
    found = probe()
    assert (status, can) == (0, True)
    assert parts["sandbox"][0]["detail"].startswith(f"level {found.level.name}, required ")
    assert parts["bubblewrap"][0]["detail"] == f"{found.bwrap_path}, version {found.bwrap_version}"
    assert [parts[name][0]["part"] for name in all_recipes()] == list(all_recipes())
    assert [(step["detail"], step["remedy"]) for step in parts.get("step", [])] == list(found.failures)
    for offer in offers():
        (row,) = parts[offer.name]
        assert row["remedy"] == offer.remedy
        assert (offer.refusal or offer.digest[:12]) in row["detail"]
    out = rensho("doctor")[1]
    assert out.endswith(f"\n{SANDBOX_WORKS}\n")
    assert "ok  Python " in out
    assert "ok  cores " in out


@pytest.mark.parametrize(("is_compiled", "state"), [(True, "ok"), (False, "lacks")])
def test_a_kernel_that_is_not_compiled_is_told(seen, monkeypatch, is_compiled, state):
    monkeypatch.setattr("engine.kernel.is_compiled", is_compiled)
    (row,) = seen()[2]["kernel"]
    assert (row["state"], bool(row["remedy"])) == (state, not is_compiled)


def test_a_level_that_is_not_reached_names_the_step_and_the_remedy(seen, anew, monkeypatch):
    monkeypatch.setenv("SANDBOX_CGROUP", "off")
    offers(again=True)
    status, can, parts = seen()
    assert (status, can) == (0, True)
    (step,) = parts["step"]
    assert "SANDBOX_CGROUP" in step["detail"]
    assert "SANDBOX_CGROUP" in step["remedy"]
    states = [parts[name][0]["state"] for name in ("step", "cgroup", "python/1", "node/1")]
    assert states == ["lacks", "lacks", "ok", "lacks"]
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "FULL")
    status, can, parts = seen()
    assert (status, can, parts["step"][0]["state"]) == (3, False, "bars")
    assert "SANDBOX_MIN_LEVEL=FULL1" in parts["sandbox"][0]["remedy"]


def test_a_kernel_that_does_not_tell_of_waits_is_no_obstacle(seen, monkeypatch):
    assert seen()[2]["waits"][0]["state"] == "ok"
    found = probe()._replace(measures_run_delay=False)
    monkeypatch.setattr("bots.kit.local.doctor.probe", lambda: found)
    status, can, parts = seen()
    (row,) = parts["waits"]
    assert (status, can, row["state"], "hidepid" in row["remedy"]) == (0, True, "lacks", True)


@pytest.mark.parametrize(
    ("setting", "value", "barred", "culprit"),
    [
        ("SANDBOX_BWRAP", "/nowhere/bwrap", ["bubblewrap", "step", "python/1"], "/nowhere/bwrap"),
        ("RENSHO_STAGE", "/dev/null/stage", ["staging"], "RENSHO_STAGE"),
        ("SANDBOX_MIN_LEVEL", "SOME", ["sandbox"], "SOME"),
    ],
)
def test_what_bars_the_sandbox_is_named(rensho, seen, anew, monkeypatch, setting, value, barred, culprit):
    monkeypatch.setenv(setting, value)
    offers(again=True)
    status, can, parts = seen()
    assert (status, can) == (3, False)
    assert [parts[name][0]["state"] for name in barred] == ["bars"] * len(barred)
    assert any(culprit in row["detail"] + row["remedy"] for name in barred for row in parts[name])
    assert "python/1" in parts["no sandbox"][0]["detail"]
    assert SANDBOX_FAILS in rensho.prints("doctor", status=3)
