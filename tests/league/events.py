"""Whole events played in memory by the league's own functions, as they would be exported.

What happens between rounds (an entry leaves, a fixture is ruled on) is applied as it happens; verifying
the export must find out again what was known when.
"""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace
from typing import Any

from league.fairness import board_seed, commitment, field_digest, lot
from league.formats import format_named
from league.rotation import seatings
from league.scoring import (
    FixtureOutcome,
    TableResult,
    adjudicated_scores,
    board_scores,
    fixture_totals,
    table_result,
)
from league.seeding import qualified, seeded
from league.separation import unseparated
from league.stage import StageSoFar
from league.standings import standings
from league.verify.export import disagreements, standing_values
from tests.league.archives import bound

SECRET = bytes(range(32))
SIDES = ((1, 3), (2, 4))
FORFEIT = 2
TIE_BREAKS = ["head_to_head", "buchholz", "board_score_difference", "wins", "lot"]


def bundle_of(entry: str) -> str:
    """SHA-256 of the entry's one bundle."""
    return hashlib.sha256(entry.encode()).hexdigest()


def replayed(data: bytes) -> Any:
    """A record here is the JSON of what a replay of a real one would tell."""
    document = json.loads(data)
    document["stones"] = {(board, seat): stones for board, seat, stones in document["stones"]}
    document["kinds"] = frozenset(document["kinds"])
    for name in ("bundles", "seeds", "verdicts", "acts"):
        document[name] = {int(key): value for key, value in document[name].items()}
    return SimpleNamespace(**document)


class Fixture:
    """One fixture as it goes through its life."""

    def __init__(self, name: str, number: int, sides: tuple[tuple[str, ...], ...], boards: int) -> None:
        self.name = name
        self.number = number
        self.sides = sides
        self.boards = boards
        self.results: list[TableResult] = []
        self.tables: list[dict[str, Any]] = []
        self.rulings: list[dict[str, Any]] = []
        self.is_void = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry for side in self.sides for entry in side)

    @property
    def is_bye(self) -> bool:
        return len(self.names) == 1

    @property
    def ruling(self) -> dict[str, Any] | None:
        last = self.rulings[-1] if self.rulings else None
        return None if last is None or last["kind"] == "lift" else last

    @property
    def state(self) -> str:
        if self.ruling:
            return {"forfeit": "forfeited", "draw": "settled", "void": "void"}[self.ruling["kind"]]
        if self.is_void:
            return "void"
        return "forfeited" if any(result.forfeited for result in self.results) else "settled"

    def scores(self) -> Any:
        if self.is_bye or self.state == "void":
            return {}
        if self.ruling:
            return adjudicated_scores(
                self.ruling["kind"], self.ruling["entries"], self.sides, self.boards, FORFEIT
            )
        return board_scores(self.results, FORFEIT, self.sides)

    def outcome(self) -> FixtureOutcome:
        per_side = len(self.sides[0])
        if self.is_bye:
            return FixtureOutcome(self.names)
        scores = self.scores()
        return FixtureOutcome(
            self.names, fixture_totals(scores) if scores else None, self.state == "void", per_side
        )

    def document(self) -> dict[str, Any]:
        return {
            "id": self.name,
            "number": self.number,
            "sides": list(self.names),
            "same_owner": False,
            "state": self.state,
            "reason": self.ruling["reason"] if self.ruling else "",
            "adjudications": self.rulings,
            "tables": self.tables,
            "scores": [
                {"board": board, "entry": entry, "value": str(value)}
                for board, by_entry in self.scores().items()
                for entry, value in by_entry.items()
            ],
        }


