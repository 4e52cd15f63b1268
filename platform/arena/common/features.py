"""What a feature gives to the core: ``arena.mounts`` lists the features, and callers loop over them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import Q, QuerySet

from arena.common.notes import Note

if TYPE_CHECKING:
    from arena.accounts.models import User
    from arena.competition.models import Tournament


class DueTournament(NamedTuple):
    """A tournament that the flow is to advance, or to cancel if a note says why."""

    tournament: Tournament
    cancelled: Note | None = None


@dataclass
class HealthResult:
    """Whether a part of an installation is in order, and what to do if not."""

    part: str
    is_ok: bool
    detail: str
    remedy: str = ""
    """What to do; empty if nothing has to be done."""

    @classmethod
    def with_remedy(cls, part: str, is_ok: bool, detail: str, remedy: str) -> HealthResult:
        """A result that has a remedy only if it is red."""
        return cls(part, is_ok, detail, "" if is_ok else remedy)


class StateDeadline(NamedTuple):
    """A state that the rows of one kind must leave."""

    name: str
    since: str
    """The column with the time the row entered it."""
    rows: Q
    max_s: float | None
    """Seconds after which a sweeper ends it; None if it follows from rows that are bounded."""


class StaleRows(NamedTuple):
    """Rows of one kind, and the states they must leave."""

    kind: str
    rows: QuerySet[Any]
    states: Sequence[StateDeadline]


class Breadcrumb(NamedTuple):
    """A link to a page above the present one."""

    text: str
    page: str


class ClosingAccount(NamedTuple):
    """An account that is being deleted."""

    user: User
    reason: str
    versions: Collection[int]
    """Keys of the versions of its bots."""
    without_names: Callable[[Any], Any]
    """Replaces the names of the account in the texts of a JSON value."""


def _no_results(*_: object) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Callbacks of a feature. Each may be left out; each may be called twice with the same effect."""

    name: str
    urls: str = ""
    """Module with the addresses of its pages, which come before those of the core."""
    api_urls: str = ""
    """Module with the addresses of its API."""
    service: str = ""
    """Command of a process that runs along with the workers."""
    tick: Sequence[Callable[[], Iterable[DueTournament]]] = ()
    """Called every ten seconds, in this order, each outside of a transaction."""
    round_closed: Callable[[Tournament], object] = _no_results
    """After the scores of a round were built, within their transaction."""
    results_changed: Callable[[Collection[int]], object] = _no_results
    """After scores of closed board sets, by key, were built again, within that transaction."""
    tournament_ended: Callable[[Tournament], Iterable[DueTournament]] = _no_results
    """After a tournament became final or cancelled."""
    crumbs: Callable[[Tournament], Iterable[Breadcrumb]] = _no_results
    """Pages above the page of a tournament that the feature has made."""
    own_data: Callable[[User], dict[str, Any]] | None = None
    """What is stored about one person, by section, as JSON."""
    close_account: Callable[[ClosingAccount], Iterable[DueTournament]] = _no_results
    """Within the transaction that deletes an account, before its names go."""
    stale_rows: Callable[[datetime.datetime], Iterable[StaleRows]] = _no_results
    """Rows that a sweeper of the feature must end, by the present time."""
    health: Callable[[bool], Iterable[HealthResult]] = _no_results
    """Health of the feature; the argument says whether ``manage.py up`` runs this installation."""
    blob_references: Callable[[str], Iterable[str]] = _no_results
    """Names of rows that refer to a blob, by its hash."""
