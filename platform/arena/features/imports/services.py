"""Imports of exports: cheap checks at once, verification in the background, removal."""

from __future__ import annotations

import datetime
import hashlib
import io
import logging
import re
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.blob_storages import BlobsUnavailable
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, blob_register, blob_write
from arena.common.errors import Conflict, Forbidden, Invalid, quoted
from arena.common.features import AccountDeletion
from arena.common.models import Blob
from arena.common.notes import Note
from arena.common.packs import blobs_delete
from arena.features.imports.limits import (
    CHECK_TASK_S,
    LIMITS,
    MAX_ARCHIVE_BYTES,
    MAX_ATTEMPTS,
    MAX_COMMITMENTS,
    MAX_ENTRIES,
    MAX_FINDINGS,
    MAX_KEYS_BYTES,
    REFUSED_DAYS,
)
from arena.features.imports.models import ImportedEvent, ImportedRound
from arena.features.imports.summary import event_name, rounds_of, shown, summary_of
from arena.matches.replays import played_table
from league.errors import ArchiveInvalid
from league.verify.archive import ArchiveVerification, archive_document, archive_verify
from league.verify.export import FORMAT
from league.verify.statements import is_unfinished, keys_of_text

log = logging.getLogger(__name__)

State = ImportedEvent.State
SHA256 = re.compile("[0-9a-f]{64}")
ATTEMPT_GRACE_S = 120
"""Seconds after the time limit of a verification at which its worker counts as lost."""


class ImportRefused(Invalid):
    """The export does not verify; ``findings`` has a sentence for each disagreement, bounded."""

    def __init__(self, findings: list[str]) -> None:
        self.findings = [shown(sentence) for sentence in findings[:MAX_FINDINGS]]
        count = len(findings)
        message = f"The export does not verify ({count} disagreement{'s' * (count != 1)}): {self.findings[0]}"
        super().__init__(message, "import_not_verified")
        self.count = count


def require_staff(actor: User) -> None:
    if not is_staff(actor):
        raise Forbidden("Only staff can import tournaments.", "not_staff")


def keys_parse(text: str) -> dict[str, str]:
    """Return the keys of a key document or of hex digits, in hex by id. Raises Invalid, ``invalid_keys``."""
    if not text.strip():
        return {}
    try:
        if len(text) > MAX_KEYS_BYTES:
            raise ValueError(f"it has more than {MAX_KEYS_BYTES} characters")
        return {name: key.hex() for name, key in keys_of_text(text).items()}
    except ValueError as error:
        raise Invalid(
            f"These are not the keys of a site ({shown(str(error))}): give the content of its "
            "/.well-known/rensho-key.",
            "invalid_keys",
            field="keys",
        ) from None


def commitments_parse(text: str) -> list[str]:
    """Return published digests, separated by spaces or commas, in lower case. Raises Invalid,
    ``invalid_commitments``.
    """
    digests = list(dict.fromkeys(text.lower().replace(",", " ").split()))
    wrong = [digest for digest in digests if not SHA256.fullmatch(digest)]
    if wrong or len(digests) > MAX_COMMITMENTS:
        problem = f"{quoted(wrong[0])} is no digest" if wrong else f"{len(digests)} digests are too many"
        raise Invalid(
            f"{problem}: give up to {MAX_COMMITMENTS} commitments or digests, of 64 hex digits each.",
            "invalid_commitments",
            field="commitments",
        )
    return digests


def import_submit(
    data: bytes, actor: User, *, origin: str = "", keys: str = "", commitments: str = ""
) -> ImportedEvent:
    """Store an archive, to be verified in the background; ``import_check`` does it.

    Nothing is stored if it is refused: Forbidden (``not_staff``), Invalid (``import_too_large``,
    ``import_unreadable``, ``import_format_unsupported``, ``import_unfinished``, ``invalid_keys``,
    ``invalid_commitments``), Conflict (``import_exists``), BlobsUnavailable.
    """
    require_staff(actor)
    event = _event_of(data, origin, keys, commitments)
    event.imported_by = actor
    blob_write(data)
    with transaction.atomic():
        return _store(event)


