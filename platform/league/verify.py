"""Deriving a whole event again from what it published, and naming whatever disagrees.

Works on the plain values of an export (``rensho-export/1``) and the bytes of its records alone, so
that anybody can do it. How a record is replayed is handed in: the rules are not league's business.
Source: DESIGN.md 8.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from league.errors import LeagueError
from league.fairness import board_seed, commitment, field_digest, lot
from league.formats import format_named
from league.rotation import seatings
from league.scoring import (
    FixtureOutcome,
    TableResult,
    board_scores,
    fixture_totals,
    forfeit_stones,
    table_result,
)
from league.stage import Pairing, StageSoFar
from league.standings import Row, standings

FORMAT = "rensho-export/1"
Document = Mapping[str, Any]
"""JSON from outside: every access may fail, and a failure is a disagreement."""


class Played(Protocol):
    """What must be known of a replayed record. Stones by (board, seat), everything by seat from 1."""

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


def standing_values(row: Row) -> dict[str, Any]:
    """What is stored and shown of a standings row: every value by name, fractions as text."""
    return {
        "match_points": str(row.match_points),
        "board_score": str(row.board_score),
        **row.values_json(),
        "played": row.played,
        "won": row.wins,
        "drawn": row.draws,
        "lost": row.losses,
    }


def seeded(entries: Sequence[tuple[str, int | None]], lots: Mapping[str, str]) -> tuple[str, ...]:
    """Entries in the order of play: the organiser's seeds first, then by lot."""
    return tuple(
        name
        for name, _ in sorted(
            entries, key=lambda e: (e[1] is None, e[1] if e[1] is not None else 0, lots[e[0]])
        )
    )


def record_hashes(document: Document) -> Iterator[str]:
    """The hashes of all records a document speaks of, each once, in its order."""
    seen: set[str] = set()
    for stage in document["stages"]:
        for played in stage["rounds"]:
            for fixture in played["fixtures"]:
                for table in fixture["tables"]:
                    sha256 = table["record_sha256"]
                    if sha256 and sha256 not in seen:
                        seen.add(sha256)
                        yield sha256


