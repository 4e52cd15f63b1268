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
from tests.bots.kit.server.conftest import worker
from tests.bots.kit.server.peer import plain, problem

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
    tried = run.json("reproduce", path, bot, status=1)
    assert (tried["now"]["is_same"], tried["bot"]["is_same_bundle"]) == (True, True)
    assert "(main.py, line 5)" in tried["now"]["conclusion"]
    (bot / "main.py").write_text(GOOD)
    assert run.json("reproduce", path, bot)["bot"]["is_same_bundle"] is False
    with worker(check_run):
        assert run("submit", bot)[0] == 0


def test_watch_says_what_tables_wait_for_and_what_one_was_told(run, aya, monkeypatch):
    event = factories.an_open_tournament(stages=[{"format": "round_robin"}])
    entry, _ = (factories.an_entry(event, owner) for owner in (aya, factories.ben()))
    started(event)
    lacking = {"code": "runtime_lacking", "runtimes": "node/1"}
    Table.objects.update(waiting_for="runtime_unavailable", note=lacking)
    glances = []
    with monkeypatch.context() as patch:
        real = watch.follow_progress
        patch.setattr(watch, "follow_progress", lambda *a, **k: played_out_of(real, event, glances, *a, **k))
        with transaction.atomic():
            assert version_suspend(entry.version, "it forfeited 3 of its last 10 tables")
        status, out, err = run("watch", event.public_id)
    assert (status, "node/1" in out) == (0, True)
    waiting_for = glances[0].rounds[0].waiting_for
    assert (waiting_for.split(":")[0], "node/1" in waiting_for) == ("runtime_unavailable", True)
    notice = Notice.objects.get(user=aya, kind="suspended")
    assert notice.text in err
    assert notice.read_at is not None


def test_a_server_without_notices_is_watched_all_the_same(run, scripted):
    event = {
        "id": "e", "name": "Cup", "state": "final", "state_reason": "", "preset": "kakeya4", "entries": 2,
        "game": "kakeya", "scoring": "stones", "tie_breaks": [], "boards_per_round": 2, "review_until": None,
    }  # fmt: skip
    scripted(plain(event), plain({"results": [], "next": None}), plain([]), problem(404, "not_found"))
    run.prints("watch", "e")


def played_out_of(real, event, glances, *words, **how):
    """The glances of the real server; between the first and the second every table is played."""
    for glance in real(*words, **how):
        glances.append(glance)
        yield glance
        for table in waiting(event):
            play_table(table)
            tournament_advance(event)
