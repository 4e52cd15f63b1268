"""Verification of tables: seats, boards, and the content of each record."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from league.errors import RecordLost, ScoresError
from league.fairness import board_seed
from league.rotation import seatings
from league.scoring import TableResult, forfeit_stones, table_result
from league.statements import canonical
from league.verify.conduct import conduct_disagreement

Document = Mapping[str, Any]
"""Untrusted JSON."""
ENDED = ("provisional", "final", "archived")
"""States of events that were played to their end."""
CANCELLED = "cancelled"


class ReplayedRecord(Protocol):
    """Data of a replayed record. Stones by (board, seat), everything else by seat from 1."""

    @property
    def game(self) -> str: ...

    @property
    def preset(self) -> str: ...

    @property
    def rules_version(self) -> int: ...

    @property
    def ruleset(self) -> Mapping[str, Any]: ...

    @property
    def forfeit_stones(self) -> int: ...

    @property
    def bundles(self) -> Mapping[int, str]:
        """SHA-256 of each seat's bundle."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of its boards: ``deal``, ``game``."""

    @property
    def seeds(self) -> Mapping[int, str]:
        """Seed by board number."""

    @property
    def stones(self) -> Mapping[tuple[int, int], int]:
        """Result by board number and seat."""

    @property
    def forfeited(self) -> Sequence[int]: ...

    @property
    def verdicts(self) -> Mapping[int, str]: ...

    @property
    def acts(self) -> Mapping[int, Sequence[str | None]]:
        """For every decision of a seat, in order: None, or the verdict for which the referee decided."""


Replayer = Callable[[bytes], ReplayedRecord]
"""Raises ValueError if the record contradicts the rules."""


class EventExport(NamedTuple):
    """Data shared by the checks of all stages."""

    tournament: Document
    secret: bytes
    entries: Mapping[str, Document]
    places: Mapping[str, int]
    record_bytes: Callable[[str], bytes]
    replayed: Replayer
    unverified: list[str]
    """Ids of tables with lost records found so far; their results are accepted."""

    @property
    def has_ended(self) -> bool:
        return self.tournament["state"] in ENDED

    def forfeit(self, of_game_board: int) -> int:
        """Return F, the stones a forfeit costs on one board of the event, from its cost on a game board."""
        return forfeit_stones(self.tournament["board_kind"], of_game_board)

    def left_in(self, entry: str) -> tuple[int, int] | None:
        """Return the stage during which an entry left, and the last of its rounds that it was drawn into."""
        row = self.entries[entry]
        return (row["left_stage"], row["left_round"]) if row["status"] == "left" else None


