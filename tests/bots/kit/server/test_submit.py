"""Submitting a bot to the platform itself: created, uploaded, checked, made active, entered."""

import json

import pytest

from arena.competition.models import Entry
from arena.roster.models import Bot, BotVersion
from tests import factories
from tests.bots.kit.server.conftest import accept, reject, worker
from tests.bots.kit.server.peer import peer, plain

PROGRAM = "from bots.sdk import Bot\n"
MANIFEST = 'name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n'


@pytest.fixture
def bot(tmp_path):
    """A bot's folder."""
    folder = tmp_path / "kita"
    folder.mkdir()
    (folder / "rensho.toml").write_text(MANIFEST)
    (folder / "main.py").write_text(PROGRAM)
    return folder


def test_a_new_bot_is_created_uploaded_and_checked(run, aya, bot):
    with worker(accept):
        status, out, err = run("submit", bot, "--game", "kakeya", "--notes", "first", "--private")
    assert (status, err) == (0, "")
    version = BotVersion.objects.get()
    assert (version.bot.name, version.bot.visibility, version.notes) == ("kita", "private", "first")
    assert version.state == "ready"
    assert out.splitlines() == [
        "Created your bot kita for kakeya.",
        f"Uploaded kita, version 1 ({version.public_id}).",
        "ok    trial: 27 decisions on 2 boards",
        "The bot may play.",
    ]


def test_a_single_file_is_a_bot_by_its_name(run, aya, tmp_path):
    path = tmp_path / "minami.py"
    path.write_text(PROGRAM)
    with worker(accept):
        assert run("submit", path, "--game", "kakeya")[0] == 0
        assert run("submit", path, "--bot", "higashi", "--game", "kakkuri")[0] == 0
    assert set(Bot.objects.values_list("name", "game")) == {("minami", "kakeya"), ("higashi", "kakkuri")}


def test_a_later_version_joins_its_bot_and_may_become_the_active_one(run, aya, bot):
    with worker(accept):
        run("submit", bot, "--game", "kakeya")
        (bot / "main.py").write_text(f"{PROGRAM}# better\n")
        status, out, _ = run("submit", bot)
        second = BotVersion.objects.get(number=2)
        assert status == 0
        assert "Version 1 stays the active one" in out
        assert f"rensho api POST versions/{second.public_id}/activate, or submit with --activate." in out
        active = Bot.objects.get().active_version
        assert active is not None
        assert active.number == 1
        (bot / "main.py").write_text(f"{PROGRAM}# best\n")
        status, out, _ = run("submit", bot, "--activate")
    assert status == 0
    assert "Version 3 is the active one.\n" in out
    assert Bot.objects.get().active_version.number == 3


def test_a_rejected_version_is_told_with_its_reasons_and_status_1(run, aya, bot):
    with worker(reject):
        status, out, _ = run("submit", bot, "--game", "kakeya", "--activate", "--enter", an_event())
    assert status == 1
    assert "FAIL  trial: illegal action\n" in out
    assert out.endswith("rejected (illegal_action): not an action of kakeya: 'QQ'\n")
    assert not Entry.objects.exists()


def an_event(**fields):
    return factories.an_open_tournament(**fields).public_id


def test_a_version_is_entered_and_the_next_takes_its_place(run, aya, bot):
    event = an_event(name="Spring cup", entries_per_player=1)
    with worker(accept):
        status, out, _ = run("submit", bot, "--enter", event)
        assert status == 0
        assert out.endswith("Entered version 1 in Spring cup.\n")
        (bot / "main.py").write_text(f"{PROGRAM}# better\n")
        status, out, _ = run("submit", bot, "--enter", f"http://elsewhere/tournaments/{event}/")
        assert out.endswith("Entered version 2 in Spring cup, in place of version 1.\n")
    entered = Entry.objects.filter(status="entered")
    assert [entry.version.number for entry in entered] == [2]


