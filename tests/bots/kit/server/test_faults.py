"""What went wrong on the platform itself: fetched and tried again at home, told by submit and watch."""

import pytest
from django.db import transaction

from arena.accounts.models import Notice
from arena.jobs.checks import check_run
from arena.matches.models import Table
from arena.roster.suspension import version_suspend
from bots.kit.server import watch
from tests import factories
from tests.arena.play import play_table, started, tournament_advance, waiting
from tests.bots.kit.conftest import CRASHES, GOOD
from tests.bots.kit.server.conftest import accept, worker
from tests.bots.kit.server.peer import peer, plain, problem

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


def test_from_upload_to_mended(run, aya, bot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with worker(check_run):
        assert run("submit", bot, "--game", "kakeya")[0] == 1
    assert run("pull", "--bot", "kita")[0] == 0
    (path,) = (tmp_path / "pulled" / "faults").iterdir()
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
        lacking = {"code": "runtime_lacking", "runtimes": "node/1"}
        Table.objects.update(waiting_for="runtime_unavailable", note=lacking)
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
        assert glances[0].rounds[0].waiting_for == "runtime_unavailable: no live worker runs node/1"
        assert "no live worker runs node/1" in out
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
