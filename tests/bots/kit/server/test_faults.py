"""Faults on the platform itself: listed, shown, saved, and tried again at home."""

import json

import pytest
from django.db import transaction

from arena.accounts.models import Notice
from arena.jobs.checks import check_run
from arena.matches.models import FaultGroup, Table
from arena.roster.suspension import version_suspend
from bots.kit.server import faults, watch
from referee.reproduce import read_fault_file
from tests import factories
from tests.arena.play import play_table, seats_of, started, tournament_advance, waiting
from tests.bots.kit.conftest import CRASHES, GOOD
from tests.bots.kit.server.conftest import accept, worker
from tests.bots.kit.server.peer import peer, plain, problem
from tests.committed import committed_once, snapshots  # noqa: F401 - the fixture

pytestmark = pytest.mark.full

MANIFEST = 'name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n'


@pytest.fixture
def bot(tmp_path):
    """A bot's folder; it crashes when its hand is short."""
    folder = tmp_path / "kita"
    folder.mkdir()
    (folder / "rensho.toml").write_text(MANIFEST)
    (folder / "main.py").write_text(CRASHES)
    return folder


def event_with_faults(owner, *, cycles=1, log="KeyError: 'QH'"):
    """A tournament whose first round is played; this player's bot failed once at each seat. Gives the bot."""
    event = factories.an_open_tournament(stages=[{"format": "round_robin", "options": {"cycles": cycles}}])
    entry = factories.an_entry(event, owner)
    factories.an_entry(event, factories.ben())
    started(event)
    for table in waiting(event):
        play_table(table, faulty=seats_of(table, entry), at=3, log=log)
        tournament_advance(event)
    return entry.version.bot


rows_of_the_event = committed_once(lambda: event_with_faults(factories.aya()))


@pytest.fixture
def faulty(rows_of_the_event, aya):
    """Aya's bot that failed in an event which is over; she is logged in."""
    return rows_of_the_event


class TestListed:
    def test_alike_ones_together_for_the_latest_version(self, run, faulty):
        bot = faulty
        status, out, err = run("faults", bot.name)
        assert (status, err) == (0, "")
        head = out.splitlines()[0]
        assert head == f"{bot.name}, version 1 (ready): 4 faults of 1 kind"
        assert "KeyError: 'QH'" in out
        group = FaultGroup.objects.get()
        assert group.fingerprint[:8] in out
        assert f"rensho faults {bot.name} --save FOLDER" in out
        factories.a_version(bot)
        assert run("faults", bot.name)[1].splitlines() == [f"{bot.name}, version 2 (ready): no faults"]

    def test_by_name_id_or_address_of_bot_and_version_or_all(self, run, faulty, aya, site):
        bot = faulty
        version = bot.versions.get()
        whole = run("faults", bot.name)[1].partition("All of one")[0]
        for named in (
            bot.public_id,
            version.public_id,
            f"{site}/bots/{bot.public_id}",
            f"{site}/versions/{version.public_id}/faults",
        ):
            assert run("faults", named)[1].partition("All of one")[0] == whole, named
        assert run("faults")[1].partition("All of one")[0] == whole
        other = factories.a_version(factories.a_bot(aya, name="another"))
        assert "another, version 1 (ready): no faults\n" in run("faults")[1]
        status, _, err = run("faults", "nobody")
        assert (status, "'nobody' is neither" in err) == (2, True)
        factories.a_bot(aya, name="empty")
        assert "has no version yet" in run("faults", "empty")[2]
        assert run("faults", other.public_id)[0] == 0

    def test_an_open_round_shows_nothing_yet(self, run, aya):
        bot = event_with_faults(aya, cycles=2)
        before = run("faults", bot.name)[1]
        assert "4 faults of 1 kind" in before
        table = Table.objects.filter(state=Table.State.WAITING).first()
        play_table(table, faulty=frozenset({1, 2, 3, 4}), at=2, log="IndexError: 3")
        assert run("faults", bot.name)[1] == before

    def test_somebody_else_s_are_not_shown(self, run, aya):
        bot = event_with_faults(factories.chie())
        status, out, err = run("faults", bot.public_id)
        assert (status, out) == (2, "")
        assert "owner" in err

    def test_who_has_no_bot_is_told_how_to_get_one(self, run, aya):
        status, _, err = run("faults")
        assert status == 2
        assert "rensho submit" in err

    def test_suspension_and_what_a_check_waits_for_are_told_in_a_line(self, run, aya):
        bot = factories.a_bot(aya)
        factories.a_suspended_version(bot)
        out = run("faults", bot.name)[1]
        assert "(suspended): no faults\n  Suspended: it forfeited 3 of its last 10 tables" in out

    def test_as_json(self, run, faulty):
        bot = faulty
        (of_version,) = json.loads(run("faults", bot.name, "--json")[1])["versions"]
        assert of_version["version"]["bot_name"] == bot.name
        assert [group["count"] for group in of_version["faults"]] == [4]


