"""Lost records: found, reported, replayed in the sandbox, and exported as lost until they are there again."""

from __future__ import annotations

import dataclasses
import datetime
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.celery import app
from arena.common.blob_storages import BlobsUnavailable
from arena.common.blobs import blob_get, blob_path, blob_put, blobs_verify
from arena.common.models import Blob, LostBlob, ScrubProgress
from arena.competition.entries.services import entry_create
from arena.competition.models import Tournament
from arena.jobs import blob_scrub
from arena.jobs.flow import table_done
from arena.jobs.play import lease_play
from arena.jobs.record_repairs import record_replay, repairs_offer
from arena.jobs.uploads import version_store
from arena.matches.models import BoardSet, RecordRepair, Table
from arena.matches.orders import table_order
from arena.operations.health import PARTS
from arena.settings.metrics import MetricsAccess
from arena.standings.export import tournament_export
from arena.tables.views import table_view_make
from bots.kit.cli import main
from bots.kit.local.verify import export_verify
from referee.bundle import import_folder
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, claimed, play_out, played, started, waiting
from tests.refusals import refusal
from tests.scores import results_change

BOTS = Path(settings.REPOSITORY) / "bots" / "house"


@pytest.fixture(autouse=True)
def store(settings, tmp_path: Path) -> Path:
    """A blob storage of its own, as these tests damage it."""
    storage = {
        "BACKEND": "arena.common.blob_storages.AtomicFileStorage",
        "OPTIONS": {"location": tmp_path / "blobs"},
    }
    settings.STORAGES = {**settings.STORAGES, "blobs": storage}
    return tmp_path / "blobs"


rows_of_the_cup = made_once(lambda: play_out(begun(3, name="Cup", boards_per_round=2)), serials=1000)


