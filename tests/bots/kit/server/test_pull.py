"""Pulling in bulk from the platform itself: only what is missing, checked by its hash, nothing sealed."""

import hashlib
import json

import pytest

from arena.matches.models import Table
from bots.kit.cli import main
from bots.kit.client import transport
from tests import factories
from tests.arena.play import play_out, play_table, seats_of, started, tournament_advance, waiting
from tests.bots.kit.server.peer import peer, plain
from tests.bots.kit.server.watched import under_way

pytestmark = pytest.mark.full


@pytest.fixture
def asked(monkeypatch):
    """The addresses the kit asks for, in order."""
    found = []
    real = transport.Transport._call

    def call(self, method, path, **how):
        found.append(path)
        return real(self, method, path, **how)

    monkeypatch.setattr(transport.Transport, "_call", call)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pulled"


def index(folder):
    listing = json.loads((folder / "index.json").read_text())
    assert listing["format"] == "rensho-pull/1"
    for file in listing["files"]:
        data = (folder / file["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file["bytes"], file["sha256"])
    return {file["path"]: file for file in listing["files"]}


def kinds(folder):
    found = [file["kind"] for file in index(folder).values()]
    return {kind: found.count(kind) for kind in sorted(set(found))}


def test_records_and_own_logs_of_a_tournament(run, aya, folder):
    event = play_out(under_way())
    status, out, err = run("pull", event.public_id)
    assert (status, err) == (0, "")
    assert kinds(folder) == {"log": 4, "record": 2}
    assert out == "pulled: 6 new, 0 changed, 0 there already.\n"
    stem = f"{event.public_id}/stage-1/round-001/fixture-0001.boards-0001-0002.rotation-"
    assert {path for path in index(folder) if path.endswith(".ndjson")} == {
        f"{stem}{rotation + 1}.ndjson"
        for rotation in sorted(Table.objects.values_list("rotation", flat=True))
    }
    for table in Table.objects.all():
        file = index(folder)[f"{stem}{table.rotation + 1}.ndjson"]
        assert (file["sha256"], file["table"]) == (table.record_sha256, table.public_id)
    record = next(path for path in folder.rglob("*.ndjson"))
    assert main(["replay", str(record), "--board", "1"]) == 0


def test_what_is_there_is_not_fetched_again(run, aya, folder, asked):
    event = play_out(under_way())
    run("pull", event.public_id)
    asked.clear()
    status, out, _ = run("pull", event.public_id)
    assert (status, out) == (0, "pulled: 0 new, 0 changed, 6 there already.\n")
    assert not [path for path in asked if path.endswith(("/record", "/log"))]
    lost, damaged = sorted(folder.rglob("*.ndjson"))
    lost.unlink()
    damaged.write_bytes(b"x")
    asked.clear()
    summary = json.loads(run("pull", event.public_id, "--json")[1])
    assert (summary["new"] + summary["changed"], summary["known"]) == (2, 4)
    assert len([path for path in asked if path.endswith("/record")]) == 2
    assert len(index(folder)) == 6


def test_while_it_runs_there_are_closed_rounds_alone_and_they_may_change(run, aya, folder, asked):
    event = factories.an_open_tournament(stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    for owner in (aya, factories.ben()):
        factories.an_entry(event, owner)
    started(event)
    assert run("pull", event.public_id)[1] == "pulled: 0 new, 0 changed, 0 there already.\n"
    for table in waiting(event):
        play_table(table)
    tournament_advance(event)
    status, out, err = run("pull", event.public_id)
    assert status == 0
    assert "6 new" in out
    assert "1 fixture is sealed until the round is closed" in err
    assert {path.split("/")[2] for path in index(folder)} == {"round-001"}
    asked.clear()
    assert "6 there already" in run("pull", event.public_id)[1]
    assert len([path for path in asked if path.endswith("/record")]) == 2
    play_out(event)
    assert "6 new, 0 changed, 6 there already" in run("pull", event.public_id)[1]


def test_whoever_only_watches_gets_records_alone(run, site, folder, monkeypatch):
    monkeypatch.setenv("RENSHO_URL", site)
    event = play_out(under_way())
    assert run("pull", event.public_id)[0] == 0
    assert kinds(folder) == {"record": 2}


def with_faults(owner, rival):
    """A tournament in which this player's bot failed once at each seat."""
    event = factories.an_open_tournament()
    entry = factories.an_entry(event, owner)
    factories.an_entry(event, rival)
    started(event)
    for table in waiting(event):
        play_table(table, faulty=seats_of(table, entry), at=3)
        tournament_advance(event)
    return event, entry


def test_a_bot_of_one_s_own_with_logs_and_faults_from_wherever_it_played(run, aya, folder):
    event, entry = with_faults(aya, factories.ben())
    play_out(under_way())
    other = factories.an_entry(factories.an_open_tournament(), aya)
    status, _, err = run("pull", "--bot", entry.version.bot.name)
    assert (status, err) == (0, "")
    assert kinds(folder) == {"fault": 1, "log": 4, "record": 2}
    assert {file["tournament"] for file in index(folder).values() if "tournament" in file} == {
        event.public_id
    }
    (fault,) = (folder / "faults").iterdir()
    assert main(["reproduce", str(fault), "house:greedy", "--no-sandbox"]) == 0
    assert "7 there already" in run("pull", "--bot", entry.version.public_id)[1]
    assert "0 new" in run("pull", "--bot", other.version.bot.name, "--into", "elsewhere")[1]


def test_a_tournament_brings_its_own_faults_and_no_others(run, aya, folder):
    event, _ = with_faults(aya, factories.ben())
    with_faults(aya, factories.chie())
    assert run("pull", event.public_id)[0] == 0
    assert kinds(folder) == {"fault": 1, "log": 4, "record": 2}


def test_somebody_else_s_bot_gives_its_records_alone(run, aya, folder):
    _, entry = with_faults(factories.ben(), aya)
    assert run("pull", "--bot", entry.version.bot.public_id)[0] == 0
    assert kinds(folder) == {"record": 2}


def test_a_record_that_is_gone_is_told_with_status_1(run, aya, folder):
    event = play_out(under_way())
    table = Table.objects.first()
    Table.objects.filter(pk=table.pk).update(record_sha256="0" * 64)
    status, out, err = run("pull", event.public_id)
    assert status == 1
    assert "5 new, 0 changed, 0 there already, 1 not available" in out
    assert f"rotation-{table.rotation + 1}.ndjson: " in err


def scripted(*, record, etag, event_id="e"):
    table = {"id": "t", "state": "finished", "first_board": 1, "board_count": 2, "rotation": 0}
    fixture = {"id": "f", "tournament": event_id, "stage": 1, "round": 1, "number": 1, "is_sealed": False}
    return [
        plain({"id": event_id, "name": "Cup", "state": "final"}),
        plain({"next": None, "results": [{**fixture, "tables": [table]}]}),
        (200, {"Content-Type": "application/x-ndjson", "ETag": etag}, record),
    ]


def test_what_comes_damaged_is_not_kept(run, folder, monkeypatch):
    with peer(*scripted(record=b"x", etag=f'"{"a" * 64}"')) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        status, _, err = run("pull", "e")
    assert status == 3
    assert "came damaged" in err
    assert not list(folder.rglob("*.ndjson"))


def test_a_server_cannot_write_elsewhere(run, folder, monkeypatch):
    with peer(*scripted(record=b"x", etag="", event_id="../../evil")) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        status, _, err = run("pull", "e")
    assert status == 3
    assert "nothing is written there" in err


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ("{", "remove it, or pull into another folder"),
        ('{"format": "other/1", "server": "", "files": []}', "is of another format"),
        (
            '{"format": "rensho-pull/1", "server": "https://other.example", "files": []}',
            "has files of https://other",
        ),
    ],
)
def test_a_folder_of_something_else_is_left_alone(run, folder, monkeypatch, held, words):
    folder.mkdir()
    (folder / "index.json").write_text(held)
    with peer(*scripted(record=b"x", etag="")) as server:
        monkeypatch.setenv("RENSHO_URL", server.url)
        status, _, err = run("pull", "e")
    assert status == 2
    assert words in err
    assert (folder / "index.json").read_text() == held


def test_nothing_named_is_told(run, folder):
    status, _, err = run("pull")
    assert status == 2
    assert "rensho pull TOURNAMENT, or rensho pull --bot BOT" in err
