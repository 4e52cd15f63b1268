"""Deriving an event of heats again from what it published: all agrees, and every change is named."""

import copy
import hashlib
import json
from types import SimpleNamespace

import pytest

from league.fairness import board_seed, commitment, field_digest, lot
from league.formats import format_named
from league.rotation import Lineup, rotations
from league.scoring import FixtureOutcome, board_scores, fixture_totals, table_result
from league.stage import StageSoFar
from league.standings import standings
from league.verify.export import disagreements, record_hashes, seeded, standing_values
from tests.league.archives import bound

SECRET = bytes(range(32))
TIE_BREAKS = ["head_to_head", "buchholz", "sonneborn_berger", "board_score_difference", "wins", "lot"]
ENTRIES = ("aya", "ben", "chie", "dai")
BUNDLES = {entry: hashlib.sha256(entry.encode()).hexdigest() for entry in ENTRIES}
SIDES = ((1,), (2,), (3,))
BOARDS = 2
FORFEIT = 4


def replayed(data):
    """A record here is the JSON of what a replay of a real one would tell."""
    document = json.loads(data)
    document["stones"] = {(board, seat): stones for board, seat, stones in document["stones"]}
    document["kinds"] = frozenset(document["kinds"])
    for name in ("bundles", "seeds", "verdicts", "acts"):
        document[name] = {int(key): value for key, value in document[name].items()}
    return SimpleNamespace(**document)


def stones_of(places, board, number):
    """Made-up play: the better an entry's place in the alphabet and the lower its seat, the more."""
    raw = {p.seat: (3 - ENTRIES.index(p.entry)) * 3 - p.seat * board + number for p in places}
    mean, rest = divmod(sum(raw.values()), len(raw))
    return {seat: value - mean - (seat == 1) * rest for seat, value in raw.items()}


def event_of_heats(rounds=4):
    """The export of an event of four entries in heats of three, and its records by hash."""
    digest = field_digest(BUNDLES.values())
    lots = {entry: lot(SECRET, "t1", digest, 1, entry) for entry in ENTRIES}
    order = seeded([(entry, None) for entry in ENTRIES], lots)
    records, documents, outcomes = {}, [], []
    for number in range(1, rounds + 1):
        so_far = StageSoFar(order, {"rounds": rounds}, tuple(outcomes), len(SIDES))
        fixtures, results = [], []
        for place, pairing in enumerate(format_named("heats").next_round(so_far), 1):
            name = f"f{number}-{place}"
            if len(pairing) == 1:
                fixtures.append(
                    {
                        "id": name,
                        "number": place,
                        "sides": list(pairing),
                        "same_owner": False,
                        "adjudications": [],
                        "state": "settled",
                        "reason": "",
                        "tables": [],
                        "scores": [],
                    }
                )
                results.append(FixtureOutcome(pairing))
                continue
            tables, played = [], []
            for rotation, places in enumerate(
                rotations([Lineup(entry, (entry,)) for entry in pairing], SIDES)
            ):
                # One entry forfeits one table of the last round.
                forfeited = [p.seat for p in places if (number, rotation, p.entry) == (rounds, 1, "ben")]
                stones = [
                    [board, seat, won]
                    for board in range(1, BOARDS + 1)
                    for seat, won in sorted(stones_of(places, board, number).items())
                ]
                verdicts = {p.seat: "CRASHED" if p.seat in forfeited else "OK" for p in places}
                data = json.dumps(
                    {
                        "game": "kakkuri",
                        "preset": "kakkuri",
                        "rules_version": 1,
                        "ruleset": {"seats": 3},
                        "forfeit_stones": FORFEIT,
                        "bundles": {p.seat: BUNDLES[p.entry] for p in places},
                        "seeds": {
                            board: board_seed(SECRET, "t1", digest, 1, number, board)
                            for board in range(1, BOARDS + 1)
                        },
                        "stones": stones,
                        "forfeited": forfeited,
                        "kinds": ["game"],
                        "verdicts": verdicts,
                        "acts": {
                            seat: [None if verdict == "OK" else verdict] for seat, verdict in verdicts.items()
                        },
                        "table": f"{name}-{rotation}",
                    }
                ).encode()
                sha256 = hashlib.sha256(data).hexdigest()
                records[sha256] = data
                tables.append(
                    {
                        "id": f"{name}-{rotation}",
                        "rotation": rotation,
                        "first_board": 1,
                        "board_count": BOARDS,
                        "state": "finished",
                        "reruns": 0,
                        "record_sha256": sha256,
                        "seats": [
                            {
                                "seat": p.seat,
                                "entry": p.entry,
                                "bundle_sha256": BUNDLES[p.entry],
                                "verdict": verdicts[p.seat],
                                "forfeited": p.seat in forfeited,
                            }
                            for p in places
                        ],
                        "results": stones,
                    }
                )
                played.append(
                    table_result(rotation, {p.seat: p.entry for p in places}, map(tuple, stones), forfeited)
                )
            scores = board_scores(played, FORFEIT)
            fixtures.append(
                {
                    "id": name,
                    "number": place,
                    "sides": list(pairing),
                    "same_owner": False,
                    "adjudications": [],
                    "reason": "",
                    "state": "forfeited" if any(result.forfeited for result in played) else "settled",
                    "tables": tables,
                    "scores": [
                        {"board": board, "entry": entry, "value": str(value)}
                        for board, by_entry in scores.items()
                        for entry, value in by_entry.items()
                    ],
                }
            )
            results.append(FixtureOutcome(pairing, fixture_totals(scores)))
        documents.append(
            {
                "number": number,
                "board_set": f"b{number}",
                "closed_seq": number,
                "boards": BOARDS,
                "fixtures": fixtures,
            }
        )
        outcomes.append(tuple(results))
    rows = standings(
        ENTRIES,
        [outcome for round_outcomes in outcomes for outcome in round_outcomes],
        tie_breaks=TIE_BREAKS,
        lots=lots,
        sides=len(SIDES),
    )
    document = {
        "tournament": {
            "id": "t1",
            "name": "Heats",
            "state": "final",
            "boards_per_round": BOARDS,
            "board_plan": "fixed",
            "most_passes": 1,
            "budget_cpu_s": None,
            "sides": len(SIDES),
            "seats_per_side": 1,
            "forfeit_stones": FORFEIT,
            "fault_policy": "substitute",
            "secret": SECRET.hex(),
            "commitment": commitment(SECRET),
            "board_kind": "game",
            "scoring": "match_points",
            "tie_breaks": TIE_BREAKS,
            "game": "kakkuri",
            "preset": "kakkuri",
            "rules_version": 1,
            "ruleset": {"seats": 3},
        },
        "entries": [
            {
                "id": e,
                "player": e,
                "seed": None,
                "status": "entered",
                "status_reason": "",
                "left_stage": None,
                "left_round": None,
                "versions": [{"bot": e, "number": 1, "bundle_sha256": BUNDLES[e]}],
            }
            for e in ENTRIES
        ],
        "stages": [
            {
                "number": 1,
                "format": "heats",
                "options": {"rounds": rounds},
                "field_digest": digest,
                "qualify": None,
                "boards_per_round": None,
                "state": "done",
                "note": "",
                "end_code": "",
                "entries": [
                    {"entry": entry, "position": position, "origin": None}
                    for position, entry in enumerate(order, 1)
                ],
                "rounds": documents,
                "standings": [
                    {
                        "entry": row.entry,
                        "rank": row.rank,
                        "values": standing_values(row),
                        "decided_by": row.decided_by,
                    }
                    for row in rows
                ],
            }
        ],
    }
    return bound(document), records