@dataclasses.dataclass
class TableCheck:
    """Verification of one table of a fixture."""

    event: EventExport
    stage: Document
    played: Document
    """The round."""
    table: Document
    result: TableResult | None = None
    """Result as played, once verified; None if the table was not played, or its record is unreadable."""
    forfeit: int = 0
    """F, once verified."""

    @property
    def where(self) -> str:
        return f"table {self.table['id']}"

    def check(self) -> Iterator[str]:
        table = self.table
        if table["state"] != "finished":
            yield from self._unplayed()
            return
        try:
            record = self.event.replayed(self._record())
        except RecordLost:
            yield from self._unrecorded()
            return
        except (ValueError, LookupError) as error:
            yield f"{self.where}: {error}"
            return
        yield from self._rules(record)
        yield from self._boards(record)
        yield from self._seats(record)
        self.forfeit = self.event.forfeit(record.forfeit_stones)
        self.result = table_result(
            table["rotation"],
            {seat["seat"]: seat["entry"] for seat in table["seats"]},
            [(board, seat, stones) for (board, seat), stones in record.stones.items()],
            record.forfeited,
        )

    def _unplayed(self) -> Iterator[str]:
        """Check that a table that was not played to its end has only a cause."""
        table = self.table
        if table["state"] != "void":
            yield f"{self.where}: it is {table['state']}, although the tournament is over"
        says = table["record_sha256"] or table["results"]
        if says or any(seat["verdict"] or seat["forfeited"] for seat in table["seats"]):
            yield f"{self.where}: it was not played to its end, but has a record, results or verdicts"
        yield from self._entered({seat["seat"]: seat for seat in table["seats"]})

    def _unrecorded(self) -> Iterator[str]:
        """Accept the results of a table with a lost record if they are plausible for its boards."""
        table = self.table
        self.event.unverified.append(table["id"])
        seats = {seat["seat"]: seat for seat in table["seats"]}
        yield from self._entered(seats)
        boards = range(table["first_board"], table["first_board"] + table["board_count"])
        if [(board, seat) for board, seat, _ in table["results"]] != [
            (board, seat) for board in boards for seat in sorted(seats)
        ]:
            yield f"{self.where}: its results are not those of its boards and seats"
            return
        try:
            self.result = table_result(
                table["rotation"],
                {number: seat["entry"] for number, seat in seats.items()},
                [tuple(result) for result in table["results"]],
                [number for number, seat in seats.items() if seat["forfeited"]],
            )
        except ScoresError as error:
            yield f"{self.where}: {error}"

    def _record(self) -> bytes:
        data = self.event.record_bytes(self.table["record_sha256"])
        if hashlib.sha256(data).hexdigest() != self.table["record_sha256"]:
            raise ValueError("its record has another hash")
        return data

    def _rules(self, record: ReplayedRecord) -> Iterator[str]:
        event = self.event.tournament
        rules = [record.game, record.preset, record.rules_version, dict(record.ruleset)]
        if canonical(rules) != canonical([event[k] for k in ("game", "preset", "rules_version", "ruleset")]):
            yield f"{self.where}: it was played by other rules than the tournament's"
        if record.kinds != {event["board_kind"]}:
            yield f"{self.where}: its boards are not {event['board_kind']} boards"
        if record.forfeit_stones != event["forfeit_stones"]:
            price = record.forfeit_stones
            yield f"{self.where}: by its rules a forfeit costs {price}, not what the export says"
        if self.table["cause"]:
            yield f"{self.where}: it was played, but names a fault of the platform ({self.table['cause']})"

    def _boards(self, record: ReplayedRecord) -> Iterator[str]:
        table = self.table
        # Derive only as many seeds as the record has, to bound the work.
        seeds = {
            number: board_seed(
                self.event.secret,
                self.event.tournament["id"],
                self.stage["field_digest"],
                self.stage["number"],
                self.played["number"],
                number,
            )
            for number in range(table["first_board"], table["first_board"] + len(record.seeds))
        }
        if len(seeds) != table["board_count"] or dict(record.seeds) != seeds:
            yield f"{self.where}: its boards are not those that follow from the secret"
        if [[*key, stones] for key, stones in sorted(record.stones.items())] != table["results"]:
            yield f"{self.where}: its results are not those of its record"

    def _seats(self, record: ReplayedRecord) -> Iterator[str]:
        seats = {seat["seat"]: seat for seat in self.table["seats"]}
        if dict(record.bundles) != {number: seat["bundle_sha256"] for number, seat in seats.items()}:
            yield f"{self.where}: its record names other bundles than the ones entered"
        else:
            yield from self._entered(seats)
        if sorted(record.forfeited) != sorted(number for number, seat in seats.items() if seat["forfeited"]):
            yield f"{self.where}: its record names other forfeits"
        if dict(record.verdicts) != {number: seat["verdict"] for number, seat in seats.items()}:
            yield f"{self.where}: its record gives other verdicts"
        event = self.event.tournament
        most = event["faults_before_forfeit"]
        for number, acts in sorted(record.acts.items()):
            refusal = conduct_disagreement(acts, number in record.forfeited, event["fault_policy"], most)
            if refusal:
                yield f"{self.where}, seat {number}: {refusal} ({event['fault_policy']})"

    def _entered(self, seats: Mapping[int, Document]) -> Iterator[str]:
        """Check that every seat is played by a version of its entry, the first one in the lowest seat."""
        played: dict[str, list[str]] = {}
        for _, seat in sorted(seats.items()):
            played.setdefault(seat["entry"], []).append(seat["bundle_sha256"])
        for entry, bundles in played.items():
            entered = [version["bundle_sha256"] for version in self.event.entries[entry]["versions"]]
            if bundles != (entered * len(bundles) if len(entered) == 1 else entered):
                yield f"{self.where}: its record names other bundles than the ones entered"
                return


def misseated_table(sides: Sequence[tuple[str, ...]], tables: Sequence[Document]) -> str:
    """Return the id of a table whose seating differs from its rotation; empty if there is none."""
    seats = [{seat["seat"]: seat["entry"] for seat in table["seats"]} for table in tables]
    first = next((by for by, table in zip(seats, tables, strict=True) if table["rotation"] == 0), {})
    seats_of = [tuple(seat for seat, entry in sorted(first.items()) if entry in side) for side in sides]
    is_sound = (
        sum(map(len, seats_of)) == len(first)
        and len({len(places) for places in seats_of}) == 1
        and sorted(seats_of) == seats_of
        and sorted(first) == list(range(1, len(first) + 1))
    )
    placings = seatings(len(sides))
    for by_seat, table in zip(seats, tables, strict=True):
        rotation = table["rotation"]
        if rotation not in range(len(placings)) or not is_sound or not all(seats_of):
            return str(table["id"])
        placed: dict[int, str] = {}
        for places, position in zip(seats_of, placings[rotation], strict=True):
            members = sides[position]
            filled = members * len(places) if len(members) == 1 else members
            if len(filled) != len(places):
                return str(table["id"])
            placed.update(zip(places, filled, strict=True))
        if list(by_seat.items()) != sorted(placed.items()):
            return str(table["id"])
    return ""


def board_division(sides: int, boards: int, tables: Sequence[Document]) -> tuple[tuple[int, int], ...] | None:
    """Return first board and number of boards of each table of a rotation.

    None unless they contain each board once per rotation, equally in all rotations, in this order.
    """
    by_rotation: dict[int, list[tuple[int, int]]] = {}
    for table in tables:
        chunk = (table["first_board"], table["board_count"])
        by_rotation.setdefault(table["rotation"], []).append(chunk)
    cut = by_rotation.get(0, [])
    if list(by_rotation) != list(range(sides)) or any(chunks != cut for chunks in by_rotation.values()):
        return None
    if [(table["rotation"], table["first_board"]) for table in tables] != sorted(
        (rotation, first) for rotation in by_rotation for first, _ in cut
    ):
        return None
    expected = 1
    for first, count in cut:
        if first != expected:
            return None
        expected += count
    return tuple(cut) if expected == boards + 1 else None
