"""Uploads: read safely, store by hash, request a check."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from arena.accounts.models import User
from arena.common.blobs import blob_register, blob_write
from arena.common.errors import Invalid
from arena.common.models import Blob
from arena.competition.course_limits import MEMBER_VERSIONS, require_daily_limit
from arena.jobs.publish import checks_publish
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import require_owner, version_with_bundle, versions_uploaded_by
from arena.roster.services import version_create, version_rejected_create
from referee.archive_limits import (
    MAX_ENTRIES,
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_NAME_BYTES,
    MAX_TOTAL_BYTES,
)
from referee.bundle import IGNORED_NAMES, MANIFEST_BYTES, MAX_FOLDERS, PATH_BYTES, Bundle, import_archive
from referee.errors import BundleError
from referee.rejections import rejection_of


class Submission(NamedTuple):
    version: BotVersion
    is_new: bool


def version_submit(
    bot: Bot, data: bytes, filename: str, notes: str, actor: User, *, keeps_refused: bool = True
) -> Submission:
    """Create a version from an uploaded archive: waiting for its check, or rejected at once with the reason.

    A version with the same bundle is returned unchanged. No uploaded code is run here. Without
    ``keeps_refused``, an archive that would be rejected raises Invalid. Raises Forbidden, and Invalid if the
    bytes are not an archive, or too large; Conflict ``course_limit_reached``. Nothing is stored then.
    """
    require_owner(bot, actor)
    try:
        bundle = import_archive(data, filename)
    except BundleError as error:
        if error.is_unreadable or not keeps_refused:
            raise Invalid(error.message, error.code, field="bundle") from None
        reasons = [rejection_of(error).to_json()]
        return Submission(version_rejected_create(bot, reasons=reasons, notes=notes, actor=actor), True)
    with transaction.atomic():
        if (existing := version_with_bundle(bot, bundle.sha256)) is not None:
            return Submission(existing, False)
        # Locked, so that concurrent uploads are counted one after the other.
        User.objects.select_for_update().get(pk=actor.pk)
        require_daily_limit(actor, MEMBER_VERSIONS, versions_uploaded_by(actor))
        version = version_store(bot, bundle, notes, actor)
    checks_publish(version.checks.values_list("pk", flat=True))
    return Submission(version, True)


def version_store(bot: Bot, bundle: Bundle, notes: str, actor: User) -> BotVersion:
    """Create a version from a parsed bundle; its check waits until work is next published."""
    sha256 = blob_write(bundle.data)
    with transaction.atomic():
        blob_register(sha256, Blob.Kind.BUNDLE, len(bundle.data))
        return version_create(
            bot,
            bundle_sha256=sha256,
            bundle_bytes=len(bundle.data),
            runtime=bundle.manifest.runtime,
            entry_point=bundle.manifest.entry_point,
            notes=notes,
            actor=actor,
        )


def bundle_limits() -> dict[str, int]:
    """Return limits of the upload and of its content; names contain the unit."""
    return {
        "upload_bytes": settings.BUNDLE_UPLOAD_BYTES_MAX,
        "members": MAX_MEMBERS,
        "member_bytes": MAX_MEMBER_BYTES,
        "unpacked_bytes": MAX_TOTAL_BYTES,
        "entries": MAX_ENTRIES,
        "name_bytes": MAX_NAME_BYTES,
        "path_bytes": PATH_BYTES,
        "folders": MAX_FOLDERS,
        "manifest_bytes": MANIFEST_BYTES,
    }


def ignored_names() -> list[str]:
    """Return files and folders that are never part of a bundle, sorted."""
    return sorted(IGNORED_NAMES)