class TestShown:
    def test_everything_of_one(self, run, faulty):
        bot = faulty
        group = FaultGroup.objects.get()
        status, out, _ = run("faults", bot.name, "--show", group.fingerprint[:6])
        assert status == 0
        sample = group.sample
        assert f"  request: {sample['request']}\n" in out
        assert f"  answer:  {sample['answer']}\n" in out
        assert f"  played:  {sample['action']}, in its place\n" in out
        assert "CPU:     7.5 ms of 1020" in out
        assert f"CPU of its last decisions, in ms: {group.seat}.0, {group.seat}.0, 7.5" in out
        assert f"/versions/{group.version.public_id}/faults/{group.fingerprint}" in out

    @pytest.mark.parametrize("fingerprint", ["zz", ""])
    def test_only_one_that_is_there_and_clear(self, run, aya, fingerprint):
        bot = event_with_faults(aya)
        event_with_faults(aya, log="IndexError: list index out of range")
        version = FaultGroup.objects.exclude(version__bot=bot).get().version
        FaultGroup.objects.update(version=version)
        status, out, err = run("faults", version.public_id, "--show", fingerprint)
        assert (status, out) == (2, "")
        assert ("no fault has" if fingerprint else "several faults have") in err


class TestSaved:
    def test_a_file_of_a_table_is_ready_for_reproduce(self, run, faulty, tmp_path):
        bot = faulty
        folder = tmp_path / "faults"
        status, out, err = run("faults", bot.name, "--save", folder)
        assert (status, err) == (0, "")
        (path,) = folder.iterdir()
        assert (
            path.name == f"{bot.name.replace(' ', '_')}-v1.fault-{FaultGroup.objects.get().fingerprint}.json"
        )
        assert f"Saved: rensho reproduce {path}\n" in out
        file = read_fault_file(path.read_bytes())
        assert file.fault.decision == 3
        assert file.origin["bot"].endswith(f"/{bot.name}")
        assert len(file.spent_ms) == 2
        status, out, _ = run("reproduce", path, "house:greedy", "--no-sandbox")
        assert status == 0
        assert "It was asked 2 earlier requests" in out
        assert "Mended here: it answers" in out
        summary = json.loads(run("faults", bot.name, "--save", folder, "--json")[1])
        assert summary["saved"] == [str(path)]

    def test_from_upload_to_mended(self, run, aya, bot, tmp_path):
        with worker(check_run):
            assert run("submit", bot, "--game", "kakeya")[0] == 1
        status, out, _ = run("faults", "kita", "--save", tmp_path / "faults")
        assert status == 0
        assert "ZeroDivisionError: integer division or modulo by zero" in out
        (path,) = (tmp_path / "faults").iterdir()
        status, out, _ = run("reproduce", path, bot)
        assert status == 1
        assert "the very bundle that failed" in out
        words = "ZeroDivisionError: integer division or modulo by zero (main.py, line 5)"
        assert f"Reproduced: CRASHED again: {words}" in out
        (bot / "main.py").write_text(GOOD)
        status, out, _ = run("reproduce", path, bot)
        assert status == 0
        assert "another bundle than the one that failed" in out
        with worker(check_run):
            assert run("submit", bot)[0] == 0
        assert run("faults", "kita")[1] == "kita, version 2 (ready): no faults\n"

    def test_what_has_no_file_any_more_is_told(self, run, faulty, tmp_path):
        bot = faulty
        Table.objects.update(record_sha256="0" * 64)
        status, out, _ = run("faults", bot.name, "--save", tmp_path / "faults")
        assert status == 0
        assert "No file of" in out
        assert not (tmp_path / "faults").exists()

    def test_a_folder_that_cannot_be_written(self, run, faulty, tmp_path):
        bot = faulty
        (tmp_path / "file").write_text("")
        status, _, err = run("faults", bot.name, "--save", tmp_path / "file")
        assert status == 2
        assert "cannot write" in err


