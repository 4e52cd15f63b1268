"""What an upload may be, as plain values for whoever wants to know."""

from __future__ import annotations

from django.conf import settings

from referee.archive_limits import (
    MAX_ENTRIES,
    MAX_MEMBER_BYTES,
    MAX_MEMBERS,
    MAX_NAME_BYTES,
    MAX_TOTAL_BYTES,
)
from referee.bundle import MANIFEST_BYTES, MAX_FOLDERS, PATH_BYTES


def bundle_limits() -> dict[str, int]:
    """Limits of an upload as sent and of what is inside; the name of each says its unit."""
    return {
        "upload_bytes": settings.BUNDLE_UPLOAD_BYTES,
        "members": MAX_MEMBERS,
        "member_bytes": MAX_MEMBER_BYTES,
        "unpacked_bytes": MAX_TOTAL_BYTES,
        "entries": MAX_ENTRIES,
        "name_bytes": MAX_NAME_BYTES,
        "path_bytes": PATH_BYTES,
        "folders": MAX_FOLDERS,
        "manifest_bytes": MANIFEST_BYTES,
    }
