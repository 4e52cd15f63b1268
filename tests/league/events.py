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
    forfeit_stones,
    table_result,
)
from league.seeding import order_by_seed, qualified_entries
from league.separation import unseparated
from league.stage import StageState
from league.standings import standings
from league.verify.export import disagreements, standing_values
from tests.league.archives import bound

SECRET = bytes(range(32))
SIDES = ((1, 3), (2, 4))
KAKEYA = {"game": "kakeya", "preset": "kakeya4", "rules_version": 1, "ruleset": {"seats": 4}}
KAKKURI = {"game": "kakkuri", "preset": "kakkuri", "rules_version": 1, "ruleset": {"seats": 3}}
FORFEIT_STONES = 12
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

    def __init__(
        self, name: str, number: int, sides: tuple[tuple[str, ...], ...], boards: int, forfeit: int
    ) -> None:
        self.name = name
        self.number = number
        self.sides = sides
        self.boards = boards
        self.forfeit = forfeit
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
                self.ruling["kind"], self.ruling["entries"], self.sides, self.boards, self.forfeit
            )
        return board_scores(self.results, self.forfeit, self.sides)

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
    ``crashes`` are (round, rotation, entry): the tables of the first stage that an entry forfeits.
    """

    def __init__(
        self,
        entries: list[str],
        stages: list[dict[str, Any]],
        happenings: dict[tuple[int, int], list[Any]] | None = None,
        *,
        max_passes: int = 1,
        spread: int = 3,
        scoring: str = "match_points",
        seeds: dict[str, int] | None = None,
        sides: tuple[tuple[int, ...], ...] = SIDES,
        crashes: frozenset[tuple[int, int, str]] = frozenset(),
    ) -> None:
        self.entries = entries
        self.happenings = happenings or {}
        self.max_passes = max_passes
        self.spread = spread
        self.scoring = scoring
        self.seeds = seeds or {}
        self.sides = sides
        self.crashes = crashes
        self.rules = KAKEYA if sides == SIDES else KAKKURI
        self.board_kind = "deal" if sides == SIDES else "game"
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
                "created_at": f"2026-01-01T00:00:{len(rulings):02}+00:00",
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
            order, self.origins = qualified_entries(table, stage.get("qualify"), set(self.left))
        self.digest = field_digest(bundle_of(entry) for entry in order)
        self.lots = {entry: lot(SECRET, "t1", self.digest, number, entry) for entry in order}
        if number == 1:
            order = order_by_seed([(entry, self.seeds.get(entry)) for entry in order], self.lots)
        self.order = order
        self.rounds = []
        note = end_code = ""
        length = (
            self.format.round_count(len(order), self.options, sides=len(self.sides))
            if self.max_passes > 1
            else None
        )
        while True:
            for happening in self.happenings.get((number, len(self.rounds)), ()):
                happening(self)
            start = 0
            if length:
                done = len(self.rounds) // length
                start = done * length
                if self.rounds and len(self.rounds) == start:
                    level = self.level()
                    if not level or done == self.max_passes:
                        note = f"{done} passes" if level else "all neighbours in the standings are separated"
                        end_code = "max_passes" if level else "separated"
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

    def so_far(self, start: int = 0) -> StageState:
        return StageState(
            self.order,
            self.options,
            tuple(tuple(fixture.outcome() for fixture in played) for played in self.rounds[start:]),
            left=frozenset(self.left) & frozenset(self.order),
            owners={entry: entry for entry in self.order},
            origins=self.origins,
            sides=len(self.sides),
            per_side=len(self.sides[0]),
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
            sides=len(self.sides),
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
            forfeit = forfeit_stones(self.board_kind, FORFEIT_STONES)
            fixture = Fixture(f"f{self.number}-{number}-{place}", place, sides, self.boards, forfeit)
            if not fixture.is_bye:
                for rotation, placing in enumerate(seatings(len(self.sides))):
                    self.play_table(fixture, number, rotation, placing)
            played.append(fixture)
        self.rounds.append(played)

    def play_table(self, fixture: Fixture, number: int, rotation: int, placing: tuple[int, ...]) -> None:
        seats: dict[int, str] = {}
        for places, position in zip(self.sides, placing, strict=True):
            members = fixture.sides[position]
            seats |= zip(places, members * (len(places) // len(members)), strict=True)
        name = f"{fixture.name}-{rotation}"
        stones = [
            [board, seat, won]
            for board in range(1, self.boards + 1)
            for seat, won in self.stones(seats, name, board).items()
        ]
        forfeited = [seat for seat, entry in seats.items() if (number, rotation, entry) in self.crashes]
        verdicts = {seat: "CRASHED" if seat in forfeited else "OK" for seat in seats}
        document = {
            **self.rules,
            "forfeit_stones": FORFEIT_STONES,
            "bundles": {seat: bundle_of(entry) for seat, entry in seats.items()},
            "seeds": {
                board: board_seed(SECRET, "t1", self.digest, self.number, number, board)
                for board in range(1, self.boards + 1)
            },
            "stones": stones,
            "forfeited": forfeited,
            "kinds": [self.board_kind],
            "verdicts": verdicts,
            "acts": {seat: [None if seat not in forfeited else "CRASHED"] for seat in seats},
            "table": name,
        }
        data = json.dumps(document).encode()
        sha256 = hashlib.sha256(data).hexdigest()
        self.records[sha256] = data
        fixture.results.append(table_result(rotation, seats, map(tuple, stones), forfeited))
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
                        "verdict": verdicts[seat],
                        "forfeited": seat in forfeited,
                    }
                    for seat, entry in sorted(seats.items())
                ],
                "results": stones,
            }
        )

    def stones(self, seats: dict[int, str], table: str, board: int) -> dict[int, int]:
        """A stronger side wins what it is stronger by, more or less, from each of the others."""
        strength = [-sum(self.entries.index(seats[seat]) for seat in side) for side in self.sides]
        chance = int(hashlib.sha256(f"{table}|{board}".encode()).hexdigest(), 16) % (2 * self.spread + 1)
        strength[0] += chance - self.spread
        won = [len(strength) * value - sum(strength) for value in strength]
        return {seat: won[at] for seat in sorted(seats) for at, side in enumerate(self.sides) if seat in side}

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
                    "board_kind": self.board_kind,
                    "boards_per_round": 2,
                    "board_plan": "until_separated" if self.max_passes > 1 else "fixed",
                    "max_passes": self.max_passes,
                    "budget_cpu_s": None,
                    "clock": {},
                    "fault_policy": "substitute",
                    "sides": len(self.sides),
                    "seats_per_side": len(self.sides[0]),
                    "forfeit_stones": FORFEIT_STONES,
                    "scoring": self.scoring,
                    "tie_breaks": TIE_BREAKS,
                    **self.rules,
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
