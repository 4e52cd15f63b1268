"""Artefacts of runtimes: the hash that all workers use."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from arena.common.blobs import blob_register, blob_write
from arena.common.models import Blob
from arena.matches.models import RuntimeArtifact


def artifacts_current() -> dict[str, str]:
    return dict(RuntimeArtifact.objects.order_by("pk").values_list("runtime", "sha256"))


def artifact_current(runtime: str) -> RuntimeArtifact | None:
    return RuntimeArtifact.objects.filter(runtime=runtime).order_by("-pk").first()


def artifact_publish(runtime: str, data: bytes, sources_sha256: str) -> bool:
    """Store an artefact and make it current. False if it is current already."""
    sha256 = blob_write(data)
    with transaction.atomic():
        blob_register(sha256, Blob.Kind.RUNTIME, len(data))
        current = artifact_current(runtime)
        if current is not None and current.sha256 == sha256:
            return False
        RuntimeArtifact.objects.create(runtime=runtime, sha256=sha256, sources_sha256=sources_sha256)
    return True


def with_artifact(rows: QuerySet[Any], runtime: str) -> QuerySet[Any]:
    """Add ``runtime_sha256``: the current artefact of the runtime at path ``runtime``, or empty."""
    newest = RuntimeArtifact.objects.filter(runtime=OuterRef(runtime)).order_by("-pk").values("sha256")[:1]
    annotated: QuerySet[Any] = rows.annotate(runtime_sha256=Coalesce(Subquery(newest), Value("")))
    return annotated