def import_now(data: bytes, *, origin: str = "", keys: str = "", commitments: str = "") -> ImportedEvent:
    """Verify an archive and import it. Raises as ``import_submit``, and ``ImportRefused``."""
    event = _event_of(data, origin, keys, commitments)
    verified = _verify(data, event)
    blob_write(data)
    with transaction.atomic():
        _complete(_store(event), verified)
    return event


def import_check(pk: int) -> None:
    """Verify a submitted archive, then publish or refuse it. Returns at once if another worker does."""
    now = timezone.now()
    waiting = ImportedEvent.objects.filter(pk=pk, state=State.CHECKING, started_at=None)
    event = ImportedEvent.objects.filter(pk=pk).first()
    if event is None or not waiting.update(started_at=now, attempts=event.attempts + 1):
        return
    try:
        verified = _verify(blob_get(event.sha256), event)
        with transaction.atomic():
            _complete(event, verified)
    except ImportRefused as refused:
        _refuse(event, {"code": "import_disagrees", "count": refused.count}, refused.findings)
    except (Invalid, BlobMissing, BlobDamaged) as error:
        _refuse(event, {"code": "fault", "why": error.message})
    except BlobsUnavailable:
        # The tick tries again.
        ImportedEvent.objects.filter(pk=pk).update(started_at=None, attempts=event.attempts)
        raise
    except SoftTimeLimitExceeded:
        _refuse(event, {"code": "import_timed_out", "minutes": CHECK_TASK_S // 60})


def imports_sweep() -> list[int]:
    """End lost verifications, delete old refusals, and return the keys of imports that wait. Idempotent."""
    now = timezone.now()
    lost_before = now - datetime.timedelta(seconds=CHECK_TASK_S + ATTEMPT_GRACE_S)
    waiting = []
    for event in ImportedEvent.objects.filter(state=State.CHECKING):
        if event.started_at is not None and event.started_at < lost_before:
            if event.attempts >= MAX_ATTEMPTS:
                _refuse(event, {"code": "import_timed_out", "minutes": CHECK_TASK_S // 60})
                continue
            ImportedEvent.objects.filter(pk=event.pk, started_at=event.started_at).update(started_at=None)
            event.started_at = None
        if event.started_at is None:
            waiting.append(event.pk)
    old = now - datetime.timedelta(days=REFUSED_DAYS)
    ImportedEvent.objects.filter(state=State.REFUSED, imported_at__lt=old).delete()
    return waiting


def import_delete(event: ImportedEvent, actor: User) -> None:
    """Delete an import and its archive. Raises Forbidden (``not_staff``)."""
    require_staff(actor)
    with transaction.atomic():
        audit(actor, "delete_import", event, {"name": event.name, "sha256": event.sha256})
        if event.state != State.REFUSED:
            _archive_release(event)
        event.delete()


def imports_forget(deletion: AccountDeletion) -> tuple[()]:
    """Remove a deleted account from its imports, which stay."""
    ImportedEvent.objects.filter(imported_by=deletion.user).update(imported_by=None)
    return ()


def _event_of(data: bytes, origin: str, keys: str, commitments: str) -> ImportedEvent:
    """Return an unsaved import after all checks that need no replay."""
    if len(data) > MAX_ARCHIVE_BYTES:
        raise Invalid(
            f"The archive has more than {MAX_ARCHIVE_BYTES >> 20} MiB, the maximum of an import.",
            "import_too_large",
            field="archive",
        )
    sha256 = hashlib.sha256(data).hexdigest()
    _require_new(sha256)
    given, digests = keys_parse(keys), commitments_parse(commitments)
    document = _document(data)
    return ImportedEvent(
        name=event_name(document),
        origin=origin,
        origin_id=shown(document["tournament"]["id"]),
        sha256=sha256,
        size=len(data),
        keys=given,
        commitments=digests,
    )


def _document(data: bytes) -> dict[str, Any]:
    try:
        document: Any = archive_document(io.BytesIO(data), LIMITS)
    except ArchiveInvalid as error:
        raise _invalid(error) from None
    stated = document.get("format") if isinstance(document, dict) else None
    if not isinstance(document, dict) or stated != FORMAT:
        raise Invalid(
            f"The export has the format {shown(repr(stated))}; this site reads {FORMAT}. If it is "
            "newer, update this site; otherwise export the tournament again.",
            "import_format_unsupported",
            field="archive",
        )
    try:
        unfinished, entries = is_unfinished(document), len(document["entries"])
        event_name(document)
    except (LookupError, TypeError, AttributeError) as error:
        raise _invalid(ArchiveInvalid(f"tournament.json lacks {error}")) from None
    if unfinished:
        raise Invalid(
            f"The tournament is {shown(str(document['tournament']['state']))}: it can be imported when it is "
            "final or cancelled, because only then its export has the secret that proves the deals.",
            "import_unfinished",
            field="archive",
        )
    if entries > MAX_ENTRIES:
        raise _invalid(ArchiveInvalid(f"it has more than {MAX_ENTRIES} entries", is_too_large=True))
    return document


def _invalid(error: ArchiveInvalid) -> Invalid:
    if error.is_too_large:
        return Invalid(f"The archive is too large: {error}.", "import_too_large", field="archive")
    message = f"The file is not a complete export of a tournament ({error}). Download it again from its site."
    return Invalid(message, "import_unreadable", field="archive")


def _require_new(sha256: str) -> None:
    existing = ImportedEvent.objects.filter(sha256=sha256).exclude(state=State.REFUSED).first()
    if existing is not None:
        raise Conflict(
            f"This archive is already imported as {existing.public_id}: see /imports/{existing.public_id}.",
            "import_exists",
            field="archive",
            existing=existing.public_id,
        )


def _verify(data: bytes, event: ImportedEvent) -> ArchiveVerification:
    publics = {name: bytes.fromhex(key) for name, key in event.keys.items()} or None
    try:
        verified = archive_verify(
            io.BytesIO(data), played_table, commitments=event.commitments, keys=publics, limits=LIMITS
        )
    except ArchiveInvalid as error:
        raise _invalid(error) from None
    if verified.disagreements:
        raise ImportRefused(verified.disagreements)
    return verified


def _store(event: ImportedEvent) -> ImportedEvent:
    try:
        with transaction.atomic():
            event.save()
            blob_register(event.sha256, Blob.Kind.EXPORT, event.size)
            audit(event.imported_by, "import", event, name=event.name, sha256=event.sha256)
    except IntegrityError:
        _require_new(event.sha256)
        raise
    return event


def _complete(event: ImportedEvent, verified: ArchiveVerification) -> None:
    rows = ImportedEvent.objects.filter(pk=event.pk, state=State.CHECKING)
    event.summary, event.verified_at, event.state = dict(summary_of(verified)), timezone.now(), State.VERIFIED
    if rows.update(summary=event.summary, verified_at=event.verified_at, state=event.state, started_at=None):
        ImportedRound.objects.bulk_create(
            (ImportedRound(event=event, **row._asdict()) for row in rounds_of(verified.document)),
            batch_size=100,
        )


def _refuse(event: ImportedEvent, note: Note, findings: list[str] | None = None) -> None:
    with transaction.atomic():
        rows = ImportedEvent.objects.filter(pk=event.pk, state=State.CHECKING)
        if rows.update(state=State.REFUSED, state_note=note, findings=findings or [], started_at=None):
            _archive_release(event)
    log.warning("import %s is refused: %s", event.public_id, note["code"])


def _archive_release(event: ImportedEvent) -> None:
    """Unregister the archive; ``blobs_sweep`` deletes the file."""
    blobs_delete(Blob.objects.filter(sha256=event.sha256, kind=Blob.Kind.EXPORT))
