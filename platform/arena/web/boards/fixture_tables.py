"""Tables of a fixture as listed: seats, states, faults, CPU time; and rulings."""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from django.utils.translation import get_language, gettext_lazy, pgettext
from django.utils.translation import gettext as _

from arena.common.causes import Cause
from arena.matches.common_boards import blocking_table
from arena.matches.models import Adjudication, Fixture, Table, TableSeat
from arena.web.base.bidi import isolated
from arena.web.base.figures import format_exact, format_milliseconds
from arena.web.base.labels import EntryLabel
from arena.web.base.wording import join_facts
from arena.web.drawing.sides import side_text
from viewer.texts import viewer_texts


@dataclasses.dataclass(frozen=True)
class SeatFault:
    seat: int
    entry: str
    """Name of its bot."""
    verdicts: str
    """Translated verdicts, with their counts if above 1."""
    board: int
    """Board of the first fault; 0 before the first deal or if unknown."""
    forfeited: bool


@dataclasses.dataclass(frozen=True)
class FixtureTable:
    id: str
    number: int
    """Rotation, from 1."""
    first: int
    last: int
    state: str
    boards_done: int
    boards: int
    attempt: int
    since: datetime.datetime | None
    """Start of the current attempt."""
    note: str
    """Reason why it waits or is held back."""
    blocked_by: str | None
    """Id of the table for whose end it waits."""
    seats: tuple[tuple[str, str], ...]
    """Seats and stones of each side, in the order of the sides; empty while sealed."""
    faults: tuple[SeatFault, ...]

    @property
    def is_quarantined(self) -> bool:
        return self.state == Table.State.QUARANTINED


@dataclasses.dataclass(frozen=True)
class RulingLine:
    kind: str
    text: str
    forfeiters: str
    reason: str
    by: str
    """User name; empty for the system."""
    created_at: datetime.datetime
    is_last: bool


RULING_TEXTS = {
    Adjudication.Kind.FORFEIT: gettext_lazy("ruled a forfeit"),
    Adjudication.Kind.DRAW: gettext_lazy("ruled a draw: every board scores 0"),
    Adjudication.Kind.VOID: gettext_lazy("ruled void: it does not count"),
    Adjudication.Kind.LIFT: gettext_lazy("ruling lifted: counts as played"),
}


def fixture_table(
    table: Table,
    conduct: Sequence[TableSeat],
    stones: Mapping[int, int],
    labels: Mapping[int, EntryLabel],
    side_of: Mapping[int, int],
) -> FixtureTable:
    is_playing = table.state == Table.State.LEASED
    by_side: dict[int, list[int]] = defaultdict(list)
    for seat in conduct:
        by_side[side_of[seat.entry_id]].append(seat.seat)
    seats = tuple(
        (
            side_text(side_seats),
            format_exact(Fraction(stones[side_seats[0]]), signed=True) if side_seats[0] in stones else "",
        )
        for _side, side_seats in sorted(by_side.items())
    )
    return FixtureTable(
        id=table.public_id,
        number=table.rotation + 1,
        first=table.first_board,
        last=table.first_board + table.board_count - 1,
        state="playing" if is_playing else table.state,
        boards_done=table.boards_done,
        boards=table.board_count,
        attempt=table.attempt,
        since=table.started_at if is_playing else None,
        note=_note(table),
        blocked_by=blocking_table(table),
        seats=seats,
        faults=seat_faults(conduct, labels),
    )


def seat_faults(seats: Iterable[TableSeat], labels: Mapping[int, EntryLabel]) -> tuple[SeatFault, ...]:
    return tuple(
        SeatFault(
            seat.seat,
            labels[seat.entry_id].name,
            _verdicts(seat),
            next((fault["board"] for fault in seat.faults), 0),
            seat.forfeited,
        )
        for seat in seats
        if seat.forfeited or seat.verdict not in ("", "OK")
    )


def _verdicts(seat: TableSeat) -> str:
    texts = viewer_texts(get_language() or "en")
    counts = Counter(fault["verdict"] for fault in seat.faults) or {seat.verdict: 1}
    verdicts = [
        f"{texts.verdict(code)} ×{count}" if count > 1 else texts.verdict(code)
        for code, count in counts.items()
    ]
    return pgettext("between two facts", ", ").join(verdicts)


def _note(table: Table) -> str:
    """Return the public reason why a table does not continue."""
    if table.state == Table.State.WAITING and table.waiting_for:
        return table.reason
    if table.state == Table.State.QUARANTINED:
        part = Cause(table.cause).label if table.cause else _("too many failures")
        return _("quarantined after platform faults: %(part)s. No bot is penalised.") % {"part": part}
    return ""


def ruling_line(ruling: Adjudication, labels: Mapping[int, EntryLabel], *, is_last: bool) -> RulingLine:
    losers = [label.name for label in labels.values() if label.id in ruling.entries]
    return RulingLine(
        kind=ruling.kind,
        text=str(RULING_TEXTS[Adjudication.Kind(ruling.kind)]),
        forfeiters=join_facts(losers),
        reason=ruling.reason,
        by=ruling.actor.username if ruling.actor else "",
        created_at=ruling.created_at,
        is_last=is_last,
    )


def most_cpu(
    fixture: Fixture,
    tables: Sequence[Table],
    conduct: Mapping[int, Sequence[TableSeat]],
    labels: Mapping[int, EntryLabel],
) -> str:
    """Return the largest CPU time of a seat at one table, with the granted time; empty while sealed."""
    seats = [(seat, table) for table in tables for seat in conduct.get(table.pk, ()) if seat.decisions]
    if not seats:
        return ""
    seat, table = max(seats, key=lambda pair: pair[0].cpu_ms)
    clock = fixture.tournament.clock
    granted = (
        table.board_count * clock[f"bank_cpu_ms_per_{fixture.board_set.kind}_board"]
        + seat.decisions * clock["increment_cpu_ms"]
    )
    return _("Most CPU time of a seat at a table: %(used)s of %(granted)s (%(name)s).") % {
        "used": format_milliseconds(seat.cpu_ms),
        "granted": format_milliseconds(granted),
        "name": isolated(labels[seat.entry_id].name),
    }
