"""Uploads: stored by hash and queued for a check, rejected with a reason, or not taken at all."""

import io
import logging
import zipfile

import pytest

from arena.common.blobs import blob_get
from arena.common.errors import Forbidden, Invalid
from arena.common.models import Blob
from arena.jobs.uploads import version_submit
from arena.roster.models import BotVersion, CheckRun
from referee.bundle import read_bundle
from tests import factories
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return packed.getvalue()


MANIFEST = 'name = "mine"\nruntime = "python/1"\nentry_point = "main.py"\n'


def test_a_good_archive_waits_for_its_check_with_its_bundle_stored() -> None:
    owner = factories.aya()
    version = version_submit(
        factories.a_bot(owner),
        zipped(rensho__toml=MANIFEST, main__py="print()"),
        "mine.zip",
        "first try",
        owner,
    ).version
    assert version.state == BotVersion.State.UPLOADED
    assert (version.runtime, version.entry_point, version.notes) == ("python/1", "main.py", "first try")
    assert version.checks.get().state == CheckRun.State.WAITING
    bundle = read_bundle(blob_get(version.bundle_sha256))
    assert bundle.sha256 == version.bundle_sha256
    assert bundle.files == ("main.py", "rensho.toml")


def test_the_same_files_packed_otherwise_are_the_same_version() -> None:
    owner = factories.aya()
    bot = factories.a_bot(owner)
    archive = zipped(rensho__toml=MANIFEST, main__py="print()")
    first = version_submit(bot, archive, "a.zip", "", owner)
    second = version_submit(bot, zipped(main__py="print()", rensho__toml=MANIFEST), "b.zip", "", owner)
    assert (first.version, first.is_new, second.is_new) == (second.version, True, False)
    assert bot.versions.count() == 1
    assert version_submit(factories.a_bot(owner), archive, "a.zip", "", owner).is_new, "of another bot"


@pytest.mark.parametrize("state", ["rejected", "retired"])
def test_files_of_a_version_that_was_given_up_are_a_new_version(state: str) -> None:
    owner = factories.aya()
    bot = factories.a_bot(owner)
    archive = zipped(rensho__toml=MANIFEST, main__py="print()")
    first = version_submit(bot, archive, "a.zip", "", owner).version
    BotVersion.objects.filter(pk=first.pk).update(state=state)
    second = version_submit(bot, archive, "a.zip", "", owner)
    assert (second.version.number, second.is_new) == (2, True)


def test_what_is_wrong_inside_is_a_rejected_version_that_says_why() -> None:
    owner = factories.aya()
    version = version_submit(
        factories.a_bot(owner), zipped(rensho__toml=MANIFEST, other__py="print()"), "mine.zip", "", owner
    ).version
    assert version.state == BotVersion.State.REJECTED
    (reason,) = version.reasons
    assert reason["code"]
    assert "main.py" in reason["message"]
    assert version.checks.get().state == CheckRun.State.DONE


def test_what_is_no_archive_is_refused_and_leaves_nothing() -> None:
    owner = factories.aya()
    bot = factories.a_bot(owner)
    refused = refusal(Invalid, version_submit, bot, b"not an archive at all", "mine.zip", "", owner)
    assert refused.extra["field"] == "bundle"
    assert not bot.versions.exists()
    assert not Blob.objects.exists()


def test_a_stranger_cannot_upload_for_another() -> None:
    bot = factories.a_bot(factories.aya())
    with pytest.raises(Forbidden):
        version_submit(
            bot, zipped(rensho__toml=MANIFEST, main__py="print()"), "mine.zip", "", factories.chie()
        )
    assert not bot.versions.exists()
    assert not Blob.objects.exists()


def test_a_broker_that_is_down_does_not_spoil_an_upload(
    caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks
) -> None:
    owner = factories.aya()
    bot = factories.a_bot(owner)
    with caplog.at_level(logging.WARNING), django_capture_on_commit_callbacks(execute=True):
        version = version_submit(
            bot, zipped(rensho__toml=MANIFEST, main__py=""), "mine.zip", "", owner
        ).version
    assert "tick" in caplog.text
    assert version.checks.get().state == CheckRun.State.WAITING
