"""A kind of live tables, for the service that runs them."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.tables.live.session import LiveSession, Row


class ServiceStatus(NamedTuple):
    name: str
    capacity: int
    tables: int
    detail: str
    """Reason why the process cannot run tables; empty if it can."""


class LiveKind(ABC, Generic[Row]):
    """A kind of live tables, named by ``Feature.live_tables``."""

    model: type[Row]
    session: type[LiveSession[Row]]
    unserved: ClassVar[Q]
    """Tables that need a service."""
    urgent: ClassVar[Q]
    """Subset that players wait for; the rest is background work."""
    not_begun: ClassVar[Q]
    """Tables that are not claimed in maintenance mode."""
    order_by: ClassVar[str]

    @abstractmethod
    def failed_columns(self, table: Row) -> dict[str, Any]:
        """Columns of a table that failed, because the services that ran it died repeatedly."""

    def taken_over(self, table_pk: int, died_at: datetime.datetime) -> None:
        """Called in the transaction that claims a table whose service died, so that nothing of the outage is
        lost if this service dies, too. ``died_at``: when that service last renewed its claim.
        """

    def watch(self, sessions: Sequence[LiveSession[Row]]) -> None:
        """Called in each sweep with the sessions of this process."""

    def before_claims(self, capacity: int) -> None:
        """Called in each sweep of a process that can run tables, before tables are claimed."""

    def heartbeat(self, status: ServiceStatus) -> None:
        """Called in each sweep."""

    def service_ended(self, name: str) -> None: ...

    def prune(self) -> None:
        """Called once an hour."""

    def rows(self) -> QuerySet[Row]:
        return self.model._default_manager.all()

    def due_tables(self) -> QuerySet[Row]:
        """Return tables without a valid claim that need a service."""
        free = Q(claimed_until__isnull=True) | Q(claimed_until__lt=timezone.now())
        return self.rows().filter(free & self.unserved)
