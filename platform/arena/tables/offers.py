"""Which runtimes this machine can provide, with the artefacts that this installation has published."""

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
    """Hash of the artefact in use by the name of its runtime; none where the database does not answer."""
    try:
        return artifacts_current()
    except DatabaseError as error:
        if _is_migrated():
            log.warning("artefacts of runtimes are not known: %s", error)
        return {}


def _is_migrated() -> bool:
    """Whether there can be artefacts: before the first migration there is nothing to warn of."""
    try:
        return RuntimeArtifact._meta.db_table in connection.introspection.table_names()
    except DatabaseError:
        return True


def artifacts_here() -> dict[str, str]:
    """The same, of those that were fetched to this machine."""
    return {name: sha256 for name, sha256 in artifacts_in_use().items() if is_staged(sha256)}


def offers(again: bool = False) -> tuple[RuntimeOffer, ...]:
    """Every runtime there is, as ``referee.capability.offers``; artefacts that are new here are fetched."""
    staged, refused = {}, {}
    for name, sha256 in artifacts_in_use().items():
        try:
            stage_artifact(sha256, blob_get)
            staged[name] = sha256
        except Exception as error:
            # Whatever is wrong with the store or this machine: the other runtimes can be offered.
            words = f"runtime {name}: its artefact {sha256[:12]} cannot be had: {error}"
            refused[name] = RuntimeOffer(
                name, "", words, "It is tried again each minute; else run manage.py runtime_publish."
            )
    return tuple(refused.get(offer.name, offer) for offer in capability.offers(again, staged))
