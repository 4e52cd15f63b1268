"""The kit's commands against its client: every call serves a command, or stands here with a reason."""

import inspect
import json
import re
from pathlib import Path

import pytest

import bots.kit
from arena.roster.models import BotVersion
from bots.kit.client import Client
from bots.kit.client.transport import Transport
from tests import factories

pytestmark = pytest.mark.full

KIT = Path(bots.kit.__file__).parent
OTHERWISE = {
    "board": "pages compare boards; rensho pull has their records",
    "bot_faults": "rensho faults asks by version",
    "commitments": "rensho verify checks that of an export; this is for whoever keeps a copy of the queue",
    "delivery": "rensho webhooks deliveries lists all of it",
    "display": "a drawing for pages",
    "entry": "rensho entries list shows all of it",
    "events_followed": "rensho watch follows a tournament",
    "events_listed": "rensho watch and webhooks report them",
    "fairness": "rensho verify derives the deals from an export",
    "ladder": "rensho ladder list and show read it from the list of all",
    "limits": "refusals name the limit they hold",
    "notes": "a solver's, for programs that show a table",
    "problem_report": "pages take reports of problems; this is for programs",
    "problem_report_close": "pages answer reports of problems; this is for programs",
    "problem_reports": "pages list reports of problems; this is for programs",
    "replay": "rensho replay reads a record",
    "statement": "an export holds them, for rensho verify; this is for whoever notes the digest",
    "view": "rensho replay --html makes one of a record; this is for programs that show a table",
    "webhook": "rensho webhooks list shows all of it",
    "timings": "rensho logs saves records and logs; times are for programs",
}


def test_every_call_of_the_client_serves_a_command():
    calls = {
        name
        for name, _ in inspect.getmembers(Client, inspect.isfunction)
        if not name.startswith("_") and not hasattr(Transport, name)
    }
    used = {
        name
        for path in KIT.rglob("*.py")
        if "client" not in path.parts
        for name in re.findall(r"\bclient\.(\w+)", path.read_text())
    }
    assert calls - used == set(OTHERWISE)


class TestVersions:
    @pytest.fixture
    def kita(self, aya):
        bot = factories.a_bot(aya, "kita", game="kakeya")
        factories.a_version(bot)
        return bot

    def test_retired(self, run, kita):
        status, out, err = run("versions", "retire", "kita")
        assert (status, out, err) == (0, "Version 1 of kita is retired.\n", "")
        assert BotVersion.objects.get().state == "retired"

    def test_reinstated_by_a_check(self, run, aya):
        factories.a_suspended_version(factories.a_bot(aya, "oni"))
        assert run("versions", "reinstate", "oni")[0] == 0

    def test_what_passed_is_not_checked_again(self, run, kita):
        status, _, err = run("versions", "check", "kita")
        assert (status, err.count("\n")) == (2, 1)

    def test_a_bot_is_renamed_and_hidden(self, run, kita):
        status, out, _ = run("edit", "kita", "--name", "minami", "--visibility", "private")
        assert (status, out) == (0, "minami is private.\n")
        kita.refresh_from_db()
        assert (kita.name, kita.visibility) == ("minami", "private")
        assert "say what to change" in run("edit", "minami")[2]
        assert "'kita' is no bot of yours; there are: minami" in run("edit", "kita", "--name", "x")[2]


class TestOnOffer:
    def test_games_and_a_preset(self, run, aya):
        out = run("games")[1]
        assert "etori.simple6" in out
        assert "kakkuri.league" in run("games", "--json")[1]
        out = run("games", "kakeya4")[1]
        assert out.startswith("kakeya4 (kakeya): seats 1 3 : 2 4\n")
        options = dict(line.split() for line in out.splitlines()[3:-1])
        assert (options["debt"], options["trump_fixed"], options["stones"]) == ("true", "-", "5")
        status, _, err = run("games", "chess")
        assert (status, err.count("\n")) == (2, 1)
        assert "there is no preset 'chess'; there are: " in err

    def test_formats(self, run, aya):
        out = run("formats")[1]
        assert "single_elimination: " in out
        assert "None" not in out
        assert "True" not in out
        assert all(len(line.rstrip()) <= 80 for line in out.splitlines())
        assert {"swiss", "heats"} <= {each["key"] for each in json.loads(run("formats", "--json")[1])}


class TestTokens:
    def test_made_used_and_revoked(self, run, aya, monkeypatch):
        status, out, err = run("tokens", "new", "laptop", "--scope", "read", "--scope", "bots", "--json")
        assert (status, err) == (0, "")
        made = json.loads(out)
        assert "laptop" in run("tokens", "list")[1]
        assert run("tokens", "revoke", made["id"])[1] == f"{made['id']}: revoked\n"
        monkeypatch.setenv("RENSHO_TOKEN", made["token"])
        status, _, err = run("tokens", "list")
        assert status != 0
        assert err.count("\n") == 1
