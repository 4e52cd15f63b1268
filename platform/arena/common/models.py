"""Blobs, database compatibility, and abstract models of rows with a reason."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.common.hash_field import HashField
from arena.common.notes import note_text


class ReasonMixin(models.Model):
    note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``; empty if there is no reason."""

    class Meta:
        abstract = True

    @property
    def reason(self) -> str:
        """The reason in the active language; may be empty."""
        return note_text(self.note)


class StateReasonMixin(models.Model):
    state_note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``: why it is in its state; empty if there is no reason."""

    class Meta:
        abstract = True

    @property
    def state_reason(self) -> str:
        """The reason in the active language; may be empty."""
        return note_text(self.state_note)


class Pack(models.Model):
    """A stored file with many blobs of one kind (``arena.common.packs``). Its content never changes."""

    class State(models.TextChoices):
        """new -> ready -> stale -> empty, then deleted. A new pack may become stale at once."""

        NEW = "new", "the blobs still have files of their own"
        READY = "ready"
        STALE = "stale", "contains deleted blobs"
        EMPTY = "empty", "no blob refers to it"

    sha256 = models.CharField(max_length=64, unique=True)
    """Lowercase hex, of the file."""
    kind = models.CharField(max_length=10)
    size = models.PositiveBigIntegerField()
    members = models.PositiveIntegerField()
    """Number of blobs when it was written."""
    state = models.CharField(max_length=5, choices=State.choices, default=State.NEW)
    state_at = models.DateTimeField()
    """Start of the state; of a stale pack, the last attempt to rewrite it."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["state", "state_at"], condition=~Q(state="ready"), name="pack_due_idx"),
        ]

    def __str__(self) -> str:
        return f"pack {self.sha256[:12]} of {self.members} {self.kind} blobs"


class Blob(models.Model):
    """Immutable bytes in the blob storage, in a file of their own or in a pack."""

    class Kind(models.TextChoices):
        """The content, for the operator's overview. Programs use the hash only."""

        BUNDLE = "bundle"
        RECORD = "record"
        TIMINGS = "timings"
        LOG = "log"
        VIEW = "view"
        NOTES = "notes"
        RUNTIME = "runtime"
        EXPORT = "export"

    sha256 = HashField(primary_key=True)
    """Lowercase hex, of the uncompressed bytes."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    size = models.PositiveBigIntegerField(null=True)
    created_at = models.DateTimeField(null=True, default=timezone.now)
    """Null, like ``size``, once the blob was packed, as most are; not null if its kind expires."""
    pack = models.ForeignKey(
        Pack, null=True, on_delete=models.PROTECT, related_name="blobs", db_index=False, editable=False
    )
    """Null for a blob with a file of its own."""
    pack_offset = models.PositiveIntegerField(null=True, editable=False)
    pack_length = models.PositiveIntegerField(null=True, editable=False)
    """Bytes in the pack; both are null without a pack."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(pack=None, pack_offset=None, pack_length=None)
                | Q(pack__isnull=False, pack_offset__isnull=False, pack_length__isnull=False),
                name="blob_pack_check",
            )
        ]
        indexes = [
            models.Index(fields=["pack"], condition=Q(pack__isnull=False), name="blob_pack_idx"),
            # Of the kinds that ``arena.common.blob_expiry`` deletes.
            models.Index(
                fields=["created_at"], condition=Q(kind__in=("log", "timings")), name="blob_expiry_idx"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"


class LostBlob(models.Model):
    """A blob whose bytes were missing or damaged when last read. Deleted once they are stored again."""

    class Problem(models.TextChoices):
        MISSING = "missing"
        DAMAGED = "damaged"

    blob = models.OneToOneField(Blob, on_delete=models.CASCADE, primary_key=True, related_name="lost")
    problem = models.CharField(max_length=8, choices=Problem.choices)
    found_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.problem} {self.blob_id}"


class ScrubProgress(models.Model):
    """Progress of the task that reads every blob. A single row."""

    last_sha256 = models.CharField(max_length=64, blank=True)
    """The last hash read; empty at the start of a pass."""
    completed_at = models.DateTimeField(null=True)
    """When the last pass over all blobs ended."""

    def __str__(self) -> str:
        return f"scrub after {self.last_sha256[:12]}"


class PackProgress(models.Model):
    """Progress of a pass that packs the blobs of closed board sets (``arena.jobs.blob_packing``)."""

    delay_hours = models.PositiveIntegerField(unique=True)
    """Hours after the end of a board set in which this pass reads it."""
    closed_seq = models.PositiveBigIntegerField(default=0)
    """``BoardSet.closed_seq`` of the last set that was read."""

    def __str__(self) -> str:
        return f"packed up to {self.closed_seq} after {self.delay_hours} h"


class BlobHold(models.Model):
    """A running backup: until it expires, no blob file is deleted (``arena.common.blob_holds``)."""

    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"held until {self.expires_at:%Y-%m-%d %H:%M}"


class CompletedBackup(models.Model):
    """The last complete backup of this database. A single row; a restored database has an earlier one."""

    snapshot = models.CharField(max_length=100)
    """Name of its folder."""
    completed_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.snapshot


class SweepProgress(models.Model):
    """Progress of the task that deletes unreferenced files. A single row."""

    last_folder = models.CharField(max_length=10, blank=True)
    """The last folder read, such as ``3f/a0`` or ``packs/3f``; empty at the start of a pass."""
    completed_at = models.DateTimeField(null=True)
    """When the last pass over all folders ended."""

    def __str__(self) -> str:
        return f"sweep after {self.last_folder}"


class Compatibility(models.Model):
    """Which releases may use this database, as of its last migration. A single row."""

    oldest_release = models.CharField(max_length=20)
    """Older releases must not use the database."""
    release = models.CharField(max_length=20, default="", db_default="")
    """Newest release that has migrated it; empty if that release did not record it."""
    migrated_by = models.CharField(max_length=60)
    """Revision of the code that last migrated it."""
    migrated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "compatibility"

    def __str__(self) -> str:
        return f"{self.oldest_release} or newer"


class Maintenance(models.Model):
    """Maintenance mode, which is on while this single row exists (``arena.common.maintenance``)."""

    public_id = "site"
    """Name of the object in the audit trail."""
    message = models.CharField(max_length=200, blank=True)
    """Text of the operator for visitors, such as the expected end."""
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "maintenance"

    def __str__(self) -> str:
        return f"maintenance since {self.since:%Y-%m-%d %H:%M}"