def test_names_of_files_are_safe_whatever_a_bot_is_called():
    group = {"fingerprint": "ab" * 8}
    for name, safe in (("../../etc/x", "etc_x"), ("kita 北", "kita_北"), ("...", "bot")):
        made = faults.file_name({"bot_name": name, "number": 2}, group)
        assert made.endswith(f"-v2.fault-{'ab' * 8}.json")
        assert "/" not in made
        assert safe in made


class TestTold:
    """What submit and watch say of waiting and of suspensions."""

    def test_submit_says_what_the_check_waits_for_once(self, run, bot, monkeypatch):
        version = {"id": "v", "number": 1, "state": "checking", "reasons": [], "bot_name": "kita"}
        waits = {"state": "waiting", "steps": [], "reason": "", "attempt": 0}
        lacks = {**waits, "waiting_reason": "runtime_unavailable: no live worker runs node/1"}
        done = {**waits, "state": "done", "waiting_reason": ""}
        answers = [
            plain({"handle": None, "scopes": ["read", "bots"]}),
            plain({"id": "b"}, 201),
            plain(version, 202),
            *[plain(lacks), plain(version)] * 3,
            plain(done),
            plain({**version, "state": "ready"}),
            plain({"id": "b", "active_version": "v"}),
        ]
        monkeypatch.setattr("bots.kit.server.submit.POLL_S", 0.01)
        with peer(*answers) as server:
            monkeypatch.setenv("RENSHO_URL", server.url)
            monkeypatch.setenv("RENSHO_TOKEN", "t")
            status, out, _ = run("submit", bot, "--game", "kakeya")
        assert status == 0
        assert out.count("Waiting: runtime_unavailable: no live worker runs node/1\n") == 1
        assert "Waiting no longer.\n" in out

    def test_submit_says_that_the_version_before_is_suspended(self, run, aya, bot):
        factories.a_suspended_version(factories.a_bot(aya, name="kita", game="kakeya"))
        with worker(accept):
            status, out, _ = run("submit", bot)
        assert status == 0
        assert "Version 1 is suspended: it forfeited 3 of its last 10 tables" in out

    def test_watch_says_what_tables_wait_for_and_what_one_was_told(self, run, aya, monkeypatch):
        event = factories.an_open_tournament(stages=[{"format": "round_robin"}])
        entry, _ = (factories.an_entry(event, owner) for owner in (aya, factories.ben()))
        started(event)
        code, reason = "runtime_unavailable", "no live worker runs node/1"
        Table.objects.update(waiting_for=code, reason=reason)
        glances = []

        with monkeypatch.context() as patch:
            real = watch.event_glances
            patch.setattr(
                watch, "event_glances", lambda *a, **k: played_out_of(real, event, glances, *a, **k)
            )
            with transaction.atomic():
                assert version_suspend(entry.version, "it forfeited 3 of its last 10 tables")
            status, out, err = run("watch", event.public_id)
        assert status == 0
        assert glances[0].rounds[0].waiting_for == f"{code}: {reason}"
        assert reason in out
        notice = Notice.objects.get(user=aya, kind="suspended")
        assert notice.text in err
        assert notice.read_at is not None

    def test_a_server_without_notices_is_watched_all_the_same(self, run, monkeypatch):
        event = {
            "id": "e", "name": "Cup", "state": "final", "state_reason": "", "preset": "kakeya4",
            "entries": 2, "game": "kakeya", "scoring": "stones", "tie_breaks": [], "boards_per_round": 2,
        }  # fmt: skip
        answers = [
            plain(event),
            plain({"results": [], "next": None}),
            plain([]),
            problem(404, "not_found"),
        ]
        with peer(*answers) as server:
            monkeypatch.setenv("RENSHO_URL", server.url)
            monkeypatch.setenv("RENSHO_TOKEN", "t")
            status, _, err = run("watch", "e")
        assert (status, err) == (0, "")


def played_out_of(real, event, glances, *words, **how):
    """The glances of the real server; between the first and the second every table is played."""
    for glance in real(*words, **how):
        glances.append(glance)
        yield glance
        for table in waiting(event):
            play_table(table)
            tournament_advance(event)
