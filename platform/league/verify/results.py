"""Verification of results: each fixture from the records of its tables and its rulings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from league.errors import ScoresError
from league.scoring import (
    FixtureOutcome,
    Scores,
    TableResult,
    adjudicated_scores,
    board_scores,
    fixture_totals,
)
from league.verify.tables import CANCELLED, Document, EventExport, TableCheck, board_division, misseated_table


@dataclasses.dataclass
class DerivedFixture:
    sides: tuple[tuple[str, ...], ...]
    as_played: Scores | None
    """None unless every table was played; empty for a bye."""
    is_void: bool
    """Not played to its end, and without a ruling."""
    rulings: tuple[Document, ...] = ()
    boards: int = 0
    forfeit: int = 0
    _counted: dict[int, FixtureOutcome] = dataclasses.field(default_factory=dict)
    """Cached outcomes by number of rulings, needed for every later round."""

    def ruling(self, opened_before: int | None = None) -> Document | None:
        """Return the current ruling, or the one when this round of the stage was drawn; None: as played."""
        return self._ruling(self._known(opened_before))

    def scores(self, opened_before: int | None = None) -> Scores:
        """Return board scores by that ruling (see ``ruling``); empty if not counted."""
        return self._scores(self._known(opened_before))

    def outcome(self, opened_before: int | None = None) -> FixtureOutcome:
        """Return the same as a league outcome."""
        known = self._known(opened_before)
        if known not in self._counted:
            outcome = self._outcome(known)
            earlier: dict[int, FixtureOutcome] = {}
            for number, ruling in enumerate(self.rulings[:known]):
                earlier.setdefault(ruling["rounds_opened"], self._outcome(number))
            self._counted[known] = outcome._replace(earlier=tuple(sorted(earlier.items())))
        return self._counted[known]

    def _known(self, opened_before: int | None) -> int:
        """Return how many of its rulings were known when this round was drawn (by default all)."""
        return sum(opened_before is None or r["rounds_opened"] < opened_before for r in self.rulings)

    def _ruling(self, known: int) -> Document | None:
        last = self.rulings[known - 1] if known else None
        return None if last is None or last["kind"] == "lift" else last

    def _scores(self, known: int) -> Scores:
        ruling = self._ruling(known)
        if ruling is not None:
            return adjudicated_scores(
                ruling["kind"], ruling["entries"], self.sides, self.boards, self.forfeit
            )
        return {} if self.is_void or self.as_played is None else self.as_played

    def _outcome(self, known: int) -> FixtureOutcome:
        entries = tuple(entry for side in self.sides for entry in side)
        per_side = len(self.sides[0]) if self.sides else 1
        if len(entries) == 1:
            return FixtureOutcome(entries)
        ruling = self._ruling(known)
        is_void = self.is_void if ruling is None else ruling["kind"] == "void"
        scores = self._scores(known)
        totals = fixture_totals(scores) if scores and not is_void else None
        return FixtureOutcome(entries, totals, is_void, per_side)


class FixtureCheck:
    """Verification of one fixture of a round."""

    def __init__(
        self, event: EventExport, stage: Document, played: Document, fixture: Document, per_side: int
    ) -> None:
        self.event = event
        self.stage = stage
        self.played = played
        self.fixture = fixture
        self.where = f"fixture {fixture['id']}"
        names = tuple(fixture["sides"])
        size = per_side if len(names) > 1 else 1
        self.sides = tuple(names[start : start + size] for start in range(0, len(names), size))
        self.derived = DerivedFixture(self.sides, {} if len(names) == 1 else None, is_void=False)
        self.cut: tuple[tuple[int, int], ...] | None = None
        """Division of the boards into tables, once verified; None for a bye."""

    def check(self) -> Iterator[str]:
        strangers = [name for name in self.fixture["sides"] if name not in self.event.entries]
        if strangers:
            yield f"{self.where}: {strangers[0]} plays it, but is no entry"
            return
        yield from self._owners()
        if len(self.fixture["sides"]) == 1:
            yield from self._bye()
            return
        tables = self.fixture["tables"]
        if len({len(side) for side in self.sides}) > 1 or (wrong := misseated_table(self.sides, tables)):
            where = f"table {wrong}" if len({len(side) for side in self.sides}) == 1 else self.where
            yield f"{where}: its seats are not those that follow from the pairing"
            return
        yield from self._divided()
        results: list[TableResult] = []
        forfeit = 0
        is_whole = True
        for table in tables:
            check = TableCheck(self.event, self.stage, self.played, table)
            yield from check.check()
            forfeit = check.forfeit or forfeit
            if check.result is None:
                is_whole = False
            else:
                results.append(check.result)
        yield from self._outcome(results, is_whole, self._forfeit(forfeit))
        yield from self._reason()

    def _owners(self) -> Iterator[str]:
        """Check the mark of fixtures with entries of one owner."""
        entries = [self.event.entries[name] for name in self.fixture["sides"]]
        owners = [
            {label["hash"] for label in (entry["player"], entry["partner"]) if label is not None}
            for entry in entries
        ]
        is_marked = sum(map(len, owners)) > len(set().union(*owners))
        if self.fixture["same_owner"] != is_marked:
            yield f"{self.where}: same_owner is {self.fixture['same_owner']}, its entries say {is_marked}"

    def _bye(self) -> Iterator[str]:
        """Check that a bye has no tables, scores or rulings."""
        parts = ("tables", "scores", "adjudications", "reason")
        present = [part for part in parts if self.fixture.get(part)]
        if present or self.fixture["state"] != "settled":
            yield f"{self.where}: it is a bye, but has {present[0] if present else 'another state'}"

    def _divided(self) -> Iterator[str]:
        tables, boards = self.fixture["tables"], self.played["boards"]
        self.cut = board_division(len(self.sides), boards, tables)
        if self.cut is None:
            yield f"{self.where}: its tables do not hold boards 1 to {boards} once a rotation, in order"
        seats = self.event.tournament["sides"] * self.event.tournament["seats_per_side"]
        if any(len(table["seats"]) != seats for table in tables):
            yield f"{self.where}: its tables do not have {seats} seats"

    def _forfeit(self, recorded: int) -> int:
        return recorded or self.event.forfeit(self.event.tournament["forfeit_stones"])

    def _outcome(self, results: Sequence[TableResult], is_whole: bool, forfeit: int) -> Iterator[str]:
        rulings = tuple(self.fixture["adjudications"])
        state = self.fixture["state"]
        scores = board_scores(results, forfeit, self.sides) if is_whole and results else None
        # Without a ruling, a void fixture could not be played, and has no scores.
        self.derived = DerivedFixture(
            self.sides, scores, scores is None, rulings, self.played["boards"], forfeit
        )
        yield from self._rulings(rulings, is_whole)
        try:
            derived = self.derived.scores()
        except ScoresError as error:
            yield f"{self.where}: {error}"
            return
        yield from self._scores(derived)
        expected = self._state(results)
        if state != expected:
            yield f"{self.where}: its state is {state}, its records say otherwise ({expected})"

    def _scores(self, derived: Scores) -> Iterator[str]:
        rows = [(score["board"], score["entry"], score["value"]) for score in self.fixture["scores"]]
        due = {(board, name): str(value) for board, by in derived.items() for name, value in by.items()}
        if {(board, name): value for board, name, value in rows} != due or len(rows) != len(due):
            yield f"{self.where}: the board scores do not follow from the records"
        else:
            order = [(board, self.event.places[name]) for board, name, _ in rows]
            if order != sorted(order):
                yield f"{self.where}: the board scores are not in order"

    def _rulings(self, rulings: Sequence[Document], is_whole: bool) -> Iterator[str]:
        """Check that rulings are numbered, in order, possible, and not earlier than the fixture's round."""
        opened = [ruling["rounds_opened"] for ruling in rulings]
        numbers = [ruling["number"] for ruling in rulings]
        if numbers != list(range(1, len(rulings) + 1)) or opened != sorted(opened):
            yield f"{self.where}: its rulings are not in order"
        elif opened and opened[0] < self.played["number"]:
            yield f"{self.where}: it was ruled on before its round was opened"
        if opened and max(opened) > len(self.stage["rounds"]):
            yield f"{self.where}: it was ruled on after a round that was never opened"
        before = "lift"
        for index, ruling in enumerate(rulings):
            where = f"{self.where}, ruling {index + 1}"
            names = ruling["entries"]
            if names != sorted(set(names)) or bool(names) != (ruling["kind"] == "forfeit"):
                yield f"{where}: it names entries as no {ruling['kind']} does"
            elif not set(names) <= set(self.fixture["sides"]):
                yield f"{where}: it names entries that do not play the fixture"
            if ruling["kind"] == "lift" and (
                before == "lift" or (not is_whole and index == len(rulings) - 1)
            ):
                yield f"{where}: there is nothing to go back to"
            if index and ruling["created_at"] < rulings[index - 1]["created_at"]:
                yield f"{where}: it was made before the one before it"
            if ruling["by"] == "system" and not self._is_of_leaving(ruling):
                yield f"{where}: the system lets only entries forfeit that left while they played it"
            before = ruling["kind"]

    def _is_of_leaving(self, ruling: Document) -> bool:
        here = (self.stage["number"], self.played["number"])
        return ruling["kind"] == "forfeit" and all(
            name in self.event.entries and self.event.left_in(name) == here for name in ruling["entries"]
        )

    def _state(self, results: Sequence[TableResult]) -> str:
        """Return the state that follows from records and rulings."""
        ruling = self.derived.ruling()
        if ruling is not None:
            return {"forfeit": "forfeited", "draw": "settled"}.get(ruling["kind"], "void")
        if self.derived.is_void:
            return "void"
        return "forfeited" if any(result.forfeited for result in results) else "settled"

    def _reason(self) -> Iterator[str]:
        """Check that a ruling has its reason, and a void fixture without one a fault of the platform."""
        ruling = self.derived.ruling()
        reason = self.fixture["reason"]
        if ruling is not None or not self.derived.is_void:
            if reason != ("" if ruling is None else ruling["reason"]):
                yield f"{self.where}: its reason is not that of its last ruling"
            return
        void = [table for table in self.fixture["tables"] if table["state"] == "void"]
        has_cause = any(table["cause"] for table in void)
        if self.event.tournament["state"] == CANCELLED:
            is_open = self.played["number"] == len(self.stage["rounds"])
            has_cause |= is_open or any(table["reruns"] for table in void)
        if not reason or not void or not has_cause:
            yield f"{self.where}: it is void, but neither a ruling nor a fault of the platform says why"
