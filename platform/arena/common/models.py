"""Blobs: bytes known by their hash."""

from __future__ import annotations

from django.db import models

from arena.common.notes import note_text


class Noted(models.Model):
    """A row with a reason that is stored as a code with values."""

    note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``; empty if there is nothing to say."""

    class Meta:
        abstract = True

    @property
    def reason(self) -> str:
        """Why, in the active language; may be empty."""
        return note_text(self.note)


class StateNoted(models.Model):
    """A row whose state has a reason that is stored as a code with values."""

    state_note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``: why it is in its state; empty if there is nothing to say."""

    class Meta:
        abstract = True

    @property
    def state_reason(self) -> str:
        """Why, in the active language; may be empty."""
        return note_text(self.state_note)


class Blob(models.Model):
    """Some bytes in the blob storage: a bundle, a record, timings, a log, a view,
    an artefact of a runtime. Never changes."""

    class Kind(models.TextChoices):
        """What the bytes are, for the operator's overview; the hash alone decides what they say."""

        BUNDLE = "bundle"
        RECORD = "record"
        TIMINGS = "timings"
        LOG = "log"
        VIEW = "view"
        NOTES = "notes"
        RUNTIME = "runtime"

    sha256 = models.CharField(max_length=64, primary_key=True)
    """Lowercase hex, of the uncompressed bytes."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    size = models.PositiveBigIntegerField()
    """Bytes, uncompressed."""
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"


class LostBlob(models.Model):
    """A blob whose bytes were missing or damaged when last read. The row goes once they are stored again."""

    class Problem(models.TextChoices):
        """What is wrong with the stored bytes."""

        MISSING = "missing"
        DAMAGED = "damaged"

    blob = models.OneToOneField(Blob, on_delete=models.CASCADE, primary_key=True, related_name="lost")
    problem = models.CharField(max_length=8, choices=Problem.choices)
    found_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.problem} {self.blob_id}"


class BlobScrub(models.Model):
    """How far housekeeping has come in reading every blob. A single row."""

    after = models.CharField(max_length=64, blank=True)
    """The last hash that was read; empty at the start of a pass."""
    passed_at = models.DateTimeField(null=True)
    """When a pass over all blobs last ended."""

    def __str__(self) -> str:
        return f"scrub after {self.after[:12]}"


class Compatibility(models.Model):
    """Which code may use this database, as of its last migration. A single row."""

    oldest_release = models.CharField(max_length=20)
    """Older releases must not use it."""
    migrated_by = models.CharField(max_length=60)
    """The revision of the code that migrated it last."""
    migrated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "compatibility"

    def __str__(self) -> str:
        return f"{self.oldest_release} or newer"