DOCUMENT, RECORDS = event_of_heats()


def found(document):
    return disagreements(document, RECORDS.__getitem__, replayed)


def test_an_event_of_heats_is_derived_again_with_its_sit_outs_and_forfeits():
    assert len(list(record_hashes(DOCUMENT))) == 4 * 3
    assert {row["values"]["drawn"] for row in DOCUMENT["stages"][0]["standings"]} >= {2}
    assert any(
        fixture["state"] == "forfeited"
        for round_ in DOCUMENT["stages"][0]["rounds"]
        for fixture in round_["fixtures"]
    )
    assert found(DOCUMENT) == []


def heat(document, number=1):
    return next(f for f in document["stages"][0]["rounds"][number - 1]["fixtures"] if len(f["sides"]) == 3)


def other_order(document):
    heat(document)["sides"].reverse()


def other_sit_out(document):
    playing, out = document["stages"][0]["rounds"][1]["fixtures"]
    playing["sides"][1], out["sides"][0] = out["sides"][0], playing["sides"][1]


def other_seats(document):
    """Two entries of a table change places; what each then won and held is changed with them."""
    first, second, _ = heat(document)["tables"][1]["seats"]
    first["entry"], second["entry"] = second["entry"], first["entry"]


def other_rotation(document):
    tables = heat(document)["tables"]
    tables[0]["rotation"], tables[1]["rotation"] = 1, 0


def other_score(document):
    heat(document)["scores"][0]["value"] = "1/3"


def other_stones(document):
    heat(document)["tables"][2]["results"][0][2] += 1


def hidden_forfeit(document):
    heat(document, 4)["state"] = "settled"


def moved_forfeit(document):
    for seat in heat(document, 4)["tables"][1]["seats"]:
        seat["forfeited"] = False


def other_points(document):
    document["stages"][0]["standings"][0]["values"]["match_points"] = "99"


def other_rank(document):
    rows = document["stages"][0]["standings"]
    rows[0]["entry"], rows[1]["entry"] = rows[1]["entry"], rows[0]["entry"]


def lost_board(document):
    document["stages"][0]["rounds"][0]["boards"] = 3


def other_seed(document):
    document["entries"][3]["seed"] = 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (other_order, "stage 1, round 1: the pairings are not those the format draws"),
        (other_sit_out, "stage 1, round 2: the pairings are not those the format draws"),
        (other_seats, "f1-1-1: its seats are not those that follow from the pairing"),
        (other_rotation, "f1-1-0: its seats are not those that follow from the pairing"),
        (other_score, "the board scores do not follow from the records"),
        (other_stones, "its results are not those of its record"),
        (hidden_forfeit, "its state is settled, its records say otherwise"),
        (moved_forfeit, "its record names other forfeits"),
        (other_points, "the standings do not follow from the results"),
        (other_rank, "the standings do not follow from the results"),
        (lost_board, "its tables do not hold boards 1 to 3"),
        (other_seed, "its entries are not in the order of seeds and lots"),
    ],
)
def test_any_change_is_named(change, sentence):
    document = copy.deepcopy(DOCUMENT)
    change(document)
    assert any(sentence in line for line in found(document))


def test_a_board_of_one_entry_less_cannot_pass_for_a_smaller_heat():
    document = copy.deepcopy(DOCUMENT)
    for round_ in document["stages"][0]["rounds"]:
        for fixture in round_["fixtures"]:
            del fixture["sides"][2:]
    assert any("the pairings are not those" in line for line in found(document))
