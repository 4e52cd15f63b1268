"""Liveness and readiness checks for load balancers and monitoring."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from arena.common.maintenance import maintenance_known
from arena.common.migration_steps import unapplied_steps
from arena.common.revisions import database_refusal, is_ahead
from arena.operations.broker import BrokerError, broker_ping

log = logging.getLogger(__name__)

BROKER_TIMEOUT_S = 1.0
DATABASE, MIGRATIONS = "database", "migrations"
UNKNOWN = "unknown while the database does not respond"


class NotReady(Exception):
    """A part is not ready; the message is public."""


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200 while the process answers; checks nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Return 200 if all parts are ready, else 503, with reasons. Details are only logged.

    ``maintenance`` says whether the site is in maintenance mode, in which it is ready, but read-only.
    """
    parts: dict[str, dict[str, bool | str]] = {}
    for name, look in CHECKS.items():
        try:
            if name == MIGRATIONS and not parts[DATABASE]["ok"]:
                # A second attempt would double the wait, and the client would time out.
                raise NotReady(UNKNOWN)
            look()
            parts[name] = {"ok": True}
        except NotReady as error:
            parts[name] = {"ok": False, "reason": str(error)}
    is_ready = all(part["ok"] for part in parts.values())
    body = {
        "status": "ok" if is_ready else "unavailable",
        "maintenance": maintenance_known() is not None,
        "parts": parts,
    }
    return JsonResponse(body, status=200 if is_ready else 503)


def _database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError as error:
        log.warning("readyz: database: %s", error)
        raise NotReady(f"the database does not respond ({type(error).__name__})") from error


def _migrations() -> None:
    try:
        if database_refusal():
            raise NotReady("the database was migrated by newer code")
        missing = [] if is_ahead() else unapplied_steps().expand
    except DatabaseError as error:
        raise NotReady(UNKNOWN) from error
    if missing:
        raise NotReady(f"{len(missing)} not applied, first {missing[0]}: run migrate")


def _broker() -> None:
    try:
        broker_ping(settings.REDIS_URL, timeout_s=BROKER_TIMEOUT_S)
    except BrokerError as error:
        log.warning("readyz: %s", error)
        raise NotReady(
            "the broker does not respond; results are safe, but no new tables are played"
        ) from error


CHECKS: dict[str, Callable[[], None]] = {
    DATABASE: _database,
    MIGRATIONS: _migrations,
    "broker": _broker,
}