def test_everything_is_told_as_json(run, aya, bot):
    with worker(accept):
        status, out, _ = run("submit", bot, "--enter", an_event(), "--json")
    summary = json.loads(out)
    assert status == 0
    assert summary["version"]["state"] == "ready"
    assert summary["check"]["steps"][0]["name"] == "trial"
    assert summary["entry"]["version"]["number"] == 1


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (
            [],
            "you have no bot 'kita' yet: say what it plays with --game kakeya (kakeya and etori) or "
            "--game kakkuri\n",
        ),
        (["--game", "go"], "Unknown game 'go'"),
        (["--game", "etori"], "etori is of the game kakeya: take --game kakeya\n"),
        (["--game", "kakkuri.league"], "kakkuri.league is of the game kakkuri: take --game kakkuri\n"),
        (["--game", "kakeya", "--enter", "nosuch"], "nosuch"),
        (["--game", "kakeya", "--enter", "No Such"], "'No Such' is no id of a tournament"),
    ],
)
def test_what_cannot_be_submitted_leaves_nothing(run, aya, bot, argv, words):
    status, _, err = run("submit", bot, *argv)
    assert status == 2
    assert words in err
    assert err.count("\n") == 1
    assert not BotVersion.objects.exists()


def test_a_bot_keeps_its_game(run, aya, bot):
    factories.a_bot(aya, "kita")
    status, _, err = run("submit", bot, "--game", "kakkuri")
    assert status == 2
    assert "your bot 'kita' plays kakeya, not kakkuri" in err


def test_what_is_no_bot_is_not_sent(run, monkeypatch, tmp_path):
    with peer(plain({})) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        monkeypatch.setenv("RENSHO_TOKEN", "t")
        (tmp_path / "notes.txt").write_text("no bot")
        status, _, err = run("submit", tmp_path)
        assert status == 1
        assert "no_manifest" in err
        assert run("submit", tmp_path / "nothing")[0] == 2
        assert server.asked == []


def test_the_faults_of_a_rejected_version_come_with_the_commands_to_try_them_at_home(run, bot, monkeypatch):
    version = {"id": "v", "number": 1, "state": "rejected", "bot_name": "kita", "reasons": []}
    fault = {
        "verdict": "CRASHED",
        "reason": "it ended",
        "board": 1,
        "decision": 3,
        "phase": "play",
        "seat": 1,
    }
    fault |= {"request": "{}", "answer": "", "log_tail": "KeyError: 3"}
    answers = [
        plain({"handle": None, "scopes": ["read", "bots"]}),
        plain({"id": "b"}, 201),
        plain(version, 202),
        plain({"state": "done", "steps": [], "reason": "", "attempt": 1, "waiting_reason": ""}),
        plain(version),
        plain([{"fingerprint": "8d1c3e5f", "sample": fault}]),
    ]
    with peer(*answers) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        monkeypatch.setenv("RENSHO_TOKEN", "t")
        status, out, err = run("submit", bot, "--game", "kakeya")
    assert (status, err) == (1, "")
    assert "CRASHED on board 1, decision 3" in out
    commands = f"rensho pull --bot kita, then rensho reproduce FILE {bot} with a file of pulled/faults"
    assert f"To try it at home: {commands}\n" in out


def test_a_check_that_fails_by_the_server_s_fault_is_no_rejection(run, bot, monkeypatch):
    version = {"id": "v", "number": 1, "state": "checking", "reasons": []}
    failed = {"state": "failed", "steps": [], "reason": "no sandbox", "attempt": 3, "waiting_reason": ""}
    answers = [
        plain({"handle": None, "scopes": ["read", "bots"]}),
        plain({"id": "b"}, 201),
        plain(version, 202),
        plain(failed),
        plain(version),
    ]
    with peer(*answers) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        monkeypatch.setenv("RENSHO_TOKEN", "t")
        status, _, err = run("submit", bot, "--game", "kakeya")
    assert status == 3
    assert "not the bot's fault: no sandbox" in err
