"""Derives a whole event from what it published, and names whatever disagrees.

Uses only the plain values of an export and the bytes of its records, so that anybody can do it.
How a record is replayed is handed in: the rules are not league's business. Fields, pairings and standings
are derived here, the results they follow from in ``league.verify_results``.

``rensho-export/2`` says more than ``/1``: who plays which stage, who left, rulings and passes. What an
older export does not say was not possible when it was made.

Source: docs/contracts.md#fair-deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from league.errors import LeagueError
from league.fairness import commitment, field_digest, lot
from league.formats import format_named
from league.scoring import FixtureOutcome
from league.seeding import qualified, seeded
from league.separation import unseparated
from league.stage import Pairing, StageSoFar
from league.standings import Row, standings
from league.verify_results import Document, Event, FixtureCheck, FixtureDerived, Played, Replayer

__all__ = [
    "FORMAT",
    "FORMATS",
    "Document",
    "Played",
    "Replayer",
    "Row",
    "disagreements",
    "qualified",
    "record_hashes",
    "seeded",
    "standing_values",
]

FORMAT = "rensho-export/2"
"""What exports are written as."""
FORMATS = ("rensho-export/1", FORMAT)
"""What can be read."""
SEPARATED, SEPARATED_WORDS = "separated", "all neighbours of the table are separated"
"""How a stage ended in which no two neighbours could be equal: its code, and the words of old exports."""
IN_THE_FIELD = ("entered", "left")
"""States of entries that belong to the field of the first stage."""


def standing_values(row: Row) -> dict[str, Any]:
    """A standings row as stored and displayed: every value by name, fractions as text."""
    return {
        "match_points": str(row.match_points),
        "board_score": str(row.board_score),
        **row.values_json(),
        "played": row.played,
        "won": row.wins,
        "drawn": row.draws,
        "lost": row.losses,
    }


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
    """Every disagreement in an event, one sentence each; empty if everything agrees.

    ``record_bytes`` gives a record by its hash (LookupError if there is none). A secret that is not
    revealed yet cannot be checked, and says so.
    """
    found: list[str] = []
    try:
        for sentence in _event(document, record_bytes, replayed):
            found.append(sentence)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        what = str(error) if isinstance(error, LeagueError) else f"{type(error).__name__}: {error}"
        found.append(f"the export cannot be read: {what}")
    return found


def _event(document: Document, record_bytes: Callable[[str], bytes], replayed: Replayer) -> Iterator[str]:
    if document["format"] not in FORMATS:
        yield f"the export has the format {document['format']!r}, not {' or '.join(map(repr, FORMATS))}"
        return
    tournament: Any = document["tournament"]
    if tournament["secret"] is None:
        yield "the secret is not revealed yet, so the deals cannot be derived"
        return
    secret = bytes.fromhex(tournament["secret"])
    if commitment(secret) != tournament["commitment"]:
        yield "the secret is not the one that was committed to"
    entries = {entry["id"]: entry for entry in document["entries"]}
    if len(entries) != len(document["entries"]):
        yield "an entry is named twice"
    event = Event(
        tournament, secret, entries, record_bytes, replayed, is_first=document["format"] == FORMATS[0]
    )
    before: _StageCheck | None = None
    for stage in document["stages"]:
        before = _StageCheck(event, stage, before)
        yield from before.check()


class _StageCheck:
    """One stage of the export, with what its checks share. ``before`` is the stage before it, checked."""

    def __init__(self, event: Event, stage: Document, before: _StageCheck | None) -> None:
        self.event = event
        self.stage = stage
        self.before = before
        self.format = format_named(stage["format"])
        self.digest: str = stage["field_digest"]
        self.number: int = stage["number"]
        self.where = f"stage {self.number}"
        if event.is_first:
            met = (len(fixture["sides"]) for played in stage["rounds"] for fixture in played["fixtures"])
            self.sides, self.seats = max((2, *met)), 1  # a bye names one, a fixture as many as there are
        else:
            self.sides, self.seats = event.tournament["sides"], event.tournament["seats_per_side"]
        self.per_side = self.seats if self.format.mixes_partners else 1
        self.order: tuple[str, ...] = ()
        self.origins: dict[str, int] = {}
        self.lots: dict[str, str] = {}
        self.fixtures: list[list[FixtureDerived]] = []
        self.rows: list[Row] = []

    def check(self) -> Iterator[str]:
        """Every disagreement; what follows stages need is in ``rows`` afterwards."""
        if not self.digest:
            if self.stage["rounds"]:
                yield f"{self.where}: rounds were played before the field was fixed"
            return
        yield from self._field()
        for number, played in enumerate(self.stage["rounds"], 1):
            if played["number"] != number:
                yield f"{self.where}: round {number} is missing"
            if not self.event.is_first and played["boards"] != self._boards:
                yield f"{self.where}, round {number}: it has {played['boards']} boards, not {self._boards}"
            yield from self._pairings(number, played)
            derived: list[FixtureDerived] = []
            for fixture in played["fixtures"]:
                check = FixtureCheck(self.event, self.stage, played, fixture, self.per_side)
                yield from check.check()
                derived.append(check.derived)
            self.fixtures.append(derived)
        yield from self._end()
        yield from self._standings()

    @property
    def _boards(self) -> int:
        """Boards of each of its rounds."""
        boards: int = self.stage["boards_per_round"] or self.event.tournament["boards_per_round"]
        return boards

    # --- the field

    def _field(self) -> Iterator[str]:
        """Who plays the stage, and in which order; the digest covers exactly these."""
        entries = self.event.entries
        declared: list[str] | None = None
        if not self.event.is_first:
            rows = sorted(self.stage["entries"], key=lambda row: row["position"])
            declared = [row["entry"] for row in rows]
            if [row["position"] for row in rows] != list(range(1, len(rows) + 1)):
                yield f"{self.where}: the places of its field are not numbered from 1"
        names = declared
        if names is None:
            names = [name for name, entry in entries.items() if entry["status"] == "entered"]
        bundles = [version["bundle_sha256"] for name in names for version in entries[name]["versions"]]
        if field_digest(bundles) != self.digest:
            yield f"{self.where}: the field digest does not follow from the bundles entered"
        event = self.event
        self.lots = {
            name: lot(event.secret, event.tournament["id"], self.digest, self.number, name) for name in names
        }
        by_seed = seeded([(name, entries[name]["seed"]) for name in names], self.lots)
        self.order = by_seed
        if declared is not None:
            yield from self._order(tuple(declared), by_seed)

    def _order(self, declared: tuple[str, ...], by_seed: tuple[str, ...]) -> Iterator[str]:
        """Whether the declared field is the one that follows, and in its order."""
        self.order = declared
        declared_origins = {
            row["entry"]: row["origin"] for row in self.stage["entries"] if row["origin"] is not None
        }
        if self.before is None:
            field = {name for name, entry in self.event.entries.items() if entry["status"] in IN_THE_FIELD}
            if set(declared) != field:
                yield f"{self.where}: its field is not everybody who was entered"
            if declared != by_seed:
                yield f"{self.where}: its entries are not in the order of seeds and lots"
            return
        # Somebody who left before the first round may have done so before or after the field was fixed.
        gone = {
            name
            for name, (stage, drawn) in self._left_at().items()
            if stage < self.number or (stage == self.number and drawn == 0 and name not in declared)
        }
        table = [(row.entry, row.values) for row in self.before.rows]
        order, self.origins = qualified(table, self.stage["qualify"], gone)
        # Before stages had fields of their own, a later one was seeded like the first.
        is_of_old = self.stage["qualify"] is None and declared == by_seed and set(declared) == set(order)
        if declared != order and not is_of_old:
            yield f"{self.where}: its field does not follow from the standings of the stage before"
        if declared_origins != self.origins and not (is_of_old and not declared_origins):
            yield f"{self.where}: the groups its entries come from are not those of the stage before"
        self.origins = declared_origins

    def _left_at(self) -> dict[str, tuple[int, int]]:
        """Entries that left, during which stage and after being drawn into which of its rounds."""
        return {
            name: (entry["left_stage"], entry["left_round"])
            for name, entry in self.event.entries.items()
            if entry["status"] == "left"
        }

    def _left(self, opened: int | None = None) -> frozenset[str]:
        """Entries that had left before this round was drawn (by the end of the stage, unless given)."""
        if self.event.is_first:
            return frozenset()
        return frozenset(
            name
            for name, (stage, drawn) in self._left_at().items()
            if name in self.order
            and (stage < self.number or (stage == self.number and (opened is None or drawn < opened)))
        )

    # --- the rounds

    def _so_far(self, rounds: Sequence[tuple[FixtureOutcome, ...]], left: frozenset[str]) -> StageSoFar:
        return StageSoFar(
            self.order,
            self.stage["options"],
            tuple(rounds),
            sides=self.sides,
            left=left,
            owners={name: self.event.entries[name]["player"] for name in self.order}
            if not self.event.is_first
            else {},
            origins=self.origins,
            per_side=self.seats,
            scoring=self.event.tournament["scoring"],
        )

    @property
    def _pass_length(self) -> int:
        """Rounds of one pass where there may be several; 0 where the stage is played once."""
        if self.event.is_first or self.event.tournament["board_plan"] != "until_separated":
            return 0
        if not self.format.repeats:
            return 0
        return self.format.round_count(len(self.order), self.stage["options"], sides=self.sides) or 0

    def _outcomes(self, opened: int | None = None) -> list[tuple[FixtureOutcome, ...]]:
        """All rounds checked so far, as they counted when this round was drawn (now, unless given)."""
        return [tuple(fixture.outcome(opened) for fixture in played) for played in self.fixtures]

    def _pairings(self, number: int, played: Document) -> Iterator[str]:
        rounds = self._outcomes(number)
        length = self._pass_length
        if length and number > 1 and (number - 1) % length == 0:
            yield from self._next_pass(number, (number - 1) // length)
        present = rounds[(number - 1) // length * length :] if length else rounds
        drawn = self.format.next_round(self._so_far(present, self._left(number)))
        played_pairings: tuple[Pairing, ...] = tuple(
            tuple(fixture["sides"]) for fixture in played["fixtures"]
        )
        if drawn != played_pairings:
            yield f"{self.where}, round {number}: the pairings are not those the format draws"

    def _next_pass(self, opened: int, done: int) -> Iterator[str]:
        """Whether another pass was to be played after so many."""
        if done >= self.event.tournament["most_passes"]:
            yield f"{self.where}: more than {done} passes were played"
        if not self._level(opened):
            yield f"{self.where}: pass {done + 1} was played although all neighbours were separated"

    def _level(self, opened: int) -> list[tuple[str, str]]:
        """Neighbours not separated when this round was drawn, or would have been."""
        left = self._left(opened)
        order = [row.entry for row in self._table(opened, left) if row.entry not in left]
        boards = []
        for played in self.fixtures:
            by_board: dict[int, dict[str, Fraction]] = {}
            for fixture in played:
                for board, scores in fixture.scores(opened).items():
                    by_board.setdefault(board, {}).update(scores)
            boards += [by_board[board] for board in sorted(by_board)]
        return unseparated(order, boards)

    def _end(self) -> Iterator[str]:
        """A stage must not be said to have ended because all are separated when they are not.

        Nothing can be said if a ruling after its last round has changed what was known then.
        """
        length = self._pass_length
        if not length or not self._is_said_separated():
            return
        rounds = len(self.fixtures)
        changed = any(
            ruling["rounds_opened"] == rounds
            for played in self.fixtures
            for fixture in played
            for ruling in fixture.rulings
        )
        if not changed and self._level(rounds + 1):
            yield f"{self.where}: it ended although neighbours were not separated"

    def _is_said_separated(self) -> bool:
        code = self.stage.get("end_code")
        if code is not None:
            return bool(code == SEPARATED)
        # Exports made before there was a code say it in words alone.
        return SEPARATED_WORDS in (self.stage.get("note") or "")

    # --- the standings

    def _table(self, opened: int | None, left: frozenset[str]) -> list[Row]:
        """The standings as they were when this round was drawn (now, unless given)."""
        rounds = self._outcomes(opened)
        length = self._pass_length
        present = rounds[(len(rounds) - 1) // length * length :] if length and rounds else rounds
        so_far = self._so_far(present, left)
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
            self.rows = self._table(None, self._left())
        except LeagueError as error:
            yield f"{self.where}: {error}"
        derived = [(row.entry, row.rank, standing_values(row), row.decided_by) for row in self.rows]
        published: list[tuple[Any, ...]] = [
            (row["entry"], row["rank"], row["values"], row["decided_by"]) for row in self.stage["standings"]
        ]
        if derived != published:
            yield f"{self.where}: the standings do not follow from the results"
