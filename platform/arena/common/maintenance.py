"""Maintenance mode: pages and API are read-only, and no new tables start. Tables in play are finished."""

from __future__ import annotations

import datetime
import logging
import threading
import time
from typing import NamedTuple

from django.db import DatabaseError
from django.db.models import Exists

from arena.common.database import connections_release
from arena.common.models import Maintenance

log = logging.getLogger(__name__)

REFRESH_S = 2.0
"""Seconds after which every web process knows of a change."""
RETRY_S = 60
"""``Retry-After`` of refused requests in seconds."""


class MaintenanceState(NamedTuple):
    message: str
    since: datetime.datetime


class _Known:
    """State as this web process last read it."""

    state: MaintenanceState | None = None


def maintenance_read() -> MaintenanceState | None:
    """Return the state, or None outside maintenance mode. One query."""
    row = Maintenance.objects.values_list("message", "since").first()
    return None if row is None else MaintenanceState(*row)


def maintenance_exists() -> Exists:
    """Return a condition for queries: the site is in maintenance mode."""
    return Exists(Maintenance.objects.all())


def maintenance_known() -> MaintenanceState | None:
    """Return the state without a query, at most ``REFRESH_S`` old in a web process."""
    return _Known.state


def maintenance_refresh() -> None:
    _Known.state = maintenance_read()


def maintenance_forget() -> None:
    """Forget the state, as at the start of a process."""
    _Known.state = None


def maintenance_follow() -> None:
    """Read the state now, and then regularly in a thread. The last one is kept while the database is down."""
    _refresh()
    threading.Thread(target=_follow, name="maintenance", daemon=True).start()


def _follow() -> None:
    while True:
        time.sleep(REFRESH_S)
        _refresh()


def _refresh() -> None:
    try:
        maintenance_refresh()
    except DatabaseError as error:
        log.debug("whether the site is in maintenance mode is not known: %s", error)
    finally:
        connections_release()
