"""Packs: many blobs in one file, read, repaired, deleted and rewritten as if each had its own."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.db.models import F
from django.utils import timezone

from arena.common import packs
from arena.common.blob_holds import deletions_hold
from arena.common.blob_storages import AtomicFileStorage
from arena.common.blob_sweep import blobs_sweep
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, blob_put, blobs_verify, blobs_write
from arena.common.models import Blob, LostBlob, Pack, PackProgress
from arena.common.packing import packs_tidy, packs_write
from arena.common.packs import blob_path, blobs_delete, blobs_in_file, pack_path, storage_names
from arena.jobs import blob_packing
from arena.jobs.blob_packing import blobs_pack
from arena.matches.models import BoardSet, Table
from tests.arena.once import made_once
from tests.arena.play import begun, play_out
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
DATAS = [f"record {number} ".encode() * number for number in range(1, 7)]


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """A blob storage of its own, as these tests damage it."""
    backend = settings.STORAGES["blobs"] | {"OPTIONS": {"location": tmp_path / "blobs"}}
    settings.STORAGES = settings.STORAGES | {"blobs": backend}
    return tmp_path / "blobs"


@pytest.fixture
def hashes() -> list[str]:
    return [blob_put(data, "record") for data in DATAS]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def pack_file(folder: Path) -> Path:
    """The only pack."""
    (path,) = folder.glob("packs/*/*")
    return path


def hours_pass() -> None:
    """Delete and rewrite what is due in two hours, all of it."""
    for _ in range(3):
        Pack.objects.update(state_at=F("state_at") - datetime.timedelta(hours=2))
        packs_tidy(60)


def packed(hashes: list[str]) -> Pack:
    """These blobs in a pack, without files of their own."""
    assert packs_write("record", hashes) == 1
    hours_pass()
    return Pack.objects.get()


def test_the_files_of_packed_blobs_are_deleted_an_hour_later(folder: Path, hashes: list[str]) -> None:
    assert packs_write("record", hashes) == 1
    pack = Pack.objects.get()
    assert (pack.members, pack.size, pack.state) == (6, pack_file(folder).stat().st_size, Pack.State.NEW)
    packs_tidy(60)
    assert len(files(folder)) == 7, "a reader may have missed the pack"
    assert blobs_sweep(-60) == []
    with deletions_hold():
        hours_pass()
    assert len(files(folder)) == 7, "a backup copies them"
    hours_pass()
    assert files(folder) == {pack_path(pack.sha256)} == set(storage_names())
    assert blobs_in_file(pack_path(pack.sha256)) == sorted(hashes)
    assert [blob_get(sha256) for sha256 in hashes] == DATAS
    assert blobs_verify(hashes) == {}
    assert blobs_sweep(-60) == []


def test_bytes_stored_again_are_swept_since_they_are_packed(folder: Path, hashes: list[str]) -> None:
    packed(hashes)
    assert blobs_write(DATAS) == hashes
    assert len(files(folder)) == 7
    assert sorted(blobs_sweep(-60)) == sorted(map(blob_path, hashes))
    assert [blob_get(sha256) for sha256 in hashes] == DATAS


def test_packs_are_bounded_in_members_and_bytes(hashes: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.common.packing.MAX_MEMBERS", 4)
    assert packs_write("record", hashes) == 2
    monkeypatch.setattr("arena.common.packing.MAX_BYTES", 1)
    assert packs_write("record", hashes) == 6, "a larger blob has a pack of its own"
    assert [blob_get(sha256) for sha256 in hashes] == DATAS


def test_a_deleted_blob_leaves_no_bytes(folder: Path, hashes: list[str]) -> None:
    before = packed(hashes)
    place = Blob.objects.get(sha256=hashes[2])
    assert place.pack_offset
    assert place.pack_length
    gone = pack_file(folder).read_bytes()[place.pack_offset : place.pack_offset + place.pack_length]
    assert blobs_delete(Blob.objects.filter(sha256=hashes[2])) == 1
    packs_tidy(60)
    assert Pack.objects.get(sha256=before.sha256).state == Pack.State.EMPTY
    with deletions_hold():
        hours_pass()
        assert (folder / pack_path(before.sha256)).exists(), "a backup copies it"
    hours_pass()
    assert not Pack.objects.filter(sha256=before.sha256).exists()
    assert all(gone not in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert gone
    refusal(BlobMissing, blob_get, hashes[2])
    rest = [sha256 for sha256 in hashes if sha256 != hashes[2]]
    assert [blob_get(sha256) for sha256 in rest] == DATAS[:2] + DATAS[3:]
    blobs_delete(Blob.objects.all())
    hours_pass()
    assert files(folder) == set()
    assert not Pack.objects.exists()


def test_a_blob_deleted_while_it_is_packed_leaves_no_bytes(
    folder: Path, hashes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_all = AtomicFileStorage.save_all

    def slow_save_all(store: AtomicFileStorage, contents: Any) -> None:
        save_all(store, contents)
        blobs_delete(Blob.objects.filter(sha256=hashes[0]))

    with monkeypatch.context() as patch:
        patch.setattr(AtomicFileStorage, "save_all", slow_save_all)
        packs_write("record", hashes)
    assert Pack.objects.get().state == Pack.State.STALE
    hours_pass()
    assert Pack.objects.get().members == 5


def test_damaged_bytes_are_repaired_in_a_file_and_dropped(folder: Path, hashes: list[str]) -> None:
    packed(hashes)
    place = Blob.objects.get(sha256=hashes[3])
    content = bytearray(pack_file(folder).read_bytes())
    content[(place.pack_offset or 0) + (place.pack_length or 0) // 2] ^= 1
    pack_file(folder).write_bytes(bytes(content))
    refusal(BlobDamaged, blob_get, hashes[3])
    assert blobs_verify(hashes) == {hashes[3]: LostBlob.Problem.DAMAGED}
    blobs_write([DATAS[3]])
    assert not LostBlob.objects.exists()
    hours_pass()
    assert Pack.objects.get().members == 5
    assert files(folder) == {pack_path(Pack.objects.get().sha256), blob_path(hashes[3])}
    assert [blob_get(sha256) for sha256 in hashes] == DATAS


def test_damage_does_not_keep_deleted_bytes(folder: Path, hashes: list[str]) -> None:
    before = packed(hashes)
    content = pack_file(folder).read_bytes()
    pack_file(folder).write_bytes(content[:-5])
    blobs_delete(Blob.objects.filter(sha256=hashes[0]))
    hours_pass()
    assert not (folder / pack_path(before.sha256)).exists()
    assert list(LostBlob.objects.values_list("blob", "problem")) == [(hashes[5], "damaged")]
    assert [blob_get(sha256) for sha256 in hashes[1:5]] == DATAS[1:5]


def test_without_the_pack_all_its_blobs_are_missing_until_it_is_restored(
    folder: Path, hashes: list[str]
) -> None:
    packed(hashes)
    blob_put(b"another blob, so that the storage is not empty", "record")
    path, content = pack_file(folder), pack_file(folder).read_bytes()
    path.unlink()
    refusal(BlobMissing, blob_get, hashes[0])
    assert blobs_verify(hashes) == dict.fromkeys(hashes, LostBlob.Problem.MISSING)
    blobs_delete(Blob.objects.filter(sha256=hashes[0]))
    hours_pass()
    path.write_bytes(content)
    assert blobs_verify(hashes[1:]) == {}
    hours_pass()
    assert not path.exists(), "it contained a deleted blob"
    assert [blob_get(sha256) for sha256 in hashes[1:]] == DATAS[1:]


def test_a_lost_blob_is_recorded_and_not_packed(folder: Path, hashes: list[str]) -> None:
    (folder / blob_path(hashes[0])).unlink()
    packs_write("record", hashes)
    assert Pack.objects.get().members == 5
    assert LostBlob.objects.get().blob_id == hashes[0]


class Killed(BaseException):
    """As if the process had been killed."""


STEPS: dict[str, tuple[type, str, bool]] = {
    "before the file": (AtomicFileStorage, "save_all", False),
    "after the file": (AtomicFileStorage, "save_all", True),
    "after the rows": (PackProgress, "save", False),
    "after all packs": (PackProgress, "save", True),
    "before the files of blobs are deleted": (AtomicFileStorage, "delete_all", False),
    "after the files of blobs are deleted": (AtomicFileStorage, "delete_all", True),
    "amid the files of blobs": (AtomicFileStorage, "delete", True),
}


def event_without_blobs() -> None:
    play_out(begun(3, boards_per_round=1))
    Blob.objects.all().delete()


rows_of_an_event = made_once(event_without_blobs)


@pytest.fixture
def tables(rows_of_an_event: None, monkeypatch: pytest.MonkeyPatch) -> list[Table]:
    """Tables of sets that were closed two hours ago, to be packed at once."""
    monkeypatch.setattr(blob_packing, "MIN_BLOBS", 1)
    BoardSet.objects.update(closed_at=timezone.now() - datetime.timedelta(hours=2))
    tables = list(Table.objects.all())
    for table in tables:
        table.record_sha256 = blob_put(b"record %d" % table.pk, "record")
        table.timings_sha256 = blob_put(b"timings %d" % table.pk, "timings")
        table.save()
    return tables


def read_all(tables: list[Table]) -> None:
    for table in tables:
        assert blob_get(table.record_sha256)
        assert blob_get(table.timings_sha256)


def pass_complete() -> None:
    """Everything that the hourly task does in some hours."""
    blobs_pack()
    hours_pass()
    blobs_sweep(-60)


@pytest.mark.parametrize("step", STEPS)
def test_nothing_is_lost_if_the_process_is_killed(
    step: str, tables: list[Table], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, is_after = STEPS[step]
    original = getattr(owner, name)

    def killed(*args: Any, **options: Any) -> None:
        if is_after:
            original(*args, **options)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, killed)
        with pytest.raises(Killed):
            pass_complete()
    read_all(tables)
    pass_complete()
    read_all(tables)
    in_packs = {name for name in files(folder) if name.startswith("packs/")}
    assert in_packs == {pack_path(sha256) for sha256 in Pack.objects.values_list("sha256", flat=True)}
    assert not Blob.objects.filter(kind__in=("record", "timings"), pack=None).exists()
    assert files(folder) == set(storage_names())
    assert set(Pack.objects.values_list("state", flat=True)) == {"ready"}


def test_a_pack_is_deleted_after_a_kill_between_file_and_row(
    folder: Path, hashes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(hashes)
    blobs_delete(Blob.objects.all())
    with monkeypatch.context() as patch:
        delete = AtomicFileStorage.delete

        def killed(store: AtomicFileStorage, name: str) -> None:
            delete(store, name)
            raise Killed

        patch.setattr(AtomicFileStorage, "delete", killed)
        with pytest.raises(Killed):
            hours_pass()
    assert Pack.objects.exists()
    hours_pass()
    assert not Pack.objects.exists()


def test_readers_find_every_blob_at_each_step(
    tables: list[Table], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def watched(original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            read_all(tables)
            result = original(*args, **options)
            read_all(tables)
            steps.append(name)
            return result

        return call

    for name in ("save_all", "delete_all", "delete"):
        monkeypatch.setattr(AtomicFileStorage, name, watched(getattr(AtomicFileStorage, name), name))
    monkeypatch.setattr(Pack.objects, "create", watched(Pack.objects.create, "create"))
    pass_complete()
    blobs_delete(Blob.objects.filter(sha256=blob_put(b"a log of this set", "log")))
    packs.packs_outdate(Pack.objects.values_list("pk", flat=True))
    pass_complete()
    assert {"save_all", "create", "delete_all", "delete"} <= set(steps)


def test_a_reader_follows_a_pack_that_is_replaced_as_it_reads(
    hashes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packed(hashes)
    read_range = AtomicFileStorage.read_range
    replaced: Iterator[bool] = iter([True])

    def slow(store: AtomicFileStorage, *args: Any) -> bytes:
        if next(replaced, False):
            packs.packs_outdate([pack.pk])
            hours_pass()
            assert not store.exists(pack_path(pack.sha256))
        return read_range(store, *args)

    monkeypatch.setattr(AtomicFileStorage, "read_range", slow)
    assert blob_get(hashes[0]) == DATAS[0]


def test_sets_are_packed_once_by_kind_as_soon_as_there_are_enough(
    tables: list[Table], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blob_packing, "MIN_BLOBS", 600)
    assert blobs_pack() == 0, "too few for a pack this week"
    monkeypatch.setattr(blob_packing, "MAX_WAIT", datetime.timedelta(minutes=30))
    assert blobs_pack() == 2
    assert set(Pack.objects.values_list("kind", flat=True)) == {"record", "timings"}
    assert not Blob.objects.filter(kind="timings", created_at=None).exists(), "they expire by their age"
    assert blobs_pack() == 0
    progress = PackProgress.objects.get(delay_hours=1)
    assert BoardSet.objects.filter(closed_seq=progress.closed_seq).exists()
    assert not BoardSet.objects.filter(closed_seq__gt=progress.closed_seq).exists()
    late = tables[0]
    Table.objects.filter(pk=late.pk).update(view_sha256=blob_put(b"a late view", "view"))
    assert blobs_pack() == 0
    BoardSet.objects.update(closed_at=timezone.now() - datetime.timedelta(days=3))
    assert blobs_pack() == 1, "in the second pass"


def test_open_sets_are_not_packed(tables: list[Table]) -> None:
    BoardSet.objects.update(state=BoardSet.State.OPEN, closed_at=None, closed_seq=None)
    assert blobs_pack() == 0


def test_a_storage_that_is_away_leaves_all_as_it_is(tables: list[Table], folder: Path) -> None:
    folder.rename(folder.with_name("away"))
    assert blobs_pack() == 0
    assert not LostBlob.objects.exists()
    folder.with_name("away").rename(folder)
    assert blobs_pack() == 2
    assert storages["blobs"].exists(pack_path(Pack.objects.all()[0].sha256))
