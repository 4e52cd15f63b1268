"""What a worker says of itself, and what the demo makes of it."""

from __future__ import annotations

import pytest

from arena.tables.readiness import Readiness, readiness_find
from benchmarks.demo import command as demo
from referee.capability import RuntimeOffer
from referee.sandbox import Failure, Level, ProbeResult

pytestmark = pytest.mark.django_db

PYTHON = RuntimeOffer("python/1", "a" * 64, "", "")
BINARY = RuntimeOffer("binary/1", "c" * 64, "", "")
NO_NODE = RuntimeOffer("node/1", "", "node/1 needs a cgroup", "Give the worker one.")
NO_PYTHON = RuntimeOffer("python/1", "", "no numpy", "Install it.")
LACKS_CGROUP = Failure("cannot make control groups", "Run the worker as root.")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, settings):
    """A machine that offers these runtimes."""

    def offering(
        *offers: RuntimeOffer, level: Level = Level.FULL1, chosen: tuple[str, ...] = ()
    ) -> Readiness:
        settings.WORKER_RUNTIMES = chosen
        found = ProbeResult(level, (LACKS_CGROUP,), None, None)
        monkeypatch.setattr("arena.tables.readiness.probe", lambda: found)
        monkeypatch.setattr("arena.tables.readiness.offers", lambda again=False: offers)
        return readiness_find(again=True)

    return offering


def test_a_worker_is_ready_with_python_alone_and_says_what_it_lacks(machine) -> None:
    found = machine(PYTHON, NO_NODE, BINARY)
    assert found.is_ready
    assert found.runtimes == {"python/1": "a" * 64, "binary/1": "c" * 64}
    assert found.refusal == ""
    assert found.detail == "node/1: node/1 needs a cgroup. Give the worker one."


def test_without_python_nothing_is_offered(machine) -> None:
    found = machine(NO_PYTHON, NO_NODE, BINARY)
    assert not found.is_ready
    assert found.runtimes == {}
    assert found.refusal == "no numpy. Install it. cannot make control groups. Run the worker as root."


def test_a_worker_offers_no_more_than_it_is_told_to(machine) -> None:
    found = machine(PYTHON, NO_NODE, BINARY, chosen=("binary/1",))
    assert (found.is_ready, list(found.runtimes), found.detail) == (True, ["binary/1"], "")
    found = machine(PYTHON, NO_NODE, BINARY, chosen=("node/1",))
    assert (found.is_ready, found.runtimes) == (False, {})
    assert "Give the worker one." in found.refusal
    found = machine(PYTHON, NO_NODE, BINARY, chosen=("cobol/1",))
    assert "cobol/1" in found.refusal


def said(monkeypatch: pytest.MonkeyPatch, found: Readiness) -> tuple[object, list[str]]:
    """What the demo adds to the site's environment, and what it says before and after the site is up."""
    command, lines = demo.Command(), []
    monkeypatch.setattr(demo, "readiness_find", lambda *, again=False: found)
    monkeypatch.setattr(command, "_say", lambda who, text, style="": lines.append(text))
    command.console = type("Console", (), {"print": lambda _, text: lines.append(str(text))})()
    try:
        extra = command._sandbox()
        command._runtimes()
        return extra, lines
    except SystemExit as end:
        return end.code, lines


def test_the_demo_runs_house_bots_at_compat_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    extra, lines = said(monkeypatch, Readiness("COMPAT", {}, ("cannot mount proc. Unmask it.",)))
    assert extra == {"SANDBOX_MIN_LEVEL": "COMPAT"}
    assert "COMPAT" in lines[0]
    assert "cannot mount proc. Unmask it." in lines


def test_the_demo_ends_with_the_remedy_where_bots_cannot_be_run(monkeypatch: pytest.MonkeyPatch) -> None:
    code, lines = said(monkeypatch, Readiness("NONE", {}, ("bubblewrap not found. Install it.",)))
    assert code == 3
    assert "bubblewrap not found. Install it." in " ".join(lines)


def test_the_demo_tells_level_and_runtimes(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = Readiness("FULL1", {"python/1": "a"}, (), ("node/1: node/1 needs a cgroup. Give it one.",))
    extra, lines = said(monkeypatch, ready)
    assert extra == {}
    assert lines == ["level FULL1", "python/1", "without node/1: node/1 needs a cgroup. Give it one."]
