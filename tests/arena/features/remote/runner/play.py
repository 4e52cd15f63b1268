"""Remote tables run in this process, with a clock that only advances when the session waits."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.utils import timezone

from arena.features.remote.matching import table_open
from arena.features.remote.models import RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.runner.seat import TICK_S, Timing
from arena.features.remote.runner.session import RemoteSession
from referee.contract import SeatOrder, TableOrder
from referee.driver import Driver
from tests import factories
from tests.arena.features.play.casual_tables import in_process
from tests.arena.features.play.tables import house
from tests.arena.features.remote.rows import a_bot, a_version, connected

CLAIM = "test/1"
Client = Callable[["Played"], None]
"""Called at each wait of a session, before time passes."""


class StopTest(Exception):
    """Ends a session as the death of its process does."""


class Played(RemoteSession):
    """A session whose clients are functions; time passes in its waits."""

    def __init__(
        self,
        table: RemoteTable,
        *clients: Client,
        claim: str = CLAIM,
        now: datetime.datetime | None = None,
        make_driver: Callable[[TableOrder, SeatOrder], Driver] = in_process,
    ) -> None:
        RemoteTable.objects.filter(pk=table.pk).update(claimed_by=claim)
        table.refresh_from_db()
        super().__init__(table, claim, make_driver)
        self.clients = clients
        self.at = now or timezone.now()
        self.web_at: datetime.datetime | None = None
        """Last announcement of a web process; None: it announces itself all the time."""
        self.timing = Timing(lambda: self.at, lambda: self.web_at or self.at)
        self.waits = 0
        self.step_s = 1.0
        self.is_attended = True

    def _pause(self, seconds: float) -> None:
        self.waits += 1
        assert self.waits < 5000, "the table does not end"
        for client in self.clients:
            client(self)
        is_tick = seconds >= TICK_S or self.step_s > 1.0
        self.at += datetime.timedelta(seconds=self.step_s if is_tick else min(self.step_s, seconds))
        if self.is_attended:
            self._attend()
        self._on_progress(0, 0, 0.0)

    def _lower_priority(self) -> None:
        """Leave it: this thread runs the tests that follow, too."""

    def advance(self, seconds: float) -> None:
        self.at += datetime.timedelta(seconds=seconds)
        if self.is_attended:
            self._attend()

    def _attend(self) -> None:
        RemoteVersion.objects.filter(disconnected_at=None).update(attended_at=self.at, alive_at=self.at)

    @property
    def pending(self) -> list[RemoteSeat]:
        return list(RemoteSeat.objects.filter(table=self.pk, answer="").exclude(request_id=""))


def answer(seat: RemoteSeat, at: datetime.datetime, action: str | None = None, **more: Any) -> str:
    """Store an answer as a web process does."""
    text = json.dumps({"id": seat.request_id, "action": action or seat.request["legal"][0], **more})
    rows = RemoteSeat.objects.filter(pk=seat.pk, request_id=seat.request_id, answer="")
    assert rows.update(answer=text, answered_at=at)
    return text


def prompt(session: Played) -> None:
    """A client that answers each request at once."""
    for seat in session.pending:
        answer(seat, session.at)


def bots_answer(session: Played) -> None:
    """Remote bots that answer at once."""
    for seat in session.pending:
        if seat.person_id is None:
            answer(seat, session.at)


class Asked(BaseException):
    """The person is asked."""


def serve_until_asked(table: RemoteTable) -> RemoteTable:
    """Run the table until the person is asked, and stop like a killed service."""

    def stop(session: Played) -> None:
        if any(seat.person_id is not None for seat in session.pending):
            raise Asked

    with suppress(Asked):
        serve(table, bots_answer, stop)
    table.refresh_from_db()
    return table


def after(requests: int, client: Client) -> Client:
    """A client that is prompt for some requests."""

    def chosen(session: Played) -> None:
        for seat in session.pending:
            if len(seat.answers) >= requests:
                client(session)
            else:
                answer(seat, session.at)

    return chosen


def nothing(session: Played) -> None:
    """A client that does not answer."""


def a_remote_table(
    versions: Iterable[int] = (1,), *, preset: str = "kakeya4", is_rated: bool = True, is_slow: bool = False
) -> RemoteTable:
    """A table with a connected version in each of these seats."""
    house()
    seats = {seat: connected(a_version(a_bot(factories.aya()), ladder=preset)) for seat in versions}
    return table_open(seats, preset, is_rated=is_rated, is_slow=is_slow)


def serve(table: RemoteTable, *clients: Client, **options: Any) -> Played:
    """Run the table in this thread."""
    session = Played(table, *(clients or (prompt,)), **options)
    session.serve()
    table.refresh_from_db()
    return session


def seat_of(table: RemoteTable) -> RemoteSeat:
    return RemoteSeat.objects.select_related("version__bot").get(table=table)
