"""Broker and storage that do not answer when a process starts: a line each, with setting, address and remedy.

``arena.common.revisions.startup_refusal`` reports the database.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import redis
from django.conf import settings
from django.core.files.storage import storages

from arena.common.blob_storages import BlobStorage, BlobsUnavailable
from arena.common.metrics import queue_client
from arena.jobs.selftest import storage_try
from arena.settings.broker import VARIABLE as BROKER_SETTING
from arena.settings.broker import broker_place
from arena.settings.storage import BLOBS as BLOBS_SETTING

log = logging.getLogger(__name__)

WAITS = "This process waits for it."


def start_report(*, storage: bool = False) -> None:
    """Log whether the broker and, if asked, the storage do not answer now."""
    for problem in service_problems(broker=True, storage=storage):
        log.error("%s %s", problem, WAITS)


def service_problems(*, broker: bool, storage: bool) -> Iterator[str]:
    """Yield a message for each of these services that does not answer."""
    if broker and (problem := _broker_problem()):
        yield problem
    if storage and (problem := _storage_problem()):
        yield problem


def _broker_problem() -> str:
    try:
        with queue_client() as client:
            client.ping()
    except redis.RedisError as error:
        reason = " ".join(str(error).split()).rstrip(".")
        remedy = (
            f"Start manage.py up, or set {BROKER_SETTING} to a running server."
            if settings.BROKER_IS_MANAGED
            else f"Start that server, or correct {BROKER_SETTING}: host, port, password."
        )
        return f"The broker at {broker_place(settings.REDIS_URL)} does not answer: {reason}. {remedy}"
    return ""


def _storage_problem() -> str:
    """Return why a remote storage cannot be used. Folders are checked by the self-test and by the doctor."""
    store = storages["blobs"]
    if not isinstance(store, BlobStorage) or not store.is_remote:
        return ""
    try:
        storage_try(store)
    except BlobsUnavailable as error:
        return f"{error.message} It is {store.place}. Check {BLOBS_SETTING}. {error.remedy}".rstrip()
    return ""
