"""Blobs in a bucket of a real server: conditional writes, refused keys, a server that is away, the cache."""

from __future__ import annotations

import datetime
import hashlib
import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from arena.common import s3_storage
from arena.common.blob_cache import FOLDER
from arena.common.blob_storages import BlobsUnavailable
from arena.common.blobs import (
    BlobDamaged,
    BlobMissing,
    blob_get,
    blob_path,
    blob_put,
    blob_write,
    blobs_verify,
    blobs_write,
)
from arena.common.causes import Cause
from arena.common.models import Blob, LostBlob, Pack
from arena.common.packing import packs_tidy, packs_write
from arena.common.packs import blobs_delete, pack_path
from arena.common.s3_storage import S3BlobStorage
from arena.competition.models import Tournament
from arena.jobs.play import lease_play
from arena.jobs.selftest import Selftest, samples_clean, storage_fault
from arena.matches.models import Table
from arena.operations.blob_check import losses
from arena.operations.health import PARTS
from arena.settings.storage import blob_storage_of
from arena.tables.machine_faults import cause_of
from tests import factories
from tests.arena.play import claimed, played, waiting
from tests.object_storage import KEY_ID, READER_ID, READER_SECRET, SECRET, ObjectStorage, object_storage
from tests.refusals import refusal

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("object storage")]
_prefixes = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStorage]:
    with object_storage(tmp_path_factory.mktemp("weed")) as running:
        running.client().create_bucket(Bucket="blobs")
        yield running


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    return shared_running


class Site:
    """A site with blobs below a prefix of its own."""

    def __init__(self, server: ObjectStorage, settings: Any, data: Path) -> None:
        self.server, self.settings, self.data = server, settings, data
        self.prefix = f"site{next(_prefixes)}/blobs"
        self.client = server.client()
        settings.DATA = data
        settings.BLOB_CACHE_BYTES = 1 << 20
        self.use()

    def use(self, key_id: str = KEY_ID, secret: str = SECRET, bucket: str = "blobs") -> S3BlobStorage:
        url = f"s3://{bucket}/{self.prefix}?endpoint={self.server.endpoint}"
        given = {"RENSHO_BLOBS": url, "AWS_ACCESS_KEY_ID": key_id, "AWS_SECRET_ACCESS_KEY": secret}
        self.settings.STORAGES = {**self.settings.STORAGES, "blobs": blob_storage_of(given, self.data)}
        store = storages["blobs"]
        assert isinstance(store, S3BlobStorage)
        return store

    @property
    def store(self) -> S3BlobStorage:
        store = storages["blobs"]
        assert isinstance(store, S3BlobStorage)
        return store

    def spoil(self, sha256: str, data: bytes = b"spoilt") -> None:
        self.client.put_object(Bucket="blobs", Key=f"{self.prefix}/{blob_path(sha256)}", Body=data)

    def written_at(self, sha256: str) -> datetime.datetime:
        return self.store.get_modified_time(blob_path(sha256))

    def cached(self, sha256: str) -> Path:
        return self.data / FOLDER / sha256[:2] / sha256


@pytest.fixture
def site(server: ObjectStorage, settings: Any, tmp_path: Path) -> Site:
    return Site(server, settings, tmp_path)


def etag(site: Site, sha256: str) -> str:
    answer = site.client.head_object(Bucket="blobs", Key=f"{site.prefix}/{blob_path(sha256)}")
    return str(answer["ETag"])


