"""Blobs: bytes known by their hash."""

from __future__ import annotations

from django.db import models


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