def disagreements(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> list[str]:
    """Everything in an event that cannot be derived again, one sentence each; empty if all agrees.

    ``record_bytes`` gives a record by its hash (LookupError if there is none). A secret that is not
    revealed yet cannot be checked, and says so.
    """
    found: list[str] = []
    try:
        for sentence in _event(document, record_bytes, replayed):
            found.append(sentence)
    except (KeyError, TypeError, AttributeError, LeagueError) as error:
        found.append(f"the export cannot be read: {type(error).__name__}: {error}")
    return found


def _event(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> Iterator[str]:
    if document["format"] != FORMAT:
        yield f"the export has the format {document['format']!r}, not {FORMAT!r}"
        return
    event = document["tournament"]
    if event["secret"] is None:
        yield "the secret is not revealed yet, so the deals cannot be derived"
        return
    secret = bytes.fromhex(event["secret"])
    if commitment(secret) != event["commitment"]:
        yield "the secret is not the one that was committed to"
    for stage in document["stages"]:
        yield from _Stage(event, secret, document["entries"], stage, record_bytes, replayed).check()


class _Stage:
    """One stage of the export, with what its checks share."""

    def __init__(
        self,
        event: Document,
        secret: bytes,
        entries: Sequence[Document],
        stage: Document,
        record_bytes: Callable[[str], bytes],
        replayed: Replayer,
    ) -> None:
        self.event = event
        self.secret = secret
        self.stage = stage
        self.entries = [entry for entry in entries if entry["status"] == "entered"]
        self.record_bytes = record_bytes
        self.replayed = replayed
        self.digest: str = stage["field_digest"]
        self.where = f"stage {stage['number']}"
        met = (len(fixture["sides"]) for played in stage["rounds"] for fixture in played["fixtures"])
        self.sides = max((2, *met))  # a bye names one, a fixture as many as the table has sides

    def check(self) -> Iterator[str]:
        if not self.digest:
            if self.stage["rounds"]:
                yield f"{self.where}: rounds were played before the field was fixed"
            return
        bundles = [version["bundle_sha256"] for entry in self.entries for version in entry["versions"]]
        if field_digest(bundles) != self.digest:
            yield f"{self.where}: the field digest does not follow from the bundles entered"
        lots = {
            entry["id"]: lot(self.secret, self.event["id"], self.digest, self.stage["number"], entry["id"])
            for entry in self.entries
        }
        order = seeded([(entry["id"], entry["seed"]) for entry in self.entries], lots)
        rounds: list[tuple[FixtureOutcome, ...]] = []
        for number, played in enumerate(self.stage["rounds"], 1):
            if played["number"] != number:
                yield f"{self.where}: round {number} is missing"
            yield from self._pairings(
                played, StageSoFar(order, self.stage["options"], tuple(rounds), self.sides)
            )
            outcomes: list[FixtureOutcome] = []
            for fixture in played["fixtures"]:
                yield from self._fixture(played, fixture, outcomes)
            rounds.append(tuple(outcomes))
        yield from self._standings(rounds, lots)

    def _pairings(self, played: Document, so_far: StageSoFar) -> Iterator[str]:
        drawn = format_named(self.stage["format"]).next_round(so_far)
        shown: tuple[Pairing, ...] = tuple(tuple(fixture["sides"]) for fixture in played["fixtures"])
        if drawn != shown:
            yield f"{self.where}, round {played['number']}: the pairings are not those the format draws"

    def _fixture(self, played: Document, fixture: Document, outcomes: list[FixtureOutcome]) -> Iterator[str]:
        where = f"fixture {fixture['id']}"
        sides = tuple(fixture["sides"])
        if fixture["state"] == "void":
            outcomes.append(FixtureOutcome(sides, is_void=True))
            return
        if len(sides) == 1:
            outcomes.append(FixtureOutcome(sides))
            return
        if misplaced := _misplaced(sides, fixture["tables"]):
            yield f"table {misplaced}: its seats are not those that follow from the pairing"
            outcomes.append(FixtureOutcome(sides))
            return
        results: list[TableResult] = []
        forfeit = 0
        for table in fixture["tables"]:
            try:
                record = self.replayed(self._record(table))
            except (ValueError, LookupError) as error:
                yield f"table {table['id']}: {error}"
                continue
            yield from self._table(played, table, record)
            forfeit = forfeit_stones(self.event["board_kind"], record.forfeit_stones)
            results.append(
                table_result(
                    table["rotation"],
                    {seat["seat"]: seat["entry"] for seat in table["seats"]},
                    [(board, seat, stones) for (board, seat), stones in record.stones.items()],
                    record.forfeited,
                )
            )
        if len(results) < len(fixture["tables"]):
            outcomes.append(FixtureOutcome(sides))
            return
        boards = sorted(board for result in results for board in result.stones if result.rotation == 0)
        if boards != list(range(1, played["boards"] + 1)):
            yield f"{where}: its tables do not hold boards 1 to {played['boards']}"
        scores = board_scores(results, forfeit)
        shown = {(score["board"], score["entry"]): Fraction(score["value"]) for score in fixture["scores"]}
        derived = {(board, entry): value for board, by in scores.items() for entry, value in by.items()}
        if shown != derived:
            yield f"{where}: the board scores do not follow from the records"
        is_forfeited = any(result.forfeited for result in results)
        if (fixture["state"] == "forfeited") != is_forfeited:
            yield f"{where}: its state is {fixture['state']}, its records say otherwise"
        outcomes.append(FixtureOutcome(sides, fixture_totals(scores)))

    def _record(self, table: Document) -> bytes:
        data = self.record_bytes(table["record_sha256"])
        if hashlib.sha256(data).hexdigest() != table["record_sha256"]:
            raise ValueError("its record has another hash")
        return data

    def _table(self, played: Document, table: Document, record: Played) -> Iterator[str]:
        where = f"table {table['id']}"
        rules = (record.game, record.preset, record.rules_version, dict(record.ruleset))
        if rules != tuple(self.event[name] for name in ("game", "preset", "rules_version", "ruleset")):
            yield f"{where}: it was played by other rules than the event's"
        numbers = range(table["first_board"], table["first_board"] + table["board_count"])
        seeds = {
            number: board_seed(
                self.secret, self.event["id"], self.digest, self.stage["number"], played["number"], number
            )
            for number in numbers
        }
        if dict(record.seeds) != seeds:
            yield f"{where}: its boards are not those that follow from the secret"
        seats = {seat["seat"]: seat for seat in table["seats"]}
        if dict(record.bundles) != {number: seat["bundle_sha256"] for number, seat in seats.items()}:
            yield f"{where}: its record names other bundles than the ones entered"
        if sorted(record.forfeited) != sorted(number for number, seat in seats.items() if seat["forfeited"]):
            yield f"{where}: its record names other forfeits"
        if dict(record.verdicts) != {number: seat["verdict"] for number, seat in seats.items()}:
            yield f"{where}: its record gives other verdicts"
        if dict(record.stones) != {(board, seat): stones for board, seat, stones in table["results"]}:
            yield f"{where}: its results are not those of its record"

    def _standings(self, rounds: list[tuple[FixtureOutcome, ...]], lots: Mapping[str, str]) -> Iterator[str]:
        rows = standings(
            [entry["id"] for entry in self.entries],
            [fixture for played in rounds for fixture in played],
            scoring=self.event["scoring"],
            tie_breaks=self.event["tie_breaks"],
            lots=lots,
            sides=self.sides,
        )
        derived = [(row.entry, row.rank, standing_values(row), row.decided_by) for row in rows]
        shown = [
            (row["entry"], row["rank"], row["values"], row["decided_by"]) for row in self.stage["standings"]
        ]
        if derived != shown:
            yield f"{self.where}: the standings do not follow from the results"


def _misplaced(pairing: Sequence[str], tables: Sequence[Document]) -> str:
    """A table where somebody sits in another place than its rotation gives; empty if there is none.

    Which seats make a side shows at the tables of the first rotation, where the entry named first has
    the first side.
    """
    seats = [{seat["seat"]: seat["entry"] for seat in table["seats"]} for table in tables]
    first = next((by for by, table in zip(seats, tables, strict=True) if table["rotation"] == 0), {})
    by_lowest_seat = tuple(dict.fromkeys(first[seat] for seat in sorted(first)))
    placings = seatings(len(pairing))
    for by_seat, table in zip(seats, tables, strict=True):
        rotation = table["rotation"]
        if rotation not in range(len(placings)) or by_lowest_seat != tuple(pairing):
            return str(table["id"])
        placed = {seat: pairing[placings[rotation][pairing.index(entry)]] for seat, entry in first.items()}
        if by_seat != placed:
            return str(table["id"])
    return ""
