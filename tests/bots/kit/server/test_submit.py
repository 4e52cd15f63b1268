"""Submitting a bot to the platform itself: created, uploaded, checked, made active, entered."""

import pytest

from arena.competition.models import Entry
from arena.roster.models import Bot, BotVersion
from tests import factories
from tests.bots.kit.server.conftest import accept, reject, worker
from tests.bots.kit.server.peer import plain

PROGRAM = "from bots.sdk import Bot\n"


@pytest.fixture
def bot(tmp_path):
    """A bot's folder."""
    folder = tmp_path / "kita"
    folder.mkdir()
    (folder / "rensho.toml").write_text('name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n')
    (folder / "main.py").write_text(PROGRAM)
    return folder


def an_event(**fields):
    return factories.an_open_tournament(**fields).public_id


def test_a_new_bot_is_created_uploaded_and_checked(run, aya, bot):
    with worker(accept):
        out = run.prints("submit", bot, "--game", "kakeya", "--notes", "first", "--private")
    version = BotVersion.objects.get()
    assert (version.bot.name, version.bot.visibility, version.notes) == ("kita", "private", "first")
    assert version.state == "ready"
    lines = out.splitlines()
    assert version.public_id in lines[1]
    assert lines[2] == "ok    trial: 27 decisions on 2 boards"


def test_the_preset_of_rensho_toml_gives_the_game_and_must_fit_the_tournament(run, aya, bot):
    manifest = bot / "rensho.toml"
    manifest.write_text(manifest.read_text() + 'preset = "kakkuri"\n')
    run.refuses("submit", bot, "--enter", an_event(preset="kakeya4"), names=("kakkuri", "kakeya4"))
    assert not Bot.objects.exists()
    with worker(accept):
        run.prints("submit", bot)
    assert Bot.objects.get().game == "kakkuri"
    manifest.write_text(manifest.read_text().replace("kakkuri", "kakkury"))
    run.refuses("submit", bot, names=("kakkury", "kakkuri"))


def test_a_note_names_another_preset_of_the_game(run, aya, bot):
    manifest = bot / "rensho.toml"
    manifest.write_text(manifest.read_text() + 'preset = "kakeya6"\n')
    with worker(accept):
        _, _, err = run("submit", bot, "--enter", an_event(preset="kakeya4"))
    assert "kakeya6" in err
    assert "kakeya4" in err


def test_a_single_file_is_a_bot_by_its_name(run, aya, tmp_path):
    path = tmp_path / "minami.py"
    path.write_text(PROGRAM)
    with worker(accept):
        run.prints("submit", path, "--game", "kakeya")
        run.prints("submit", path, "--bot", "higashi", "--game", "kakkuri")
    assert set(Bot.objects.values_list("name", "game")) == {("minami", "kakeya"), ("higashi", "kakkuri")}


def test_a_later_version_joins_its_bot_and_may_become_the_active_one(run, aya, bot):
    with worker(accept):
        run("submit", bot, "--game", "kakeya")
        for number, words, active in ((2, (), 1), (3, ("--activate",), 3)):
            (bot / "main.py").write_text(f"{PROGRAM}# {number}\n")
            out = run.prints("submit", bot, *words)
            version = BotVersion.objects.get(number=number)
            assert Bot.objects.get().active_version.number == active
            assert (f"rensho api POST versions/{version.public_id}/activate" in out) == (active != number)


def test_a_rejected_version_is_told_with_its_reasons_and_status_1(run, aya, bot):
    with worker(reject):
        out = run.prints("submit", bot, "--game", "kakeya", "--activate", "--enter", an_event(), status=1)
    assert "FAIL  trial" in out
    assert "rejected (illegal_action)" in out
    assert "'QQ'" in out
    assert not Entry.objects.exists()


