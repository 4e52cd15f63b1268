"""Pulling in bulk from the platform itself: only what is missing, checked by its hash, nothing sealed."""

import hashlib
import json

import pytest

from arena.matches.models import Table
from arena.roster.models import BotVersion
from bots.kit.client import transport
from tests import factories
from tests.arena.play import play_out, play_table, seats_of, started, tournament_advance, waiting
from tests.bots.kit.server.peer import plain
from tests.bots.kit.server.watched import under_way

pytestmark = pytest.mark.full


@pytest.fixture
def asked(monkeypatch):
    """The addresses the kit asks for, in order."""
    found = []
    real = transport.Transport._request

    def call(self, method, path, **how):
        found.append(path)
        return real(self, method, path, **how)

    monkeypatch.setattr(transport.Transport, "_request", call)
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


def pulled(run, *words):
    """How many files were new, changed and known."""
    status, out, _ = run("pull", *words, "--json")
    summary = json.loads(out)
    assert status == 0
    return summary["new"], summary["changed"], summary["known"]


def test_records_and_own_logs_of_a_tournament(run, aya, folder):
    event = play_out(under_way())
    assert "6 new" in run.prints("pull", event.public_id)
    assert kinds(folder) == {"log": 4, "record": 2}
    stem = f"{event.public_id}/stage-1/round-001/fixture-0001.boards-0001-0002.rotation-"
    records = {path: file for path, file in index(folder).items() if path.endswith(".ndjson")}
    assert {path: (file["sha256"], file["table"]) for path, file in records.items()} == {
        f"{stem}{table.rotation + 1}.ndjson": (table.record_sha256, table.public_id)
        for table in Table.objects.all()
    }
    record = next(path for path in folder.rglob("*.ndjson"))
    replayed = json.loads(run("replay", record, "--board", "1", "--json")[1])
    names = {f"{version.bot.name} v{version.number}" for version in BotVersion.objects.all()}
    assert {bot["name"] for bot in replayed["bots"].values()} == names


def test_what_is_there_is_not_fetched_again(run, aya, folder, asked):
    event = play_out(under_way())
    run("pull", event.public_id)
    asked.clear()
    assert pulled(run, event.public_id) == (0, 0, 6)
    assert not [path for path in asked if path.endswith(("/record", "/log"))]
    lost, damaged = sorted(folder.rglob("*.ndjson"))
    lost.unlink()
    damaged.write_bytes(b"x")
    asked.clear()
    new, changed, known = pulled(run, event.public_id)
    assert (new + changed, known) == (2, 4)
    assert len([path for path in asked if path.endswith("/record")]) == 2
    assert len(index(folder)) == 6


def test_while_it_runs_there_are_closed_rounds_alone_and_they_may_change(run, aya, folder, asked):
    event = factories.an_open_tournament(stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    for owner in (aya, factories.ben()):
        factories.an_entry(event, owner)
    started(event)
    assert pulled(run, event.public_id) == (0, 0, 0)
    for table in waiting(event):
        play_table(table)
    tournament_advance(event)
    status, _, err = run("pull", event.public_id)
    assert (status, "sealed" in err) == (0, True)
    assert {path.split("/")[2] for path in index(folder)} == {"round-001"}
    asked.clear()
    run("pull", event.public_id)
    assert len([path for path in asked if path.endswith("/record")]) == 2
    play_out(event)
    assert pulled(run, event.public_id) == (6, 0, 6)


def test_whoever_only_watches_gets_records_alone(run, site, folder, monkeypatch):
    monkeypatch.setenv("RENSHO_URL", site)
    assert pulled(run, play_out(under_way()).public_id) == (2, 0, 0)
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
    assert pulled(run, "--bot", entry.version.bot.name) == (7, 0, 0)
    assert kinds(folder) == {"fault": 1, "log": 4, "record": 2}
    assert {file.get("tournament") for file in index(folder).values()} == {event.public_id, None}
    (fault,) = (folder / "faults").iterdir()
    assert run("reproduce", fault, "house:greedy", "--no-sandbox")[0] == 0
    assert pulled(run, "--bot", entry.version.public_id) == (0, 0, 7)
    assert pulled(run, "--bot", other.version.bot.name, "--into", "elsewhere") == (0, 0, 0)


def test_a_tournament_brings_its_own_faults_and_no_others(run, aya, folder):
    event, _ = with_faults(aya, factories.ben())
    with_faults(aya, factories.chie())
    assert pulled(run, event.public_id) == (7, 0, 0)
    assert kinds(folder) == {"fault": 1, "log": 4, "record": 2}


def test_somebody_else_s_bot_gives_its_records_alone(run, aya, folder):
    _, entry = with_faults(factories.ben(), aya)
    assert pulled(run, "--bot", entry.version.bot.public_id) == (2, 0, 0)
    assert kinds(folder) == {"record": 2}


def test_a_record_that_is_gone_is_told_with_status_1(run, aya, folder):
    event = play_out(under_way())
    table = Table.objects.first()
    Table.objects.filter(pk=table.pk).update(record_sha256="0" * 64)
    status, out, err = run("pull", event.public_id, "--json")
    (missing,) = json.loads(out)["missing"]
    assert (status, json.loads(out)["new"]) == (1, 5)
    assert missing.endswith(f"rotation-{table.rotation + 1}.ndjson")
    assert missing in err


def answers(*, record=b"x", etag="", event_id="e"):
    """What a server says of a tournament with one table."""
    table = {"id": "t", "state": "finished", "first_board": 1, "board_count": 2, "rotation": 0}
    fixture = {"id": "f", "tournament": event_id, "stage": 1, "round": 1, "number": 1, "is_sealed": False}
    return [
        plain({"id": event_id, "name": "Cup", "state": "final"}),
        plain({"next": None, "results": [{**fixture, "sides": [], "tables": [table]}]}),
        (200, {"Content-Type": "application/x-ndjson", "ETag": etag}, record),
    ]


@pytest.mark.parametrize(
    ("changed", "names"),
    [({"etag": f'"{"a" * 64}"'}, "rotation-1.ndjson"), ({"event_id": "../../evil"}, "../../evil")],
    ids=["damaged", "elsewhere"],
)
def test_what_comes_damaged_or_leads_elsewhere_is_not_kept(run, folder, scripted, changed, names):
    scripted(*answers(**changed), token="")
    run.refuses("pull", "e", names=names, status=3)
    assert not list(folder.parent.rglob("*.ndjson"))


@pytest.mark.parametrize(
    ("held", "names"),
    [
        ("{", "index.json"),
        ('{"format": "other/1", "server": "", "files": []}', "rensho-pull/1"),
        ('{"format": "rensho-pull/1", "server": "https://other.example", "files": []}', "https://other"),
    ],
)
def test_a_folder_of_something_else_is_left_alone(run, folder, scripted, held, names):
    folder.mkdir()
    (folder / "index.json").write_text(held)
    scripted(*answers(), token="")
    run.refuses("pull", "e", names=names)
    assert (folder / "index.json").read_text() == held


def test_nothing_named_is_told(run, folder):
    run.refuses("pull", names=("TOURNAMENT", "--bot"))
