"""What a machine offers bots, and what it says of what it cannot."""

from __future__ import annotations

import dataclasses
import platform

import numpy
import pytest

from referee import capability
from referee.capability import RuntimeOffer, offer_named, offers
from referee.errors import OrderInvalid, SandboxUnavailable
from referee.runtimes import all_recipes, recipe_named, runtime_named
from referee.runtimes.recipe import StartTest
from referee.sandbox import Failure, Level, ProbeResult, probe


@pytest.fixture
def afresh():
    """The answers of a test are nobody else's."""
    capability._offer.cache_clear()
    yield
    capability._offer.cache_clear()


def try_first(monkeypatch, source):
    """Have python/1 tried by a bot of this source."""
    trial = StartTest("first.py", source.encode(), "Install another")
    recipe = dataclasses.replace(recipe_named("python/1"), trial=trial)
    monkeypatch.setattr(capability, "recipe_named", {"python/1": recipe}.__getitem__)


def found(level, *failures):
    return ProbeResult(level, failures, None, None)


@pytest.mark.full
def test_every_runtime_is_offered_or_refused_with_a_remedy():
    assert tuple(offer.name for offer in offers()) == tuple(all_recipes())
    for offer in offers():
        assert bool(offer.digest) != bool(offer.refusal)
        assert bool(offer.refusal) == bool(offer.remedy)


@pytest.mark.full
def test_python_is_offered_wherever_bots_may_run():
    runtime = runtime_named("python/1")
    assert offer_named("python/1") == RuntimeOffer("python/1", runtime.digest, "", "", runtime.versions)
    assert runtime.versions == {"python": platform.python_version(), "numpy": numpy.__version__}


def test_a_runtime_that_is_none_is_named():
    with pytest.raises(OrderInvalid, match=r"'perl/5'.*python/1"):
        offer_named("perl/5")


def test_a_machine_without_a_sandbox_offers_nothing_and_says_why(monkeypatch, afresh):
    failure = Failure("cannot make a user namespace", "Allow them.")
    monkeypatch.setattr(capability, "probe", lambda: found(Level.NONE, failure))
    for offer in offers():
        assert offer.digest == ""
        assert "level NONE" in offer.refusal
        assert "FULL1" in offer.refusal
        assert "user namespace" in offer.refusal
        assert offer.remedy == "Allow them."


def test_a_setting_that_is_none_is_told_not_raised(monkeypatch, afresh):
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "HIGH")
    monkeypatch.setattr(capability, "probe", lambda: found(Level.FULL))
    assert {offer.refusal for offer in offers()} == {"SANDBOX_MIN_LEVEL is 'HIGH'"}
    monkeypatch.setenv("SANDBOX_MIN_LEVEL", "FULL1")
    assert offers()[0].refusal == "", "what was found under one level says nothing of another"


@pytest.mark.parametrize("error", [SandboxUnavailable("no interpreter", "Install it."), OSError("disk full")])
def test_a_tree_that_cannot_be_built_is_told_not_raised(monkeypatch, afresh, error):
    def broken(name, artifact=""):
        raise error

    monkeypatch.setattr(capability, "runtime_named", broken)
    monkeypatch.setattr(capability, "probe", lambda: found(Level.FULL))
    for offer in offers():
        assert offer.digest == ""
        assert offer.remedy
        assert "no interpreter" in offer.refusal or "disk full" in offer.refusal


@pytest.mark.full
def test_offers_are_found_once_and_anew_if_asked(monkeypatch, afresh):
    asked = []

    def counted(force=False):
        asked.append(force)
        return probe(force)

    monkeypatch.setattr(capability, "probe", counted)
    offers()
    offers()
    assert asked == [False] * len(all_recipes())
    offers(again=True)
    assert asked == [False] * len(all_recipes()) + [True] + [False] * len(all_recipes())


@pytest.mark.full
def test_one_offer_looks_at_one_runtime(monkeypatch, afresh):
    asked = []

    def noted(name, artifact=""):
        asked.append(name)
        return runtime_named(name)

    monkeypatch.setattr(capability, "runtime_named", noted)
    offer_named("binary/1")
    assert asked == ["binary/1"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import sys\nsys.exit('no such builtin')", "no such builtin"),
        ("print('hello')\ninput()", "it said b'hello'"),
    ],
)
def test_an_interpreter_that_does_not_start_is_not_offered(monkeypatch, afresh, source, words):
    """Its bots would be blamed for what it lacks."""
    try_first(monkeypatch, source)
    offer = offer_named("python/1")
    assert offer.digest == ""
    assert "python/1" in offer.refusal
    assert words in offer.refusal
    assert "rebuild" in offer.remedy


@pytest.mark.full
def test_an_interpreter_that_starts_is_offered(monkeypatch, afresh):
    try_first(monkeypatch, "print('here')\ninput()\n")
    assert offer_named("python/1").digest
