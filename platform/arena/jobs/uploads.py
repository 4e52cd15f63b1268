"""Taking in an upload: read safely, stored by hash, its check under way."""

from __future__ import annotations

from django.db import transaction

from arena.accounts.models import User
from arena.common.blobs import blob_note, blob_write
from arena.common.errors import Invalid
from arena.common.models import Blob
from arena.jobs.publish import checks_publish
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import require_owner
from arena.roster.services import version_create, version_rejected_create
from referee.bundle import import_archive
from referee.errors import BundleError


def version_submit(bot: Bot, data: bytes, filename: str, notes: str, actor: User) -> BotVersion:
    """Make a version of an uploaded archive: waiting for its check, or rejected at once with the reason.

    Nothing of the archive is run here.

    Raises:
        Invalid: the bytes are no archive at all, or too large; nothing is kept.
        Forbidden: the bot is not the actor's.
    """
    require_owner(bot, actor)
    try:
        bundle = import_archive(data, filename)
    except BundleError as error:
        if error.is_unreadable:
            raise Invalid(error.message, error.code, field="bundle") from None
        reasons = [{"code": error.code, "message": error.message}]
        return version_rejected_create(bot, reasons=reasons, notes=notes, actor=actor)
    sha256 = blob_write(bundle.data)
    with transaction.atomic():
        blob_note(sha256, Blob.Kind.BUNDLE, len(bundle.data))
        version = version_create(
            bot,
            bundle_sha256=sha256,
            bundle_bytes=len(bundle.data),
            runtime=bundle.manifest.runtime,
            entry_point=bundle.manifest.entry_point,
            notes=notes,
            actor=actor,
        )
    checks_publish(version.checks.values_list("pk", flat=True))
    return version
