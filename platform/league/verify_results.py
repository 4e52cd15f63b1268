"""Results of an event derived again: each fixture from the records of its tables and its rulings."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from league.errors import ScoresError
from league.fairness import board_seed
from league.rotation import seatings
from league.scoring import (
    FixtureOutcome,
    Scores,
    TableResult,
    adjudicated_scores,
    board_scores,
    fixture_totals,
    forfeit_stones,
    table_result,
)

Document = Mapping[str, Any]
"""JSON from outside: every access may fail, and a failure is a disagreement."""


class Played(Protocol):
    """The data needed of a replayed record. Stones by (board, seat), everything by seat from 1."""

    @property
    def game(self) -> str:
        """Key of the game."""

    @property
    def preset(self) -> str:
        """Name of the preset."""

    @property
    def rules_version(self) -> int:
        """Version of the rules it was played under."""

    @property
    def ruleset(self) -> Mapping[str, Any]:
        """Every option."""

    @property
    def forfeit_stones(self) -> int:
        """What a forfeit of a game board costs."""

    @property
    def bundles(self) -> Mapping[int, str]:
        """SHA-256 of each seat's bundle."""

    @property
    def seeds(self) -> Mapping[int, str]:
        """Seed by board number."""

    @property
    def stones(self) -> Mapping[tuple[int, int], int]:
        """Result by board number and seat."""

    @property
    def forfeited(self) -> Sequence[int]:
        """Seats that forfeited the table."""

    @property
    def verdicts(self) -> Mapping[int, str]:
        """Verdict by seat."""


Replayer = Callable[[bytes], Played]
"""Raises ValueError when the record contradicts the rules."""


class Event(NamedTuple):
    """Shared by the checks of all stages."""

    tournament: Document
    """The ``tournament`` of the export."""
    secret: bytes
    entries: Mapping[str, Document]
    """By id."""
    record_bytes: Callable[[str], bytes]
    replayed: Replayer
    is_first: bool
    """Whether the export is of the first format."""

    def forfeit(self, of_game_board: int) -> int:
        """F, the stones a forfeit costs on one board of the event, from what it costs on a game board."""
        return forfeit_stones(self.tournament["board_kind"], of_game_board)


@dataclasses.dataclass(frozen=True)
class FixtureDerived:
    """The results of a fixture, as played and by any of its rulings."""

    sides: tuple[tuple[str, ...], ...]
    as_played: Scores | None
    """None unless every table was played; empty for a bye."""
    is_void: bool
    """Not played to its end, and without a ruling."""
    rulings: tuple[Document, ...] = ()
    boards: int = 0
    forfeit: int = 0

    def ruling(self, opened_before: int | None = None) -> Document | None:
        """The ruling that applies, or applied when this round of the stage was drawn; None: as played."""
        known = [r for r in self.rulings if opened_before is None or r["rounds_opened"] < opened_before]
        return None if not known or known[-1]["kind"] == "lift" else known[-1]

    def scores(self, opened_before: int | None = None) -> Scores:
        """Board scores by the ruling that applies (or applied, see ``ruling``); empty if not counted."""
        ruling = self.ruling(opened_before)
        if ruling is not None:
            return adjudicated_scores(
                ruling["kind"], ruling["entries"], self.sides, self.boards, self.forfeit
            )
        return {} if self.is_void or self.as_played is None else self.as_played

    def outcome(self, opened_before: int | None = None) -> FixtureOutcome:
        """The same as the league counts it."""
        entries = tuple(entry for side in self.sides for entry in side)
        per_side = len(self.sides[0]) if self.sides else 1
        if len(entries) == 1:
            return FixtureOutcome(entries)
        ruling = self.ruling(opened_before)
        is_void = self.is_void if ruling is None else ruling["kind"] == "void"
        scores = self.scores(opened_before)
        totals = fixture_totals(scores) if scores and not is_void else None
        return FixtureOutcome(entries, totals, is_void, per_side)


