"""One's bots and their versions, the choice of the active one, and the tables of a tournament."""

import json

import pytest

from arena.matches.models import Table
from arena.roster.models import Bot
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.watched import under_way

pytestmark = pytest.mark.full


@pytest.fixture
def kita(aya):
    """A bot with three ready versions, the first of which plays."""
    bot = factories.a_bot(aya, "kita")
    versions = [factories.a_version(bot) for _ in range(3)]
    Bot.objects.update(active_version=versions[0])
    return versions


class TestBots:
    def test_what_plays_and_what_came_last(self, run, kita):
        status, out, err = run("bots")
        assert (status, err) == (0, "")
        lines = [line.split() for line in out.splitlines()[1:]]
        assert [(line[3], line[4], line[5]) for line in lines] == [
            ("3", kita[2].public_id, "ready"),
            ("1", kita[0].public_id, "ready,"),
        ]
        assert "ready, active" in out

    def test_all_versions_of_one(self, run, kita):
        assert len(run("bots", "kita")[1].splitlines()) == 4
        (bot,) = json.loads(run("bots", "kita", "--json")[1])
        assert [version["number"] for version in bot["versions"]] == [3, 2, 1]

    def test_a_name_in_another_case_and_normal_form(self, run, aya):
        bot = factories.a_bot(aya, "Caf\xe9")
        (found,) = json.loads(run("bots", "CAFE\u0301", "--json")[1])
        assert found["id"] == bot.public_id

    def test_none_yet_and_none_of_this_name(self, run, aya):
        assert "upload one with rensho submit" in run("bots")[1]
        status, out, err = run("bots", "oni")
        assert (status, out) == (2, "")
        assert "you have no bot 'oni'" in err


class TestActivate:
    def test_the_latest_of_a_bot(self, run, kita):
        status, out, err = run("activate", "kita")
        assert (status, out, err) == (0, "Version 3 of kita is the active one now.\n", "")
        assert Bot.objects.get().active_version == kita[2]

    def test_one_by_number_or_id(self, run, kita):
        assert run("activate", "kita", "--version", 2)[0] == 0
        assert Bot.objects.get().active_version == kita[1]
        assert json.loads(run("activate", kita[2].public_id, "--json")[1])["number"] == 3
        assert Bot.objects.get().active_version == kita[2]

    def test_a_number_there_is_not_is_refused_with_those_there_are(self, run, kita):
        status, _, err = run("activate", "kita", "--version", 7)
        assert (status, err) == (2, "rensho: kita has no version 7: it has 3, 2, 1\n")


class TestTables:
    def test_ids_are_whole_and_rotations_count_from_1(self, run, site, monkeypatch):
        monkeypatch.setenv("RENSHO_URL", site)
        event = play_out(under_way())
        status, out, err = run("tables", event.public_id)
        assert (status, err) == (0, "")
        rows = {line.split()[0]: line for line in out.splitlines()[1:]}
        assert set(rows) == set(Table.objects.values_list("public_id", flat=True))
        for table in Table.objects.all():
            assert f" {table.rotation + 1}  finished" in rows[table.public_id]
        (fixture,) = json.loads(run("tables", event.public_id, "--state", "waiting", "--json")[1])
        assert fixture["tables"] == []

    def test_a_state_there_is_not_is_refused_with_those_there_are(self, run):
        status, _, err = run("tables", "x", "--state", "done")
        assert status == 2
        for state in ("waiting", "leased", "finished", "quarantined", "void"):
            assert state in err
