"""The interface between features, which ``arena.mounts`` lists, and the core."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from django.db.models import Q, QuerySet

from arena.common.notes import Note

if TYPE_CHECKING:
    from arena.accounts.models import User
    from arena.competition.models import Tournament
    from arena.matches.models import Table
    from arena.tables.live.models import LiveTable


class DueTournament(NamedTuple):
    """A tournament to advance, or to cancel if ``cancelled`` has a note."""

    tournament: Tournament
    cancelled: Note | None = None


@dataclass
class HealthResult:
    """The health of a part of an installation, and the remedy if it fails."""

    part: str
    is_ok: bool
    detail: str
    remedy: str = ""
    """Remedy; empty if nothing is required."""

    @classmethod
    def with_remedy(cls, part: str, is_ok: bool, detail: str, remedy: str) -> HealthResult:
        """Return a result that has the remedy only if the check failed."""
        return cls(part, is_ok, detail, "" if is_ok else remedy)


class StateDeadline(NamedTuple):
    """The maximum time that a row may stay in a state."""

    name: str
    since: str
    """Column with the time at which the row entered the state."""
    rows: Q
    max_s: float | None
    """Seconds after which a sweeper ends the state; None if other deadlines bound it."""


class StaleRows(NamedTuple):
    """Rows of one kind, with the deadlines of their states."""

    kind: str
    rows: QuerySet[Any]
    states: Sequence[StateDeadline]


class Breadcrumb(NamedTuple):
    text: str
    page: str


class AccountDeletion(NamedTuple):
    user: User
    reason: str
    versions: Collection[int]
    """Primary keys of its bots' versions."""
    without_names: Callable[[Any], Any]
    """Removes the account's names from the texts in a JSON value."""


class CasualNotes(NamedTuple):
    """Solver notes (docs/views.md) on a casual or remote table that is over, or why there are none yet."""

    state: Literal["waiting", "ready", "failed", "down"]
    """``down``: no process makes notes now."""
    notes: Any = None
    """Set if ``ready``."""


class SeatQuestion(NamedTuple):
    """A decision of a person against bots, as the person sees it."""

    game: str
    preset: str
    options: Mapping[str, Any]
    """Options of the ruleset."""
    observation: Mapping[str, Any]


class SeatHint(NamedTuple):
    """Estimate of the legal actions of a seat, or why there is none yet."""

    state: Literal["waiting", "ready", "none", "down"]
    """``none``: this decision has no estimate. ``down``: no process makes hints now."""
    estimate: Any = None
    """``analysis.estimates.Estimate``; set if ``ready``."""


def _no_results(*_: object) -> Iterable[Any]:
    return ()


def _no_address(*_: object) -> str:
    return ""


def _no_hashes(_: Collection[Table]) -> Mapping[int, str]:
    return {}


def _no_seat_hint(_: SeatQuestion, __: User | None, ___: str) -> SeatHint | None:
    return None


def _no_casual_notes(_: LiveTable, __: bool) -> CasualNotes | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Callbacks of a feature. All are optional and idempotent."""

    name: str
    urls: str = ""
    """Module with the URLs of its pages, which precede those of the core."""
    api_urls: str = ""
    """Module with the URLs of its API."""
    service: str = ""
    """Management command of a process that runs next to the workers."""
    live_tables: str = ""
    """Dotted path of the tables (``arena.tables.live.kinds.LiveKind``) that ``play_serve`` runs."""
    tick: Sequence[Callable[[], Iterable[DueTournament]]] = ()
    """Called every ten seconds, in this order, each outside of a transaction."""
    round_closed: Callable[[Tournament], object] = _no_results
    """Called after a round's scores were computed, in their transaction."""
    results_changed: Callable[[Collection[int]], object] = _no_results
    """Called after scores of closed board sets (by primary key) were recomputed, in that transaction."""
    tournament_ended: Callable[[Tournament], Iterable[DueTournament]] = _no_results
    """Called after a tournament became final or cancelled."""
    crumbs: Callable[[Tournament], Iterable[Breadcrumb]] = _no_results
    """Parent pages of a tournament that the feature created."""
    own_data: Callable[[User], dict[str, Any]] | None = None
    """Personal data stored about an account, by section, as JSON."""
    delete_account: Callable[[AccountDeletion], Iterable[DueTournament]] = _no_results
    """Called in the transaction that deletes an account, before its names are removed."""
    stale_rows: Callable[[datetime.datetime], Iterable[StaleRows]] = _no_results
    """Rows that the feature's sweeper must end, given the current time."""
    health: Callable[[bool], Iterable[HealthResult]] = _no_results
    """Health checks of the feature. The argument says whether ``manage.py up`` runs this installation."""
    connection_health: Callable[[], Iterable[HealthResult]] = _no_results
    """Health checks that contact other machines, which only ``manage.py doctor`` runs."""
    blob_references: Callable[[str], Iterable[str]] = _no_results
    """Names of the rows that refer to a blob, given its hash."""
    set_blobs: Callable[[Collection[int]], Iterable[str]] = _no_results
    """Hashes of the blobs about the tables of board sets, by primary key."""
    table_notes: Callable[[Collection[Table]], Mapping[int, str]] = _no_hashes
    """Hashes of the public solver notes (docs/views.md) on these tables, by primary key."""
    casual_notes: Callable[[LiveTable, bool], CasualNotes | None] = _no_casual_notes
    """Solver notes on a casual or remote table that is over; None without any. The argument says whether to
    request missing ones.
    """
    casual_ended: Callable[[int], object] = _no_results
    """Called in the transaction in which a casual table, by primary key, has ended."""
    seat_hint: Callable[[SeatQuestion, User | None, str], SeatHint | None] = _no_seat_hint
    """Hint for a decision, for an account or a guest's address. The first call requests it. Raises ArenaError
    beyond the asker's quota.
    """
    table_explorer: Callable[[Table], str] = _no_address
    """Address at which visitors try other cards at a table (``?at=`` is the position); empty without one."""
    casual_explorer: Callable[[str, str, str], str] = _no_address
    """The same for a casual table with a view, given its game, its page (``play-table`` or ``play-shared``),
    and its id or key there.
    """