@pytest.fixture
def cup(rows_of_the_cup: Tournament, store: Path, db: None) -> Tournament:
    """A final tournament of three; the records of all its tables are stored."""
    for sha256 in Blob.objects.values_list("sha256", flat=True):
        (store / blob_path(sha256)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(settings.DATA / "blobs" / blob_path(sha256), store / blob_path(sha256))
    return given(rows_of_the_cup)


def a_table(cup: Tournament) -> Table:
    return Table.objects.filter(tournament=cup).order_by("pk")[0]


def lose(store: Path, sha256: str) -> None:
    (store / blob_path(sha256)).unlink()


def flip(store: Path, sha256: str) -> None:
    path = store / blob_path(sha256)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


DAMAGE = pytest.mark.parametrize(("damage", "problem"), [(lose, "missing"), (flip, "damaged")])


def checked(*arguments: str) -> tuple[bool, dict]:
    """Whether the command ends without an error, and what it prints."""
    out = io.StringIO()
    try:
        call_command("blobs_check", "--json", *arguments, stdout=out)
    except CommandError:
        return False, json.loads(out.getvalue())
    return True, json.loads(out.getvalue())


def test_a_sound_storage_has_no_losses(cup: Tournament) -> None:
    is_ok, found = checked()
    assert is_ok
    assert (found["lost"], found["blobs"]) == ([], Blob.objects.count())


@DAMAGE
def test_a_lost_record_is_listed_with_its_table_and_remedy(
    damage, problem: str, cup: Tournament, store: Path
) -> None:
    table = a_table(cup)
    damage(store, table.record_sha256)
    is_ok, found = checked()
    assert not is_ok
    (loss,) = found["lost"]
    assert (loss["sha256"], loss["kind"], loss["problem"]) == (table.record_sha256, "record", problem)
    assert table.public_id in loss["references"][0]
    assert loss["repair"] == "replay"
    out = io.StringIO()
    assert "1 of" in str(refusal(CommandError, call_command, "blobs_check", stdout=out))
    assert table.record_sha256 in out.getvalue()
    assert "--repair" in out.getvalue()


@DAMAGE
def test_the_record_of_such_a_table_is_refused_by_a_code(
    damage, problem: str, cup: Tournament, store: Path, client: Client
) -> None:
    table = a_table(cup)
    damage(store, table.record_sha256)
    for part in ("record", "replay"):
        answer = client.get(f"/api/v1/tables/{table.public_id}/{part}")
        assert (answer.status_code, answer.json()["code"]) == (404, f"blob_{problem}")
    assert client.get(f"/tables/{table.public_id}").status_code == 200


@DAMAGE
def test_the_page_of_a_table_without_its_view_is_no_error(
    damage, problem: str, cup: Tournament, store: Path, client: Client
) -> None:
    table = a_table(cup)
    sha256 = blob_put(b'{"boards": []}', "view")
    Table.objects.filter(pk=table.pk).update(view_sha256=sha256)
    damage(store, sha256)
    assert client.get(f"/tables/{table.public_id}").status_code == 200
    answer = client.get(f"/api/v1/tables/{table.public_id}/view")
    assert (answer.status_code, answer.json()["code"]) == (404, "view_not_found")


def test_a_storage_that_is_not_there_loses_no_blob(cup: Tournament, store: Path, client: Client) -> None:
    store.rename(store.with_name("elsewhere"))
    refusal(BlobsUnavailable, blobs_verify, [a_table(cup).record_sha256])
    assert blob_scrub.blobs_scrub() == 0
    assert "storage" in str(refusal(CommandError, call_command, "blobs_check"))
    answer = client.get(f"/api/v1/tournaments/{cup.public_id}/export")
    assert (answer.status_code, answer.json()["code"]) == (503, "blobs_unavailable")
    store.mkdir()
    refusal(BlobsUnavailable, blobs_verify, [a_table(cup).record_sha256])
    assert not LostBlob.objects.exists()


# The export, and what verify says of it


@DAMAGE
def test_an_export_names_lost_records_and_verify_reports_their_tables(
    damage, problem: str, cup: Tournament, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = a_table(cup)
    damage(store, table.record_sha256)
    saved = tmp_path / "cup.zip"
    saved.write_bytes(tournament_export(cup, None))
    with zipfile.ZipFile(saved) as archive:
        assert json.loads(archive.read("lost.json")) == {"records": {table.record_sha256: problem}}
        assert f"records/{table.record_sha256}.ndjson" not in archive.namelist()
    assert LostBlob.objects.get().problem == problem

    assert main(["verify", str(saved), "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["disagreements"], found["unverified"]) == ([], [table.public_id])
    assert main(["verify", str(saved)]) == 3
    assert table.public_id in capsys.readouterr().out


def test_an_export_without_losses_has_no_list_of_them(cup: Tournament) -> None:
    with zipfile.ZipFile(io.BytesIO(tournament_export(cup, None))) as archive:
        assert "lost.json" not in archive.namelist()


def test_every_record_of_an_event_may_be_lost(cup: Tournament, store: Path) -> None:
    tables = Table.objects.filter(tournament=cup)
    for table in tables:
        lose(store, table.record_sha256)
    found = export_verify(Path("x.zip"), io.BytesIO(tournament_export(cup, None)))
    assert (found.disagreements, len(found.unverified)) == ([], tables.count())


def with_lost(data: bytes, text: str, without: str = "") -> io.BytesIO:
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            if name not in ("lost.json", without):
                new.writestr(name, old.read(name))
        new.writestr("lost.json", text)
    return made


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"records": []}', '{"records": {"%s": "gone"}}', '{"records": {"x": "missing"}}'],
)
def test_a_list_of_losses_that_cannot_be_is_a_disagreement(text: str, cup: Tournament) -> None:
    record = a_table(cup).record_sha256
    data = tournament_export(cup, None)
    packed = with_lost(data, text.replace("%s", record), f"records/{record}.ndjson")
    assert export_verify(Path("x.zip"), packed).disagreements


def test_a_record_that_is_there_cannot_be_called_lost(cup: Tournament) -> None:
    text = json.dumps({"records": {a_table(cup).record_sha256: "missing"}})
    found = export_verify(Path("x.zip"), with_lost(tournament_export(cup, None), text))
    assert found.disagreements


def test_results_of_a_lost_record_must_still_be_possible(cup: Tournament, store: Path) -> None:
    table = a_table(cup)
    lose(store, table.record_sha256)
    first = table.results[0]
    results_change(table, lambda result: None if result == first else result)
    assert export_verify(Path("x.zip"), io.BytesIO(tournament_export(cup, None))).disagreements


# Repair


@pytest.fixture
def broken(cup: Tournament, store: Path) -> Table:
    """A table whose record was found missing and whose replay was asked for."""
    table = a_table(cup)
    lose(store, table.record_sha256)
    is_ok, found = checked("--repair")
    assert not is_ok, "nothing is repaired before a worker has replayed it"
    assert (found["queued"], found["lost"][0]["repair"]) == (1, "queued")
    return table


def replayed(order, fetch, keep, progress):
    """The table as it was played: a player without processes."""
    return played(order, keep=lambda data, kind: keep(data))


def otherwise(order, fetch, keep, progress):
    """The table as bots that draw lots by themselves would play it."""
    return replayed(dataclasses.replace(order, key="0" * 64), fetch, keep, progress)


def failing(order, fetch, keep, progress):
    raise RuntimeError("the sandbox is gone")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Ids of the tables that workers were asked to replay."""
    asked: list[int] = []

    def send_task(name, args, **how):
        if name == "arena.jobs.tasks.record_repair":
            asked.append(args[0])

    monkeypatch.setattr(app, "send_task", send_task)
    return asked


def test_a_replay_stores_the_record_if_it_is_the_lost_one(broken: Table, cup: Tournament) -> None:
    assert record_replay(broken.pk, replayed)
    assert blob_get(broken.record_sha256)
    assert checked() == (True, {"blobs": Blob.objects.count(), "queued": 0, "made": 0, "lost": []})
    assert not RecordRepair.objects.exists()
    assert not export_verify(Path("x.zip"), io.BytesIO(tournament_export(cup, None))).unverified
    assert not record_replay(broken.pk, failing), "a second message finds nothing to do"


def test_a_replay_that_gives_another_record_stores_nothing(broken: Table) -> None:
    before = broken.record_sha256, Blob.objects.count()
    assert not record_replay(broken.pk, otherwise)
    broken.refresh_from_db()
    assert (broken.record_sha256, Blob.objects.count()) == before
    assert RecordRepair.objects.get().failure == "other_record"
    (loss,) = checked()[1]["lost"]
    assert loss["repair"] == "failed"
    checked("--repair")
    assert RecordRepair.objects.get().state == "waiting", "asked for again, it is tried again"


def test_a_replay_without_its_bundle_fails_at_once(broken: Table) -> None:
    def player(order, fetch, keep, progress):
        fetch(order.seats[0].bundle_sha256)

    assert not record_replay(broken.pk, player)
    assert RecordRepair.objects.get().failure == "blob_lost"


def test_faults_of_the_platform_are_tried_again_three_times(broken: Table) -> None:
    for state in ("waiting", "waiting", "failed"):
        assert not record_replay(broken.pk, failing)
        assert RecordRepair.objects.get().state == state
    assert RecordRepair.objects.get().failure == "platform"


def test_replays_are_offered_a_few_at_a_time_and_again_if_a_message_is_lost(
    cup: Tournament, store: Path, sent: list[int], django_capture_on_commit_callbacks
) -> None:
    tables = list(Table.objects.filter(tournament=cup).order_by("pk"))
    for table in tables:
        lose(store, table.record_sha256)
    checked("--repair")
    tables = [repair.table for repair in RecordRepair.objects.order_by("pk")]

    def offer() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            repairs_offer()

    offer()
    offer()
    assert sent == [table.pk for table in tables[:2]]
    record_replay(tables[0].pk, replayed)
    offer()
    assert sent == [table.pk for table in tables[:3]]
    RecordRepair.objects.update(requeued_at=timezone.now() - datetime.timedelta(hours=1))
    offer()
    assert sent[3:] == [table.pk for table in tables[1:3]]


def test_a_replay_of_a_lost_worker_is_taken_back(broken: Table, sent: list[int]) -> None:
    def dying(order, fetch, keep, progress):
        raise SystemExit

    refusal(SystemExit, record_replay, broken.pk, dying)
    repairs_offer()
    assert RecordRepair.objects.get().state == "playing"
    RecordRepair.objects.update(until=timezone.now())
    repairs_offer()
    assert RecordRepair.objects.get().state == "waiting"


def test_nothing_is_replayed_before_its_boards_are_unsealed(
    broken: Table, sent: list[int], django_capture_on_commit_callbacks
) -> None:
    BoardSet.objects.update(state=BoardSet.State.OPEN)
    with django_capture_on_commit_callbacks(execute=True):
        assert repairs_offer() == 0
    assert not record_replay(broken.pk, replayed)
    BoardSet.objects.update(state=BoardSet.State.CLOSED)
    with django_capture_on_commit_callbacks(execute=True):
        assert repairs_offer() == 1
    assert sent == [broken.pk]


def test_a_record_restored_from_a_backup_needs_no_replay(broken: Table, store: Path) -> None:
    played(table_order(broken))
    assert checked()[0]
    assert not record_replay(broken.pk, failing)
    assert not RecordRepair.objects.exists()


def test_the_same_bytes_uploaded_again_repair_a_bundle(cup: Tournament, store: Path) -> None:
    sha256 = blob_put(b"a bundle", "bundle")
    flip(store, sha256)
    (loss,) = checked()[1]["lost"]
    assert loss["repair"] == "backup"
    assert blob_put(b"a bundle", "bundle") == sha256
    assert checked()[0]


def test_a_lost_view_is_made_again(cup: Tournament, store: Path) -> None:
    table = a_table(cup)
    sha256 = table_view_make(table)
    lose(store, sha256)
    is_ok, found = checked("--repair")
    assert (is_ok, found["made"]) == (True, 1)
    flip(store, sha256)
    lose(store, table.timings_sha256)
    is_ok, found = checked("--repair")
    assert [loss["kind"] for loss in found["lost"]] == ["timings"], "a view can do without"
    table.refresh_from_db()
    assert table.view_sha256 != sha256
    assert blob_get(table.view_sha256)


@pytest.mark.full
def test_a_table_of_house_bots_is_replayed_to_the_same_record(cup: Tournament, store: Path) -> None:
    event = factories.an_open_tournament(name="House bots", boards_per_round=1)
    for name, owner in zip(("kakeya_random", "kakeya_rules"), factories.players(2), strict=True):
        bundle = import_folder(BOTS / name)
        version = version_store(factories.a_bot(owner), bundle, "", owner)
        entry_create(event, factories.passed(version), owner)
    started(event)
    for table in waiting(event):
        assert lease_play(claimed(table))
        table_done(event.public_id)
    tables = list(Table.objects.filter(tournament=event))
    assert all(table.record_sha256 for table in tables)
    for table in tables:
        lose(store, table.record_sha256)
    assert checked("--repair")[1]["queued"] == len(tables)
    for table in tables:
        assert record_replay(table.pk), RecordRepair.objects.get(table=table).detail
    assert checked()[0]


# The scrub


def test_the_scrub_reads_every_blob_some_at_a_tick(
    cup: Tournament, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blob_scrub, "BLOBS_PER_TICK", 5)
    monkeypatch.setattr(blob_scrub, "SECONDS_PER_TICK", 60)
    table = a_table(cup)
    flip(store, table.record_sha256)
    count = Blob.objects.count()
    read = [blob_scrub.blobs_scrub()]
    while ScrubProgress.objects.get().completed_at is None:
        read.append(blob_scrub.blobs_scrub())
    assert sum(read) == count
    assert max(read) == 5
    assert LostBlob.objects.get().blob_id == table.record_sha256
    played(table_order(table))
    for _ in read:
        blob_scrub.blobs_scrub()
    assert not LostBlob.objects.exists()


def test_known_problems_of_a_tick_are_removed_in_one_statement(
    cup: Tournament, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blob_scrub, "SECONDS_PER_TICK", 60)
    with CaptureQueriesContext(connection) as queries:
        assert blob_scrub.blobs_scrub() > 5
    assert sum(query["sql"].startswith("DELETE") for query in queries) == 1


def test_blobs_read_before_the_storage_fails_are_no_longer_lost(
    cup: Tournament, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blob_scrub, "SECONDS_PER_TICK", 60)
    first, second, third = Blob.objects.order_by("sha256")[:3]
    LostBlob.objects.create(blob=first, problem=LostBlob.Problem.MISSING)

    def blob_get(sha256: str, **options: object) -> bytes:
        if sha256 == third.sha256:
            raise BlobsUnavailable("it failed", "Check it.")
        return b""

    monkeypatch.setattr("arena.common.blobs.blob_get", blob_get)
    assert blob_scrub.blobs_scrub() == 2
    assert ScrubProgress.objects.get().last_sha256 == second.sha256
    assert not LostBlob.objects.exists()


def test_the_scrub_stops_when_its_time_is_up(
    cup: Tournament, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blob_scrub, "SECONDS_PER_TICK", 0)
    assert [blob_scrub.blobs_scrub() for _ in range(3)] == [1, 1, 1]
    first = Blob.objects.order_by("sha256").values_list("sha256", flat=True)[2]
    assert ScrubProgress.objects.get().last_sha256 == first


def test_a_blob_deleted_meanwhile_is_not_lost(db: None, store: Path) -> None:
    sha256 = blob_put(b"kept", "log")
    blob_put(b"another", "log")
    lose(store, sha256)
    Blob.objects.filter(pk=sha256).delete()
    assert blobs_verify([sha256]) == {}
    assert not LostBlob.objects.exists()


# Doctor and metrics


def test_doctor_and_metrics_report_what_is_lost(
    cup: Tournament, store: Path, client: Client, settings
) -> None:
    settings.METRICS_ACCESS = MetricsAccess(is_public=True)

    def shown() -> tuple[bool, set[str]]:
        lines = client.get("/metrics").content.decode().splitlines()
        (result,) = PARTS["blobs"]("blobs")
        return result.is_ok, {line for line in lines if line.startswith("rensho_blobs_lost{")}

    none = {'rensho_blobs_lost{problem="missing"} 0.0', 'rensho_blobs_lost{problem="damaged"} 0.0'}
    assert shown() == (True, none)
    table = a_table(cup)
    flip(store, table.record_sha256)
    lose(store, table.timings_sha256)
    checked()
    one = {line.replace("0.0", "1.0") for line in none}
    assert shown() == (False, one)