class FixtureCheck:
    """One fixture of a round."""

    def __init__(
        self, event: Event, stage: Document, played: Document, fixture: Document, per_side: int
    ) -> None:
        self.event = event
        self.stage = stage
        self.played = played
        self.fixture = fixture
        self.where = f"fixture {fixture['id']}"
        names = tuple(fixture["sides"])
        size = per_side if len(names) > 1 else 1
        self.sides = tuple(names[at : at + size] for at in range(0, len(names), size))
        self.derived = FixtureDerived(self.sides, {} if len(names) == 1 else None, is_void=False)

    def check(self) -> Iterator[str]:
        """Every disagreement; ``derived`` is what came out."""
        if len(self.fixture["sides"]) == 1:
            return
        tables = self.fixture["tables"]
        if len({len(side) for side in self.sides}) > 1 or (misplaced := _misplaced(self.sides, tables)):
            where = f"table {misplaced}" if len({len(side) for side in self.sides}) == 1 else self.where
            yield f"{where}: its seats are not those that follow from the pairing"
            return
        results: list[TableResult] = []
        forfeit = 0
        is_whole = True
        for table in tables:
            if table.get("state", "finished") != "finished":
                is_whole = False
                continue
            try:
                record = self.event.replayed(self._record(table))
            except (ValueError, LookupError) as error:
                yield f"table {table['id']}: {error}"
                is_whole = False
                continue
            yield from self._table(table, record)
            forfeit = self.event.forfeit(record.forfeit_stones)
            results.append(
                table_result(
                    table["rotation"],
                    {seat["seat"]: seat["entry"] for seat in table["seats"]},
                    [(board, seat, stones) for (board, seat), stones in record.stones.items()],
                    record.forfeited,
                )
            )
        yield from self._outcome(results, is_whole, self._forfeit(forfeit))

    def _forfeit(self, found: int) -> int:
        """F, from a record or, where no table was played, as the export says."""
        if found or self.event.is_first:
            return found
        return self.event.forfeit(self.event.tournament["forfeit_stones"])

    def _outcome(self, results: Sequence[TableResult], is_whole: bool, forfeit: int) -> Iterator[str]:
        rulings = tuple(self.fixture.get("adjudications", ()))
        state = self.fixture["state"]
        scores: Scores | None = None
        if is_whole:
            boards = sorted(board for result in results for board in result.stones if result.rotation == 0)
            if boards != list(range(1, self.played["boards"] + 1)):
                yield f"{self.where}: its tables do not hold boards 1 to {self.played['boards']}"
            scores = board_scores(results, forfeit, self.sides)
        # Without a ruling a void fixture is one that could not be played, of which nothing counts.
        is_void = scores is None or (state == "void" and not rulings)
        self.derived = FixtureDerived(self.sides, scores, is_void, rulings, self.played["boards"], forfeit)
        yield from self._rulings(rulings)
        try:
            derived = self.derived.scores()
        except ScoresError as error:
            yield f"{self.where}: {error}"
            return
        published = {
            (score["board"], score["entry"]): Fraction(score["value"]) for score in self.fixture["scores"]
        }
        if published != {
            (board, entry): value for board, by in derived.items() for entry, value in by.items()
        }:
            yield f"{self.where}: the board scores do not follow from the records"
        expected = self._state(results)
        if state != expected:
            yield f"{self.where}: its state is {state}, its records say otherwise ({expected})"

    def _rulings(self, rulings: Sequence[Document]) -> Iterator[str]:
        """Rulings are numbered, in order, and none was made before the fixture's round."""
        opened = [ruling["rounds_opened"] for ruling in rulings]
        numbers = [ruling["number"] for ruling in rulings]
        if numbers != list(range(1, len(rulings) + 1)) or opened != sorted(opened):
            yield f"{self.where}: its rulings are not in order"
        elif opened and opened[0] < self.played["number"]:
            yield f"{self.where}: it was ruled on before its round was opened"

    def _state(self, results: Sequence[TableResult]) -> str:
        """The state that follows from records and rulings."""
        ruling = self.derived.ruling()
        if ruling is not None:
            return {"forfeit": "forfeited", "draw": "settled"}.get(ruling["kind"], "void")
        if self.derived.is_void:
            return "void"
        return "forfeited" if any(result.forfeited for result in results) else "settled"

    def _record(self, table: Document) -> bytes:
        data = self.event.record_bytes(table["record_sha256"])
        if hashlib.sha256(data).hexdigest() != table["record_sha256"]:
            raise ValueError("its record has another hash")
        return data

    def _table(self, table: Document, record: Played) -> Iterator[str]:
        where = f"table {table['id']}"
        event = self.event.tournament
        rules = (record.game, record.preset, record.rules_version, dict(record.ruleset))
        if rules != tuple(event[name] for name in ("game", "preset", "rules_version", "ruleset")):
            yield f"{where}: it was played by other rules than the event's"
        if not self.event.is_first and record.forfeit_stones != event["forfeit_stones"]:
            yield f"{where}: by its rules a forfeit costs {record.forfeit_stones}, not what the export says"
        numbers = range(table["first_board"], table["first_board"] + table["board_count"])
        seeds = {
            number: board_seed(
                self.event.secret,
                event["id"],
                self.stage["field_digest"],
                self.stage["number"],
                self.played["number"],
                number,
            )
            for number in numbers
        }
        if dict(record.seeds) != seeds:
            yield f"{where}: its boards are not those that follow from the secret"
        seats = {seat["seat"]: seat for seat in table["seats"]}
        bundles = {number: seat["bundle_sha256"] for number, seat in seats.items()}
        if dict(record.bundles) != bundles or not self._are_entered(seats):
            yield f"{where}: its record names other bundles than the ones entered"
        if sorted(record.forfeited) != sorted(number for number, seat in seats.items() if seat["forfeited"]):
            yield f"{where}: its record names other forfeits"
        if dict(record.verdicts) != {number: seat["verdict"] for number, seat in seats.items()}:
            yield f"{where}: its record gives other verdicts"
        if dict(record.stones) != {(board, seat): stones for board, seat, stones in table["results"]}:
            yield f"{where}: its results are not those of its record"

    def _are_entered(self, seats: Mapping[int, Document]) -> bool:
        """Whether every seat is played by a version of its entry, the first named in the lowest seat."""
        played: dict[str, list[str]] = {}
        for _, seat in sorted(seats.items()):
            played.setdefault(seat["entry"], []).append(seat["bundle_sha256"])
        for entry, bundles in played.items():
            entered = [version["bundle_sha256"] for version in self.event.entries[entry]["versions"]]
            if bundles != (entered * len(bundles) if len(entered) == 1 else entered):
                return False
        return True


def _misplaced(sides: Sequence[tuple[str, ...]], tables: Sequence[Document]) -> str:
    """A table whose seating differs from its rotation; empty if there is none.

    Which seats make a side shows at the tables of the first rotation, where the side named first has
    the lowest seat.
    """
    seats = [{seat["seat"]: seat["entry"] for seat in table["seats"]} for table in tables]
    first = next((by for by, table in zip(seats, tables, strict=True) if table["rotation"] == 0), {})
    seats_of = [tuple(seat for seat, entry in sorted(first.items()) if entry in side) for side in sides]
    is_sound = (
        sum(map(len, seats_of)) == len(first)
        and len({len(places) for places in seats_of}) == 1
        and sorted(seats_of) == seats_of
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
        if by_seat != placed:
            return str(table["id"])
    return ""
