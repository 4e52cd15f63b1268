"""Runtimes that this machine can provide, with the published artefacts of the installation."""

from __future__ import annotations

import logging

from django.db import Error as DatabaseError
from django.db import connection

from arena.common.blobs import blob_get
from arena.matches.models import RuntimeArtifact
from arena.matches.runtime_artifacts import artifacts_current
from referee import capability
from referee.capability import RuntimeOffer
from referee.runtimes import is_staged, stage_artifact

log = logging.getLogger(__name__)


def artifacts_in_use() -> dict[str, str]:
    """Return the hash of the current artefact by runtime name; empty if the database does not answer."""
    try:
        return artifacts_current()
    except DatabaseError as error:
        if _is_migrated():
            log.warning("artefacts of runtimes are not known: %s", error)
        return {}


def _is_migrated() -> bool:
    """Return whether the table of artefacts exists: before the first migration no warning is needed."""
    try:
        return RuntimeArtifact._meta.db_table in connection.introspection.table_names()
    except DatabaseError:
        return True


def artifacts_here() -> dict[str, str]:
    """Return the hashes in use whose artefacts this machine has fetched, by runtime name."""
    return {name: sha256 for name, sha256 in artifacts_in_use().items() if is_staged(sha256)}


def offers(again: bool = False) -> tuple[RuntimeOffer, ...]:
    """Return every runtime as ``referee.capability.offers`` does, after fetching artefacts missing here."""
    staged, refused = {}, {}
    for name, sha256 in artifacts_in_use().items():
        try:
            stage_artifact(sha256, blob_get)
            staged[name] = sha256
        except Exception as error:
            # One runtime may fail for any reason of the store or this machine; the others are still offered.
            reason = f"runtime {name}: its artefact {sha256[:12]} cannot be fetched: {error}"
            refused[name] = RuntimeOffer(
                name,
                "",
                reason,
                "This is retried every minute. If it keeps failing, run manage.py runtime_publish.",
            )
    return tuple(refused.get(offer.name, offer) for offer in capability.offers(again, staged))
