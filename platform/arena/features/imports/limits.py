"""Limits of imports. Archives come from outside, and may be made to exhaust this site."""

from __future__ import annotations

from league.verify.archive import ArchiveLimits

MAX_ARCHIVE_BYTES = 64 << 20
"""Pages read the whole archive to show a table."""
MAX_UPLOAD_BYTES = 32 << 20
"""Maximum bytes of an archive that is uploaded; the command takes up to ``MAX_ARCHIVE_BYTES``."""
LIMITS = ArchiveLimits(
    document_bytes=32 << 20,
    document_containers=1_000_000,
    records_bytes=1 << 30,
    members=20_000,
    ratio=100,
)
"""A table of 16 boards takes about 5 kB and 100 containers of the document, and 12 kB of the archive."""
MAX_ENTRIES = 5_000
MAX_KEYS_BYTES = 64 << 10
MAX_COMMITMENTS = 100
MAX_FINDINGS = 20
CHECK_TASK_S = 1800
"""Maximum seconds of a verification. A table of 16 boards takes about 30 ms."""
MAX_ATTEMPTS = 2
REFUSED_DAYS = 7
"""Days after which a refused import is deleted."""
