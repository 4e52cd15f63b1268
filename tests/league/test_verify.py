"""Deriving whole events again from what they published: all agrees, and every change is named."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from league.export_shape import FORMAT
from league.standings import standings
from league.verify.export import disagreements, record_hashes
from tests.league.events import replayed
from tests.league.sample_events import EVENTS, entry_of, event, fixture_of, stage_of

Change = Callable[[dict[str, Any]], object]


def test_the_events_are_what_they_seem() -> None:
    first, second = event("eventful").stages
    assert [row["entry"] for row in second["entries"]] == [
        row["entry"] for row in first["standings"] if row["entry"] != "b"
    ][:3]
    assert len(event("in_passes").rounds) == 18
    assert "separated" in event("in_passes").stages[0]["note"]
    assert len(event("passes_to_the_end").rounds) == 6
    groups, finals = event("knockout").stages
    assert {row["values"]["group"] for row in groups["standings"]} == {"1", "2"}
    assert {row["origin"] for row in finals["entries"]} == {1, 2}
    assert finals["standings"][0]["values"]["progress"] > finals["standings"][-1]["values"]["progress"]
    ruled = event("movement").stages[0]["rounds"][0]["fixtures"][0]
    losers = set(ruled["sides"][2:])
    assert all((score["value"] == "-2") == (score["entry"] in losers) for score in ruled["scores"])
    heats = event("heats").document()
    assert len(list(record_hashes(heats))) == 4 * 3
    assert [
        sorted(len(f["sides"]) for f in played["fixtures"]) for played in heats["stages"][0]["rounds"]
    ] == [[1, 3]] * 4
    assert heat(heats, 4)["state"] == "forfeited"


def swapped(rows: list[dict[str, Any]], key: str = "entry", first: int = 0, second: int = 1) -> None:
    rows[first][key], rows[second][key] = rows[second][key], rows[first][key]


def heat(document: dict[str, Any], number: int = 1) -> dict[str, Any]:
    fixtures: list[dict[str, Any]] = stage_of(document)["rounds"][number - 1]["fixtures"]
    return next(fixture for fixture in fixtures if len(fixture["sides"]) == 3)


def ruling(document: dict[str, Any], number: int, place: int) -> dict[str, Any]:
    (given,) = fixture_of(document, number, place)["adjudications"][:1]
    return given


def table(document: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = fixture_of(document, 3, 1)["tables"][0]
    return first


def other_sit_out(document: dict[str, Any]) -> None:
    playing, out = sorted(stage_of(document)["rounds"][1]["fixtures"], key=lambda f: -len(f["sides"]))
    playing["sides"][1], out["sides"][0] = out["sides"][0], playing["sides"][1]


def moved_forfeit(document: dict[str, Any]) -> None:
    for seat in heat(document, 4)["tables"][1]["seats"]:
        seat["forfeited"] = False


def smaller_heats(document: dict[str, Any]) -> None:
    for played in stage_of(document)["rounds"]:
        for fixture in played["fixtures"]:
            del fixture["sides"][2:]


def other_version(document: dict[str, Any]) -> None:
    """All seats of a table claim another entry's bundle, and so does its field: but not the record."""
    entry_of(document, "c")["versions"] = entry_of(document, "d")["versions"]


def earlier_end(document: dict[str, Any]) -> None:
    """A pass less, said to have been enough."""
    stage_of(document)["rounds"] = stage_of(document)["rounds"][:3]


def another_pass(document: dict[str, Any]) -> None:
    """One more than were needed: the first one once again, whose deals are then wrong, too."""
    stage = stage_of(document)
    for played in copy.deepcopy(stage["rounds"][:3]):
        number = len(stage["rounds"]) + 1
        played.update(number=number, board_set=f"another{number}", closed_seq=1000 + number)
        for fixture in played["fixtures"]:
            fixture["id"] += f"-{number}"
            for table in fixture["tables"]:
                table["id"] += f"-{number}"
        stage["rounds"].append(played)
    document["tournament"]["max_passes"] = 9


def other_origin(document: dict[str, Any]) -> None:
    row = stage_of(document, 2)["entries"][0]
    row["origin"] = 3 - row["origin"]


def partners_changed(document: dict[str, Any]) -> None:
    """Two who are opponents change places in the pairing and at every table."""
    fixture = fixture_of(document, 1, 1)
    first, other = fixture["sides"][0], fixture["sides"][2]
    swap = {first: other, other: first}
    fixture["sides"] = [swap.get(name, name) for name in fixture["sides"]]
    for table in fixture["tables"]:
        for seat in table["seats"]:
            seat["entry"] = swap.get(seat["entry"], seat["entry"])