def test_names_dates_and_deletion_as_with_files(site: Site) -> None:
    store = site.store
    assert store.is_empty()
    assert store.listdir("") == ([], [])
    store.save_all(
        {name: ContentFile(name.encode()) for name in ("aa/bb/one", "aa/cc/two", "packs/three", "four")}
    )
    assert store.listdir("") == (["aa", "packs"], ["four"])
    assert store.listdir("aa") == (["bb", "cc"], [])
    assert store.listdir("aa/bb") == ([], ["one"])
    assert sorted(store.names()) == ["aa/bb/one", "aa/cc/two", "four", "packs/three"]
    assert abs(timezone.now() - store.get_modified_time("four")) < datetime.timedelta(minutes=5)
    assert (store.size("four"), store.read_range("four", 1, 2)) == (4, b"ou")
    store.delete("four")
    store.delete("four")
    assert not store.exists("four")
    refusal(FileNotFoundError, store.get_modified_time, "four")
    refusal(FileNotFoundError, store.open, "four")
    assert not store.is_empty()


def test_listings_continue_over_pages_and_end_at_a_bound(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    store = site.store
    monkeypatch.setattr(s3_storage, "PAGE", 10)
    names = [f"{number:02}" for number in range(25)]
    store.save_all({f"x/{name}": ContentFile(b"1") for name in names})
    assert sorted(store.listdir("x")[1]) == names
    assert sorted(store.names()) == [f"x/{name}" for name in names]
    monkeypatch.setattr(s3_storage, "MAX_LISTED", 20)
    assert sorted(store.listdir("x")[1]) == names[:20]


@pytest.mark.django_db
def test_writing_again_keeps_a_fresh_object_and_renews_an_old_one(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = blob_write(b"bytes")
    site.spoil(sha256, b"other bytes: an object that is kept can be told apart")
    kept = etag(site, sha256)
    blob_write(b"bytes")
    assert etag(site, sha256) == kept, "without a row and fresh, a conditional write keeps it"
    monkeypatch.setattr(s3_storage, "FRESH_S", -1)
    blob_write(b"bytes")
    assert etag(site, sha256) != kept, "the sweep may delete an old one before its row is written"
    assert blob_get(sha256) == b"bytes"


@pytest.mark.django_db
def test_a_damaged_object_is_found_and_replaced(site: Site) -> None:
    sha256 = blob_put(b"a record", Blob.Kind.RECORD)
    assert blob_get(sha256) == b"a record"
    site.spoil(sha256)
    assert blob_get(sha256) == b"a record", "from the cache"
    assert blobs_verify([sha256]) == {sha256: LostBlob.Problem.DAMAGED}, "the scrub reads the storage"
    blob_put(b"a record", Blob.Kind.RECORD)
    assert blobs_verify([sha256]) == {}


@pytest.mark.django_db
def test_a_missing_object_is_lost_only_if_others_are_there(site: Site) -> None:
    sha256 = blob_put(b"a record", Blob.Kind.RECORD)
    site.store.delete(blob_path(sha256))
    refusal(BlobMissing, blob_get, sha256)
    refusal(BlobsUnavailable, blobs_verify, [sha256])  # the prefix is empty: a wrong one, perhaps
    blob_write(b"another")
    assert blobs_verify([sha256]) == {sha256: LostBlob.Problem.MISSING}


@pytest.mark.django_db
def test_copies_on_this_machine_are_verified(site: Site) -> None:
    sha256 = blob_put(b"a bundle", Blob.Kind.BUNDLE)
    assert not site.cached(sha256).exists()
    assert blob_get(sha256) == b"a bundle"
    site.cached(sha256).write_bytes(b"spoilt")
    assert blob_get(sha256) == b"a bundle"
    assert site.cached(sha256).read_bytes() != b"spoilt", "fetched again"
    site.spoil(sha256)
    site.cached(sha256).unlink()
    refusal(BlobDamaged, blob_get, sha256)
    assert not site.cached(sha256).exists()


@pytest.mark.parametrize(
    ("key_id", "secret", "bucket", "code"),
    [
        (KEY_ID, "wrong-secret", "blobs", "SignatureDoesNotMatch"),
        ("unknown-key", SECRET, "blobs", "InvalidAccessKeyId"),
        (READER_ID, READER_SECRET, "blobs", "AccessDenied"),
        (KEY_ID, SECRET, "no-such-bucket", "bucket"),
    ],
)
@pytest.mark.django_db
def test_a_refused_key_is_a_fault_of_the_storage(
    site: Site, key_id: str, secret: str, bucket: str, code: str
) -> None:
    sha256 = blob_put(b"a bundle", Blob.Kind.BUNDLE)
    factories.an_upload(factories.a_bot(factories.aya()), bundle_sha256=sha256)
    store = site.use(key_id, secret, bucket)
    fault = Selftest().fault()
    assert fault is not None
    assert fault.cause == Cause.STORE
    assert code in fault.text
    assert not any(word in fault.text for word in (secret, site.server.endpoint))
    (result,) = PARTS["storage"]("storage")
    assert (result.is_ok, code in result.detail, bool(result.remedy)) == (False, True, True)
    refusal(BlobsUnavailable, blob_write, b"new bytes")
    if code != "AccessDenied":  # that key may read
        assert cause_of(refused(BlobsUnavailable, sha256)) == Cause.STORE
        refusal(BlobsUnavailable, store.exists, blob_path(sha256))
        refusal(BlobsUnavailable, store.listdir, "")
        refusal(BlobsUnavailable, store.is_empty)
        refusal(BlobsUnavailable, blobs_verify, [sha256])
        assert not LostBlob.objects.exists()


def refused(kind: type[Exception], sha256: str) -> Exception:
    with pytest.raises(kind) as caught:
        blob_get(sha256)
    return caught.value


@pytest.mark.django_db
def test_objects_of_killed_self_tests_are_removed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    store = site.store
    assert storage_fault(store) is None
    assert store.is_empty(), "a self-test removes its object"
    store.save(".writing-selftest-1", ContentFile(b"x"))
    assert samples_clean() == []
    monkeypatch.setattr("arena.jobs.selftest.STALE_SAMPLE_S", -1.0)
    assert ".writing-selftest-1" in samples_clean()
    assert store.is_empty()


@pytest.mark.django_db
def test_a_folder_is_copied_once_without_its_damaged_files(site: Site, tmp_path: Path) -> None:
    remote = site.settings.STORAGES
    source = tmp_path / "blobs"
    site.settings.STORAGES = {**remote, "blobs": blob_storage_of({}, tmp_path)}
    refusal(CommandError, call_command, "blobs_copy")
    intact, damaged = blobs_write([b"one", b"two"])
    (source / blob_path(damaged)).write_bytes(b"spoilt")
    (source / "packs").mkdir()
    (source / "packs" / "pack").write_bytes(b"any bytes")
    (source / ".writing-1").write_bytes(b"a draft")
    site.settings.STORAGES = remote
    refusal(CommandError, call_command, "blobs_copy", source=tmp_path / "absent")
    assert damaged in refusal_of_copy(site)
    assert sorted(site.store.names()) == sorted([blob_path(intact), "packs/pack"])
    assert blob_get(intact) == b"one"
    (source / blob_path(damaged)).unlink()
    before = etag(site, intact)
    call_command("blobs_copy")
    assert etag(site, intact) == before


@pytest.mark.django_db
def test_packs_are_read_in_ranges_and_their_blobs_are_cached(site: Site) -> None:
    datas = [b"record %d" % number for number in range(5)]
    hashes = [blob_put(data, Blob.Kind.RECORD) for data in datas]

    def hours_pass() -> None:
        Pack.objects.update(state_at=F("state_at") - datetime.timedelta(hours=2))
        packs_tidy(60)

    assert packs_write("record", hashes) == 1
    hours_pass()
    (name,) = site.store.names()
    assert name == pack_path(Pack.objects.get().sha256)
    assert [blob_get(sha256) for sha256 in hashes] == datas
    assert all(site.cached(sha256).exists() for sha256 in hashes)
    site.store.delete(name)
    assert [blob_get(sha256) for sha256 in hashes] == datas, "from the cache"
    refusal(BlobMissing, blob_get, hashes[0], is_cached=False)
    blobs_write(datas[:1])
    refusal(BlobMissing, blob_get, hashes[1], is_cached=False)
    assert len(blobs_verify(hashes)) == 4
    for data in datas:
        blobs_write([data])
    assert blobs_verify(hashes) == {}
    hours_pass()

    assert packs_write("record", hashes) == 1
    hours_pass()
    blobs_delete(Blob.objects.filter(sha256=hashes[0]))
    hours_pass()
    hours_pass()
    (name,) = site.store.names()
    content = site.store.open(name).read()
    assert [blob_get(sha256, is_cached=False) for sha256 in hashes[1:]] == datas[1:]
    place = Blob.objects.get(sha256=hashes[4])
    site.store.save(name, ContentFile(content[: place.pack_offset]))
    assert blobs_verify(hashes[1:]) == {hashes[4]: LostBlob.Problem.DAMAGED}, "the object is cut short"
    store = site.use("unknown-key")
    refusal(BlobsUnavailable, store.delete_all, [name])
    refusal(BlobsUnavailable, packs_write, "record", hashes[1:2])


def refusal_of_copy(site: Site) -> str:
    said = io.StringIO()
    with pytest.raises(CommandError):
        call_command("blobs_copy", stdout=said)
    return said.getvalue()


@pytest.mark.django_db(transaction=True)
def test_a_table_is_played_although_the_server_was_away(running: Tournament, site: Site) -> None:
    site.settings.TABLE_REPORT_RETRY_S = 0.1
    lease = claimed(waiting(running)[0])

    def player(order: Any, blob_get: Any, keep: Any, progress: Any) -> Any:
        report = played(order)
        for sha256 in filter(None, {report.record_sha256, report.timings_sha256}):
            keep(blob_get(sha256))
        Blob.objects.all().delete()  # as if nothing of it had been stored
        return report

    assert lease_play(lease, player)
    table = Table.objects.get(pk=lease.table_id)
    assert table.state == Table.State.FINISHED
    assert site.store.exists(blob_path(table.record_sha256))
    record = blob_get(table.record_sha256)
    assert hashlib.sha256(record).hexdigest() == table.record_sha256

    site.server.stop()
    try:
        assert blob_get(table.record_sha256) == record, "from the cache"
        site.settings.BLOB_CACHE_BYTES = 0
        assert cause_of(refused(BlobsUnavailable, table.record_sha256)) == Cause.STORE
        refusal(BlobsUnavailable, blobs_verify, [table.record_sha256])
        assert not LostBlob.objects.exists()
        fault = Selftest().fault()
        assert fault is not None
        assert fault.cause == Cause.STORE
        again = claimed(waiting(running)[0])
        assert not lease_play(again, player)
    finally:
        site.server.start()
    waits = Table.objects.get(pk=again.table_id)
    assert (waits.state, waits.attempt, waits.cause) == (Table.State.WAITING, 0, Cause.STORE)
    assert Selftest().fault() is None
    assert blob_get(table.record_sha256) == record


@pytest.mark.django_db
def test_a_blob_of_a_bucket_is_restored_to_the_bucket(settings: Settings) -> None:
    sha256 = blob_put(b"times", "timings")
    options = {"bucket_name": "rensho", "location": "site", "endpoint_url": "http://127.0.0.1:1"}
    s3 = {"BACKEND": "arena.common.s3_storage.S3BlobStorage", "OPTIONS": options}
    settings.STORAGES = {**settings.STORAGES, "blobs": s3}
    LostBlob.objects.create(blob_id=sha256, problem=LostBlob.Problem.MISSING)
    (loss,) = losses()
    assert f"restore {blob_path(sha256)} to s3://rensho/site at http://127.0.0.1:1" in loss.remedy
