"""Challenges made from the kit, on the platform itself."""

import json

import pytest

from arena.competition.models import Tournament
from tests import factories

pytestmark = pytest.mark.full


@pytest.fixture
def kita(site, aya):
    return factories.a_version(factories.a_bot(aya, "kita"))


@pytest.fixture
def oni(site):
    return factories.a_version(factories.a_bot(factories.ben(), "oni", visibility="public"))


def test_a_bot_of_one_s_own_meets_a_public_one(run, kita, oni):
    status, out, err = run("challenge", "kita", "ben/oni", "--boards", "2")
    assert (status, err) == (0, "")
    made = Tournament.objects.get(kind="challenge")
    assert out == f"{made.name}: running. Follow it: rensho watch {made.public_id}\n"
    assert made.boards_per_round == 2
    status, out, _ = run("challenge")
    assert status == 0
    assert made.public_id in out


def test_by_ids_and_as_json(run, kita, oni):
    challenge = json.loads(run("challenge", kita.public_id, oni.public_id, "--name", "duel", "--json")[1])
    assert (challenge["name"], challenge["kind"]) == ("duel", "challenge")
    assert [listed["id"] for listed in json.loads(run("challenge", "--json")[1])] == [challenge["id"]]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["kita", "ben/nobody"], 2, "there is no public bot 'nobody' of 'ben'"),
        (["kita", "kita"], 2, "let it play itself with rensho play"),
        (["kita", "ben/oni", "--preset", "kakkuri"], 2, "choose other rules with --preset"),
        (["kita", "ben/oni", "--boards", "0"], 2, "boards"),
        (["nobody", "ben/oni"], 2, "neither a bot of yours"),
    ],
)
def test_what_cannot_be(run, kita, oni, words, status, message):
    ended, out, err = run("challenge", *words)
    assert (ended, out, err.count("\n")) == (status, "", 1)
    assert message in err
    assert not Tournament.objects.exists()


def test_none_yet(run, site, aya):
    assert run("challenge")[1].startswith("No challenge yet.")
