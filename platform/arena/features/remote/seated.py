"""The seat of a person at a table of remote bots, as the pages of play show it, and the person's actions."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Mapping
from typing import Any

from arena.accounts.models import User
from arena.common.errors import Conflict, NotFound, quoted
from arena.common.ids import is_public_id
from arena.features.play.live import FollowedTables, TableMark
from arena.features.play.models import CasualTable
from arena.features.play.position import is_repeat
from arena.features.play.services import not_your_turn, require_action
from arena.features.remote.limits import GRACE_MS, PERSON_CLOCK
from arena.features.remote.models import RemoteSeat, RemoteTable
from arena.features.remote.services import Answer, answer_store
from engine.game import Seat


class SeatedPerson:
    """A person's seat with its table; a ``play.position.SeatedTable``."""

    practice = may_finish_early = False
    taken_back: tuple[()] = ()
    field: tuple[()] = ()
    """No bots play the cards of an unrated table."""
    deals = str(CasualTable.Deals.ONE)

    def __init__(self, seat_row: RemoteSeat) -> None:
        self.seat_row = seat_row
        self.row: RemoteTable = seat_row.table

    @property
    def pk(self) -> int:
        return int(self.seat_row.pk)

    @property
    def public_id(self) -> str:
        return self.row.public_id

    @property
    def page(self) -> str:
        return self.row.page

    @property
    def game(self) -> str:
        return self.row.game

    @property
    def preset(self) -> str:
        return self.row.preset

    @property
    def ruleset(self) -> Any:
        return self.row.ruleset

    @property
    def seat(self) -> Seat:
        return self.seat_row.seat

    @property
    def seats(self) -> Any:
        return self.row.seats

    @property
    def state(self) -> str:
        return shown_state(self.row.state)

    @property
    def is_active(self) -> bool:
        """Whether a request to the person is pending, or answered and not played yet."""
        return (
            self.row.state in RemoteTable.ACTIVE
            and self.seat_row.is_active
            and bool(self.seat_row.request_id)
        )

    @property
    def actions(self) -> Any:
        return self.row.actions

    @property
    def length(self) -> int:
        return self.row.length

    @property
    def pending(self) -> Any:
        if not self.seat_row.request_id or not self.seat_row.answer:
            return None
        return [self.row.length, json.loads(self.seat_row.answer)["action"]]

    @property
    def substituted(self) -> Any:
        return self.row.substituted

    @property
    def board_count(self) -> int:
        return self.row.board_count

    @property
    def ended_at(self) -> datetime.datetime | None:
        return self.row.ended_at

    @property
    def clock_s(self) -> int:
        """Time for a decision when the bank is full; the bank grows beyond it."""
        full_ms = max(PERSON_CLOCK.bank_ms + PERSON_CLOCK.increment_ms, self.seat_row.bank_ms) + GRACE_MS
        return round(full_ms / 1000)

    @property
    def clock_left_ms(self) -> int:
        return self.seat_row.bank_ms if self.seat_row.left_ms is None else self.seat_row.left_ms

    @property
    def deadline_at(self) -> datetime.datetime | None:
        return self.seat_row.deadline_at


class SeatedPersons(FollowedTables):
    """Seats of persons, by primary key."""

    def marks(self, pks: Collection[int]) -> Mapping[int, TableMark]:
        rows = RemoteSeat.objects.filter(pk__in=pks).values_list(
            "pk", "table__state", "table__length", "table__ended_at", "request_id"
        )
        return {
            pk: TableMark(shown_state(state), length, ended is not None, True, 0, request)
            for pk, state, length, ended, request in rows
        }

    def tables(self, pks: Collection[int]) -> Mapping[int, SeatedPerson]:
        rows = RemoteSeat.objects.filter(pk__in=pks).select_related("table")
        return {row.pk: SeatedPerson(row) for row in rows}


def shown_state(state: str) -> str:
    """Return the state of a casual table that means the same."""
    return str(CasualTable.State.SEATING) if state == RemoteTable.State.STARTING else str(state)


def seated_person(user: object, public_id: str) -> SeatedPerson | None:
    """Return an account's own seat at a table; None without one. One query."""
    if not isinstance(user, User) or not is_public_id(public_id):
        return None
    rows = RemoteSeat.objects.select_related("table")
    seat_row = rows.filter(table__public_id=public_id, person__user=user).first()
    return None if seat_row is None else SeatedPerson(seat_row)


def seated_person_get(user: object, public_id: str) -> SeatedPerson:
    """Return an account's own seat at a table. Raises NotFound (``remote_table_not_found``)."""
    seated = seated_person(user, public_id)
    if seated is None:
        raise NotFound(f"You have no seat at a table {quoted(public_id)}.", "remote_table_not_found")
    return seated


def person_act(seated: SeatedPerson, n: int, action: str) -> None:
    """Store the person's action at a position. Idempotent.

    Raises Conflict (``not_your_turn``, ``table_over``), Invalid (``illegal_action``).
    """
    if is_repeat(seated, n, action):
        return
    if seated.row.state not in RemoteTable.ACTIVE:
        raise Conflict("This table is over.", "table_over")
    require_action(seated, n, action)
    request_id = seated.seat_row.request_id
    answer = Answer(request_id, json.dumps({"id": request_id, "action": action}))
    if not answer_store(seated.public_id, RemoteSeat.objects.filter(pk=seated.pk), answer):
        again = SeatedPerson(RemoteSeat.objects.select_related("table").get(pk=seated.pk))
        if not is_repeat(again, n, action):
            raise not_your_turn(again)