class Event:
    """An event of entries named from the strongest to the weakest, played to its end at once.

    ``stages`` are dicts of format, options, qualify and boards. ``happenings`` gives what is done to an
    event by (stage, rounds opened): functions of the event, called before the next round is drawn.
    """

    def __init__(
        self,
        entries: list[str],
        stages: list[dict[str, Any]],
        happenings: dict[tuple[int, int], list[Any]] | None = None,
        *,
        most_passes: int = 1,
        spread: int = 3,
        scoring: str = "match_points",
        seeds: dict[str, int] | None = None,
    ) -> None:
        self.entries = entries
        self.happenings = happenings or {}
        self.most_passes = most_passes
        self.spread = spread
        self.scoring = scoring
        self.seeds = seeds or {}
        self.left: dict[str, tuple[int, int]] = {}
        self.records: dict[str, bytes] = {}
        self.stages: list[dict[str, Any]] = []
        self.rounds: list[list[Fixture]] = []
        self.rows: list[Any] = []
        for number, stage in enumerate(stages, 1):
            self.play_stage(number, stage)

    # --- what may happen

    def leave(self, entry: str) -> None:
        """The entry plays no further round."""
        self.left[entry] = (self.number, len(self.rounds))

    def rule(self, number: int, place: int, kind: str, *entries: str) -> None:
        """A ruling on a fixture of this stage, round and place from 1."""
        rulings = self.rounds[number - 1][place - 1].rulings
        rulings.append(
            {
                "number": len(rulings) + 1,
                "kind": kind,
                "entries": sorted(entries),
                "rounds_opened": len(self.rounds),
                "reason": "because",
                "by": "organiser",
                "at": f"2026-01-01T00:00:{len(rulings):02}+00:00",
            }
        )

    # --- playing

    def play_stage(self, number: int, stage: dict[str, Any]) -> None:
        self.number = number
        self.format = format_named(stage["format"])
        self.options = stage.get("options", {})
        self.boards = stage.get("boards", 2)
        if number == 1:
            order, self.origins = tuple(self.entries), {}
        else:
            table = [(row.entry, row.values) for row in self.rows]
            order, self.origins = qualified(table, stage.get("qualify"), set(self.left))
        self.digest = field_digest(bundle_of(entry) for entry in order)
        self.lots = {entry: lot(SECRET, "t1", self.digest, number, entry) for entry in order}
        if number == 1:
            order = seeded([(entry, self.seeds.get(entry)) for entry in order], self.lots)
        self.order = order
        self.rounds = []
        note = end_code = ""
        length = self.format.round_count(len(order), self.options, sides=2) if self.most_passes > 1 else None
        while True:
            for happening in self.happenings.get((number, len(self.rounds)), ()):
                happening(self)
            start = 0
            if length:
                done = len(self.rounds) // length
                start = done * length
                if self.rounds and len(self.rounds) == start:
                    level = self.level()
                    if not level or done == self.most_passes:
                        note = f"{done} passes" if level else "all neighbours of the table are separated"
                        end_code = "most_passes" if level else "separated"
                        break
            drawn = self.format.next_round(self.so_far(start))
            if drawn is None:
                break
            self.play_round(drawn)
        self.rows = self.table()
        self.stages.append(
            {
                "number": number,
                "format": stage["format"],
                "options": self.options,
                "qualify": stage.get("qualify"),
                "boards_per_round": stage.get("boards"),
                "field_digest": self.digest,
                "state": "done",
                "note": note,
                "end_code": end_code,
                "entries": [
                    {"entry": entry, "position": place, "origin": self.origins.get(entry)}
                    for place, entry in enumerate(order, 1)
                ],
                "rounds": [
                    {
                        "number": place,
                        "board_set": f"b{number}-{place}",
                        "closed_seq": 100 * number + place,
                        "boards": self.boards,
                        "fixtures": [fixture.document() for fixture in played],
                    }
                    for place, played in enumerate(self.rounds, 1)
                ],
                "standings": [
                    {
                        "entry": row.entry,
                        "rank": row.rank,
                        "values": standing_values(row),
                        "decided_by": row.decided_by,
                    }
                    for row in self.rows
                ],
            }
        )

    def so_far(self, start: int = 0) -> StageSoFar:
        return StageSoFar(
            self.order,
            self.options,
            tuple(tuple(fixture.outcome() for fixture in played) for played in self.rounds[start:]),
            left=frozenset(self.left) & frozenset(self.order),
            owners={entry: entry for entry in self.order},
            origins=self.origins,
            per_side=2,
            scoring=self.scoring,
        )

    def table(self) -> Any:
        so_far = self.so_far()
        return standings(
            self.order,
            [fixture.outcome() for played in self.rounds for fixture in played],
            scoring=self.scoring,
            tie_breaks=TIE_BREAKS,
            lots=self.lots,
            progress=self.format.progress(so_far),
            groups=self.format.groups(so_far),
        )

    def level(self) -> Any:
        boards = []
        for played in self.rounds:
            for board in range(1, self.boards + 1):
                boards.append({})
                for fixture in played:
                    boards[-1].update(fixture.scores().get(board, {}))
        return unseparated([row.entry for row in self.table() if row.entry not in self.left], boards)

    def play_round(self, drawn: Any) -> None:
        number = len(self.rounds) + 1
        size = 2 if self.format.mixes_partners else 1
        played = []
        for place, pairing in enumerate(drawn, 1):
            step = 1 if len(pairing) == 1 else size
            sides = tuple(pairing[at : at + step] for at in range(0, len(pairing), step))
            fixture = Fixture(f"f{self.number}-{number}-{place}", place, sides, self.boards)
            if not fixture.is_bye:
                for rotation, placing in enumerate(seatings(2)):
                    self.play_table(fixture, number, rotation, placing)
            played.append(fixture)
        self.rounds.append(played)

    def play_table(self, fixture: Fixture, number: int, rotation: int, placing: tuple[int, ...]) -> None:
        seats: dict[int, str] = {}
        for places, position in zip(SIDES, placing, strict=True):
            members = fixture.sides[position]
            seats |= zip(places, members * (len(places) // len(members)), strict=True)
        name = f"{fixture.name}-{rotation}"
        stones = [
            [board, seat, won]
            for board in range(1, self.boards + 1)
            for seat, won in self.stones(seats, name, board).items()
        ]
        document = {
            "game": "kakeya",
            "preset": "kakeya4",
            "rules_version": 1,
            "ruleset": {"seats": 4},
            "forfeit_stones": 12,
            "bundles": {seat: bundle_of(entry) for seat, entry in seats.items()},
            "seeds": {
                board: board_seed(SECRET, "t1", self.digest, self.number, number, board)
                for board in range(1, self.boards + 1)
            },
            "stones": stones,
            "forfeited": [],
            "kinds": ["deal"],
            "verdicts": dict.fromkeys(seats, "OK"),
            "acts": {seat: [None] for seat in seats},
            "table": name,
        }
        data = json.dumps(document).encode()
        sha256 = hashlib.sha256(data).hexdigest()
        self.records[sha256] = data
        fixture.results.append(table_result(rotation, seats, [tuple(row) for row in stones]))
        fixture.tables.append(
            {
                "id": name,
                "rotation": rotation,
                "first_board": 1,
                "board_count": self.boards,
                "state": "finished",
                "reruns": 0,
                "record_sha256": sha256,
                "seats": [
                    {
                        "seat": seat,
                        "entry": entry,
                        "bundle_sha256": bundle_of(entry),
                        "verdict": "OK",
                        "forfeited": False,
                    }
                    for seat, entry in sorted(seats.items())
                ],
                "results": stones,
            }
        )

    def stones(self, seats: dict[int, str], table: str, board: int) -> dict[int, int]:
        """The stronger side wins what it is stronger by, more or less."""
        first, second = (sum(self.entries.index(seats[seat]) for seat in side) for side in SIDES)
        chance = int(hashlib.sha256(f"{table}|{board}".encode()).hexdigest(), 16) % (2 * self.spread + 1)
        won = second - first + chance - self.spread
        return {seat: won if seat in SIDES[0] else -won for seat in sorted(seats)}

    # --- what is published

    def document(self) -> dict[str, Any]:
        return bound(
            {
                "tournament": {
                    "id": "t1",
                    "name": "Cup",
                    "state": "final",
                    "secret": SECRET.hex(),
                    "commitment": commitment(SECRET),
                    "board_kind": "deal",
                    "boards_per_round": 2,
                    "board_plan": "until_separated" if self.most_passes > 1 else "fixed",
                    "most_passes": self.most_passes,
                    "budget_cpu_s": None,
                    "clock": {},
                    "fault_policy": "substitute",
                    "sides": 2,
                    "seats_per_side": 2,
                    "forfeit_stones": 12,
                    "scoring": self.scoring,
                    "tie_breaks": TIE_BREAKS,
                    "game": "kakeya",
                    "preset": "kakeya4",
                    "rules_version": 1,
                    "ruleset": {"seats": 4},
                },
                "entries": [
                    {
                        "id": entry,
                        "player": entry,
                        "seed": self.seeds.get(entry),
                        "status": "left" if entry in self.left else "entered",
                        "status_reason": "",
                        "left_stage": self.left.get(entry, (None, None))[0],
                        "left_round": self.left.get(entry, (None, None))[1],
                        "versions": [{"bot": entry, "number": 1, "bundle_sha256": bundle_of(entry)}],
                    }
                    for entry in self.entries
                ],
                "stages": self.stages,
            }
        )

    def found(self, document: dict[str, Any] | None = None) -> list[str]:
        """What verifying the event (or a changed document of it) finds."""
        return disagreements(document or self.document(), self.records.__getitem__, replayed)
