"""Verification of a stage: its field, its rounds as drawn, and its standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from league.errors import FormatError, LeagueError
from league.fairness import field_digest, lot
from league.formats import format_named
from league.scoring import FixtureOutcome
from league.seeding import order_by_seed, qualified_entries
from league.separation import unseparated
from league.stage import Pairing, StageState
from league.standings import StandingsRow, standings
from league.statements import canonical
from league.verify.results import DerivedFixture, FixtureCheck
from league.verify.tables import Document, EventExport

FIELD_STATES = ("entered", "left")
"""States of entries that belong to the field of the first stage."""


def standing_values(row: StandingsRow) -> dict[str, Any]:
    """Return a standings row as stored and displayed: every value by name, fractions as text."""
    return {
        "match_points": str(row.match_points),
        "board_score": str(row.board_score),
        **row.values_json(),
        "played": row.played,
        "won": row.wins,
        "drawn": row.draws,
        "lost": row.losses,
    }


class StageCheck:
    """Verification of one stage, with data for its checks; ``before`` is the verified previous stage."""

    def __init__(self, event: EventExport, stage: Document, before: StageCheck | None) -> None:
        self.event = event
        self.stage = stage
        self.before = before
        self.format = format_named(stage["format"])
        self.digest: str = stage["field_digest"]
        self.number: int = stage["number"]
        self.where = f"stage {self.number}"
        self.sides: int = event.tournament["sides"]
        self.seats: int = event.tournament["seats_per_side"]
        self.per_side = self.seats if self.format.mixes_partners else 1
        departures = ((name, event.left_in(name)) for name in event.entries)
        self.left_at = {name: position for name, position in departures if position is not None}
        """Entries that left, with the stage and the last round they were drawn into."""
        self.order: tuple[str, ...] = ()
        self.owners: dict[str, str] = {}
        self.origins: dict[str, int] = {}
        self.lots: dict[str, str] = {}
        self.fixtures: list[list[DerivedFixture]] = []
        self.rows: list[StandingsRow] = []

    def check(self) -> Iterator[str]:
        try:
            self.format.options.check(self.stage["options"])
        except FormatError as error:
            yield f"{self.where}: {error}"
            return
        if self.before is None and self.stage["qualify"] is not None:
            yield f"{self.where}: nobody qualifies for the first stage"
        if not self.digest:
            parts = [part for part in ("rounds", "entries", "standings") if self.stage[part]]
            if "rounds" in parts:
                yield f"{self.where}: rounds were played before the field was fixed"
            elif parts:
                yield f"{self.where}: it has {parts[0]}, but its field was never fixed"
            return
        strangers = [row["entry"] for row in self.stage["entries"]]
        strangers = [name for name in strangers if name not in self.event.entries]
        if strangers:
            yield f"{self.where}: {strangers[0]} is in its field, but is no entry"
            return
        yield from self._field()
        for number, played in enumerate(self.stage["rounds"], 1):
            yield from self._round(number, played)
        yield from self._standings()

    def _round(self, number: int, played: Document) -> Iterator[str]:
        where = f"{self.where}, round {number}"
        if played["number"] != number:
            yield f"{self.where}: round {number} is missing"
        if played["boards"] != self._boards:
            yield f"{where}: it has {played['boards']} boards, not {self._boards}"
        if played["closed_seq"] is None:
            yield f"{where}: it is not closed, although the tournament is over"
        if [fixture["number"] for fixture in played["fixtures"]] != list(
            range(1, len(played["fixtures"]) + 1)
        ):
            yield f"{where}: its fixtures are not numbered from 1"
        yield from self._pairings(number, played)
        derived: list[DerivedFixture] = []
        cuts = set()
        for fixture in played["fixtures"]:
            check = FixtureCheck(self.event, self.stage, played, fixture, self.per_side)
            yield from check.check()
            derived.append(check.derived)
            if check.cut is not None:
                cuts.add(check.cut)
        if len(cuts) > 1:
            yield f"{where}: its fixtures divide the boards in different ways"
        self.fixtures.append(derived)

    @property
    def _boards(self) -> int:
        boards: int = self.stage["boards_per_round"] or self.event.tournament["boards_per_round"]
        return boards

    # --- the field

    def _field(self) -> Iterator[str]:
        """Check the entries of the stage and their order; the digest covers exactly these."""
        entries = self.event.entries
        rows = self.stage["entries"]
        names: list[str] = [row["entry"] for row in rows]
        if [row["position"] for row in rows] != list(range(1, len(rows) + 1)):
            yield f"{self.where}: the places of its field are not numbered from 1"
        bundles = [version["bundle_sha256"] for name in names for version in entries[name]["versions"]]
        if field_digest(bundles) != self.digest:
            yield f"{self.where}: the field digest does not follow from the bundles entered"
        event = self.event
        self.lots = {
            name: lot(event.secret, event.tournament["id"], self.digest, self.number, name) for name in names
        }
        self.owners = {name: entries[name]["player"]["hash"] for name in names}
        by_seed = order_by_seed([(name, entries[name]["seed"]) for name in names], self.lots)
        yield from self._order(tuple(names), by_seed)

    def _order(self, declared: tuple[str, ...], by_seed: tuple[str, ...]) -> Iterator[str]:
        """Check that the declared field is the expected one, in the expected order."""
        self.order = declared
        declared_origins = {
            row["entry"]: row["origin"] for row in self.stage["entries"] if row["origin"] is not None
        }
        if self.before is None:
            if declared_origins:
                yield f"{self.where}: its entries come from groups of a stage before it, which there is not"
            field = {name for name, entry in self.event.entries.items() if entry["status"] in FIELD_STATES}
            if set(declared) != field:
                yield f"{self.where}: its field is not everybody who was entered"
            if declared != by_seed:
                yield f"{self.where}: its entries are not in the order of seeds and lots"
            return
        # An entry that left before the first round may have left before or after the field was fixed.
        withdrawn = {
            name
            for name, (stage, drawn) in self.left_at.items()
            if stage < self.number or (stage == self.number and drawn == 0 and name not in declared)
        }
        table = [(row.entry, row.values) for row in self.before.rows]
        order, self.origins = qualified_entries(table, self.stage["qualify"], withdrawn)
        if declared != order:
            yield f"{self.where}: its field does not follow from the standings of the stage before"
        if declared_origins != self.origins:
            yield f"{self.where}: the groups its entries come from are not those of the stage before"
        self.origins = declared_origins

    def left(self, opened: int | None = None) -> frozenset[str]:
        """Return entries that had left before this round was drawn (default: the end of the stage)."""
        present = set(self.order)
        return frozenset(
            name
            for name, (stage, drawn) in self.left_at.items()
            if name in present
            and (stage < self.number or (stage == self.number and (opened is None or drawn < opened)))
        )

    # --- the rounds

    def stage_state(self, rounds: Sequence[tuple[FixtureOutcome, ...]], left: frozenset[str]) -> StageState:
        """Return the input of the format, with these rounds of the current pass."""
        return StageState(
            self.order,
            self.stage["options"],
            tuple(rounds),
            sides=self.sides,
            left=left,
            owners=self.owners,
            origins=self.origins,
            per_side=self.seats,
            scoring=self.event.tournament["scoring"],
        )

    @property
    def pass_length(self) -> int:
        """Rounds per pass if there may be several; 0 if the stage is played once."""
        if self.event.tournament["board_plan"] != "until_separated":
            return 0
        if not self.format.repeats:
            return 0
        return self.format.round_count(len(self.order), self.stage["options"], sides=self.sides) or 0

    def outcomes(self, opened: int | None = None) -> list[tuple[FixtureOutcome, ...]]:
        """Return all verified rounds, as they counted when this round was drawn (by default now)."""
        return [tuple(fixture.outcome(opened) for fixture in played) for played in self.fixtures]

    def _pairings(self, number: int, played: Document) -> Iterator[str]:
        rounds = self.outcomes(number)
        length = self.pass_length
        if length and number > 1 and (number - 1) % length == 0:
            yield from self._next_pass(number, (number - 1) // length)
        present = rounds[(number - 1) // length * length :] if length else rounds
        drawn = self.format.next_round(self.stage_state(present, self.left(number)))
        played_pairings: tuple[Pairing, ...] = tuple(
            tuple(fixture["sides"]) for fixture in played["fixtures"]
        )
        if drawn != played_pairings:
            yield f"{self.where}, round {number}: the pairings are not those the format draws"

    def _next_pass(self, opened: int, done: int) -> Iterator[str]:
        """Check that another pass was due after this number of passes."""
        if done >= self.event.tournament["max_passes"]:
            yield f"{self.where}: more than {done} passes were played"
        if not self.unseparated(opened):
            yield f"{self.where}: pass {done + 1} was played although all neighbours were separated"

    def unseparated(self, opened: int) -> list[tuple[str, str]]:
        """Return neighbours that were not separated when this round was, or would have been, drawn."""
        left = self.left(opened)
        order = [row.entry for row in self._table(opened, left) if row.entry not in left]
        boards = []
        for played in self.fixtures:
            by_board: dict[int, dict[str, Fraction]] = {}
            for fixture in played:
                for board, scores in fixture.scores(opened).items():
                    by_board.setdefault(board, {}).update(scores)
            boards += [by_board[board] for board in sorted(by_board)]
        return unseparated(order, boards)

    # --- the standings

    def _table(self, opened: int | None, left: frozenset[str]) -> list[StandingsRow]:
        """Return the standings when this round was drawn (by default now)."""
        rounds = self.outcomes(opened)
        length = self.pass_length
        present = rounds[(len(rounds) - 1) // length * length :] if length and rounds else rounds
        so_far = self.stage_state(present, left)
        return standings(
            self.order,
            [fixture for played in rounds for fixture in played],
            scoring=self.event.tournament["scoring"],
            tie_breaks=self.event.tournament["tie_breaks"],
            lots=self.lots,
            sides=self.sides,
            progress=self.format.progress(so_far) if rounds else None,
            groups=self.format.groups(so_far) if rounds else (),
        )

    def _standings(self) -> Iterator[str]:
        try:
            self.rows = self._table(None, self.left())
        except LeagueError as error:
            yield f"{self.where}: {error}"
        derived = [(row.entry, row.rank, standing_values(row), row.decided_by) for row in self.rows]
        published: list[tuple[Any, ...]] = [
            (row["entry"], row["rank"], row["values"], row["decided_by"]) for row in self.stage["standings"]
        ]
        if not self.stage["rounds"] and not self._is_tabled():
            derived = []
        if canonical(derived) != canonical(published):
            yield f"{self.where}: the standings do not follow from the results"

    def _is_tabled(self) -> bool:
        """Return whether a stage without rounds has standings: if it ended, and was not closed early."""
        return bool(self.stage["state"] == "done" and not self.stage["closed_early"])
