"""Experiments made and followed from the kit, on the platform itself."""

import json

import pytest

from arena.experiments.models import Experiment
from bots.kit.client import Client
from bots.kit.server.experiments import answer_text, progress_text
from tests import factories
from tests.arena.experiments.batches import BASELINE, was_played

pytestmark = pytest.mark.full


@pytest.fixture
def kita(site, aya):
    """A bot of one's own, version 1 active, version 2 uploaded since."""
    bot = factories.a_bot(aya, "kita")
    factories.a_version(bot)
    return factories.a_version(bot)


SMALL = ("--cap", "40", "--batch", "20")


def test_the_latest_version_is_tested_against_the_active_one(run, kita):
    status, out, err = run("experiment", "kita", *SMALL, "--difference", "0.3")
    assert (status, err) == (0, "")
    made = Experiment.objects.get()
    assert out == (
        "Is kita 2 better than kita 1? running. Follow it: "
        f"rensho experiments show {made.public_id} --follow\n"
    )
    assert (made.candidate, made.difference, made.cap, made.boards_per_batch) == (kita, 0.3, 40, 20)
    status, out, _ = run("experiments", "list")
    assert status == 0
    assert "kita 2 – kita 1" in out
    status, out, _ = run("experiments", "stop", made.public_id, "--reason", "enough")
    assert (status, out.startswith("Stopped after 0 boards (enough).")) == (0, True)


def test_it_is_followed_to_its_answer(run, site, aya, kita):
    factories.a_version(factories.a_bot(factories.ben(), "oni"))
    run("experiment", "kita@2", "ben/oni", *SMALL)
    made = Experiment.objects.get()
    # Its batch is played while the client waits to look again.
    with Client(site, factories.a_token(aya), sleep=lambda seconds: was_played(made, BASELINE)) as client:
        looks = list(client.experiment_looks(made.public_id, print))
    assert [(look["state"], look["boards"]) for look in looks] == [("running", 0), ("accepted", 20)]
    status, out, err = run("experiments", "show", made.public_id, "--follow")
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0].startswith("accepted: 20 boards, evidence +")
    assert "Is kita 2 better than oni 1?" in lines
    answer = lines[lines.index("Is kita 2 better than oni 1?") + 1]
    assert answer.startswith("Yes, after 20 boards. Mean +2.000 stones a board, which flatters")
    assert any(line.startswith("Asked: kakeya4, against each other; a gain of 0.2") for line in lines)
    lines = run("experiments", "show", made.public_id, "--follow", "--json")[1].splitlines()
    every = [json.loads(line) for line in lines]
    assert [found["state"] for found in every] == ["accepted"]
    whole = json.loads(run("experiments", "show", made.public_id, "--json")[1])
    assert progress_text(whole).startswith("20 boards, evidence +")
    assert answer_text({**whole, "state": "rejected"}).startswith("No, after 20 boards: if it gains at all")


def test_against_a_field(run, kita):
    for name in ("oni", "tengu"):
        factories.a_version(factories.a_bot(factories.ben(), name))
    made = json.loads(
        run("experiment", "kita", "--against", "ben/oni", "--against", "ben/tengu", "--json", *SMALL)[1]
    )
    assert made["is_field"]
    assert [version["bot"] for version in made["opponents"]] == ["oni", "tengu"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kita", "kita@2"], "a version cannot meet itself"),
        (["kita@7"], "kita has no version 7"),
        (["kita", "ben/nobody"], "there is no public bot 'nobody' of 'ben'"),
        (["kita", "--preset", "kakkuri"], "not kakkuri"),
        (["kita", "--alpha", "2"], "alpha"),
        (["kita", "--option", "seats"], "is not NAME=VALUE"),
        (["nobody"], "neither a bot of yours nor the id of a bot or a version: rensho bots lists yours"),
    ],
)
def test_what_cannot_be(run, kita, words, message):
    status, out, err = run("experiment", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not Experiment.objects.exists()