CHANGES: dict[str, list[tuple[Change, str]]] = {
    "heats": [
        (lambda d: heat(d)["sides"].reverse(), "stage 1, round 1: the pairings"),
        (other_sit_out, "stage 1, round 2: the pairings"),
        (lambda d: swapped(heat(d)["tables"][1]["seats"]), "-1: its seats"),
        (lambda d: swapped(heat(d)["tables"], "rotation"), "-0: its seats"),
        (lambda d: heat(d)["scores"][0].update(value="1/3"), "the board scores"),
        (lambda d: heat(d)["tables"][2]["results"][0].__setitem__(2, 99), "its results"),
        (lambda d: heat(d, 4).update(state="settled"), "its state is settled"),
        (moved_forfeit, "other forfeits"),
        (lambda d: stage_of(d)["standings"][0]["values"].update(match_points="99"), "the standings"),
        (lambda d: swapped(stage_of(d)["standings"]), "the standings"),
        (lambda d: stage_of(d)["rounds"][0].update(boards=3), "boards 1 to 3"),
        (lambda d: entry_of(d, "d").update(seed=1), "seeds and lots"),
        (smaller_heats, "the pairings"),
    ],
    "eventful": [
        (lambda d: swapped(stage_of(d, 2)["entries"]), "stage 2: its field"),
        (lambda d: swapped(stage_of(d)["entries"], first=2), "stage 1: its entries"),
        (lambda d: stage_of(d)["entries"].pop(), "stage 1: its field"),
        (lambda d: stage_of(d)["entries"][0].update(position=2), "stage 1: the places of its field"),
        (lambda d: stage_of(d, 2).update(qualify=4), "stage 2: its field"),
        (
            lambda d: entry_of(d, "b").update(status="entered", left_stage=None, left_round=None),
            "round 3: the pairings",
        ),
        (lambda d: entry_of(d, "b").update(left_round=3), "round 3: the pairings"),
        (lambda d: ruling(d, 1, 1).update(rounds_opened=1), "round 2: the pairings"),
        (lambda d: ruling(d, 2, 2).update(rounds_opened=1), "before its round"),
        (lambda d: fixture_of(d, 2, 2).update(adjudications=[]), "the board scores"),
        (lambda d: ruling(d, 2, 2).update(number=2), "its rulings"),
        (lambda d: ruling(d, 4, 1).update(kind="draw"), "its state is void"),
        (lambda d: ruling(d, 4, 1).update(kind="gift"), "adjudications[0].kind"),
        (lambda d: ruling(d, 2, 2).update(kind="forfeit", entries=["nobody"]), "nobody"),
        (lambda d: stage_of(d, 2).update(boards_per_round=2), "stage 2, round 1: it has 3 boards"),
        (lambda d: table(d).update(state="void"), "(void)"),
        (lambda d: d["tournament"].update(forfeit_stones=6), "costs 12"),
        (other_version, "other bundles"),
        (lambda d: d["entries"].append(d["entries"][0]), "entry a"),
        (lambda d: d["tournament"].update(secret="00" * 32), "committed"),
        (lambda d: d["tournament"].update(secret=None), "not revealed"),
        (lambda d: d["tournament"].update(preset="kakeya4.league"), "other rules"),
        (lambda d: stage_of(d).update(field_digest="0" * 64), "field digest"),
        (lambda d: entry_of(d, "a")["versions"][0].update(bundle_sha256="1" * 64), "field digest"),
        (lambda d: stage_of(d)["standings"][0].update(decided_by="wins"), "the standings"),
        (lambda d: stage_of(d).update(rounds=5), "stages[0].rounds"),
        (lambda d: table(d).update(first_board=2), "f1-3-1"),
        (lambda d: table(d).update(record_sha256="3" * 64), "3333"),
        (lambda d: table(d)["seats"][0].update(verdict="CRASHED"), "other verdicts"),
        (lambda d: table(d)["seats"][0].update(bundle_sha256="2" * 64), "other bundles"),
    ],
    "in_passes": [
        (earlier_end, "its last round"),
        (lambda d: d["tournament"].update(max_passes=2), "2 passes"),
        (another_pass, "pass 7"),
    ],
    "knockout": [
        (other_origin, "stage 2: the groups"),
        (lambda d: stage_of(d)["standings"][0]["values"].update(place="2"), "stage 1: the standings"),
        (lambda d: stage_of(d, 2)["standings"][0]["values"].update(progress="0"), "stage 2: the standings"),
    ],
    "movement": [
        (partners_changed, "round 1: the pairings"),
        (partners_changed, "other bundles"),
        (lambda d: swapped(fixture_of(d, 1, 1)["tables"][0]["seats"], second=2), "its seats"),
    ],
}
"""By event, what is changed and what a disagreement then names."""


@pytest.mark.parametrize(
    ("name", "change", "culprit"),
    [(name, *row) for name, rows in CHANGES.items() for row in rows],
)
def test_any_change_is_named(name: str, change: Change, culprit: str) -> None:
    document = event(name).document()
    change(document)
    lines = event(name).found(document)
    assert any(culprit in line for line in lines), lines


def test_a_record_of_other_bytes_is_named() -> None:
    records = event("heats").records
    lines = disagreements(event("heats").document(), lambda sha256: records[sha256] + b" ", replayed)
    assert sum("another hash" in line for line in lines) == len(records)


@pytest.mark.parametrize("name", EVENTS)
def test_results_make_the_same_table_in_whatever_order_they_come(name: str) -> None:
    played = event(name)
    outcomes = [fixture.outcome() for fixtures in played.rounds for fixture in fixtures]
    so_far = played.so_far()
    given: dict[str, Any] = {
        "scoring": played.scoring,
        "lots": played.lots,
        "sides": len(played.sides),
        "progress": played.format.progress(so_far),
        "groups": played.format.groups(so_far),
    }
    expected = standings(played.order, outcomes, **given)
    for seed in range(5):
        chance = random.Random(seed)
        shuffled = (chance.sample(played.order, len(played.order)), chance.sample(outcomes, len(outcomes)))
        assert standings(*shuffled, **given) == expected


@pytest.mark.parametrize("name", ["rensho-export/1", "rensho-export/2", "rensho-export/9", None])
def test_an_export_of_another_format_is_refused_by_name(name: str | None) -> None:
    (refusal,) = event("eventful").found({**event("eventful").document(), "format": name})
    assert repr(name) in refusal
    assert FORMAT in refusal