def test_a_version_is_entered_and_the_next_takes_its_place(run, aya, bot):
    event = an_event(name="Spring cup", entries_per_player=1)
    with worker(accept):
        first = run.json("submit", bot, "--enter", event)
        (bot / "main.py").write_text(f"{PROGRAM}# better\n")
        second = run.json("submit", bot, "--enter", f"http://elsewhere/tournaments/{event}/")
    assert first["version"]["state"] == "ready"
    assert first["check"]["steps"][0]["name"] == "trial"
    assert [done["entry"]["version"]["number"] for done in (first, second)] == [1, 2]
    assert (first["replaced_entry"], second["replaced_entry"]) == (None, first["entry"]["id"])
    assert [entry.version.number for entry in Entry.objects.filter(status="entered")] == [2]


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        ([], ("'kita'", "--game kakeya (kakeya and etori)", "--game kakkuri\n")),
        (["--game", "go"], "'go'"),
        (["--game", "etori"], "--game kakeya\n"),
        (["--game", "kakkuri.league"], "--game kakkuri\n"),
        (["--game", "kakeya", "--enter", "nosuch"], "nosuch"),
        (["--game", "kakeya", "--enter", "No Such"], "'No Such'"),
    ],
)
def test_what_cannot_be_submitted_leaves_nothing(run, aya, bot, argv, names):
    run.refuses("submit", bot, *argv, names=names)
    assert not BotVersion.objects.exists()


def test_a_bot_keeps_its_game(run, aya, bot):
    factories.a_bot(aya, "kita")
    run.refuses("submit", bot, "--game", "kakkuri", names=("'kita'", "kakeya", "kakkuri"))


def test_what_is_no_bot_is_not_sent(run, unasked, tmp_path):
    (tmp_path / "notes.txt").write_text("no bot")
    run.refuses("submit", tmp_path, names="(no_manifest)", status=1)
    run.refuses("submit", tmp_path / "nothing")


VERSION = {"id": "v", "number": 1, "state": "checking", "bot_name": "kita", "reasons": []}
CHECK = {"state": "waiting", "steps": [], "reason": "", "attempt": 1, "waiting_reason": ""}


@pytest.fixture
def submitted(run, scripted, bot, monkeypatch):
    """Submits a new bot to a peer that answers so after the upload."""
    monkeypatch.setattr("bots.kit.server.submit.POLL_S", 0.01)

    def submitting(*answers):
        me = {"handle": None, "scopes": ["read", "bots"]}
        scripted(plain(me), plain({"id": "b"}, 201), plain(VERSION, 202), *map(plain, answers))
        return run("submit", bot, "--game", "kakeya")

    return submitting


def test_the_faults_of_a_rejected_version_come_with_the_commands_to_try_them_at_home(submitted, bot):
    fault = {
        "verdict": "CRASHED",
        "reason": "it ended",
        "board": 1,
        "decision": 3,
        "phase": "play",
        "seat": 1,
    }
    fault |= {"request": "{}", "answer": "", "log_tail": "KeyError: 3"}
    rejected = {**VERSION, "state": "rejected"}
    faults = [{"fingerprint": "8d1c3e5f", "sample": fault}]
    status, out, err = submitted({**CHECK, "state": "done"}, rejected, faults)
    assert (status, err) == (1, "")
    for text in ("CRASHED", "rensho pull --bot kita", f"rensho reproduce FILE {bot}"):
        assert text in out


def test_a_check_that_fails_by_the_server_s_fault_is_no_rejection(submitted):
    status, _, err = submitted({**CHECK, "state": "failed", "reason": "no sandbox"}, VERSION)
    assert (status, "no sandbox" in err) == (3, True)


def test_what_a_check_waits_for_is_said_once(submitted):
    lacks = {**CHECK, "waiting_reason": "runtime_unavailable: no live worker has node/1"}
    waiting = [lacks, VERSION] * 3
    status, out, _ = submitted(
        *waiting,
        {**CHECK, "state": "done"},
        {**VERSION, "state": "ready"},
        {"id": "b", "active_version": "v"},
    )
    assert (status, out.count("Waiting: runtime_unavailable: ")) == (0, 1)


def test_a_suspension_of_the_version_before_is_said(run, aya, bot):
    version = factories.a_suspended_version(factories.a_bot(aya, name="kita", game="kakeya"))
    with worker(accept):
        assert version.suspended_reason in run.prints("submit", bot)
