"""Deriving whole events again: stages, leaving, rulings, passes, partners; and every change is named."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from league.export_shape import FORMAT
from league.standings import standings
from tests.league.events import Event
from tests.league.sample_events import (
    EVENTS,
    entry_of,
    fixture_of,
    stage_of,
)


@pytest.fixture(scope="module")
def events() -> dict[str, Event]:
    return {name: make() for name, make in EVENTS.items()}


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_derived_again(name: str, events: dict[str, Event]) -> None:
    assert events[name].found() == []


def test_the_events_are_what_they_seem(events: dict[str, Event]) -> None:
    first, second = events["eventful"].stages
    assert [row["entry"] for row in second["entries"]] == [
        row["entry"] for row in first["standings"] if row["entry"] != "b"
    ][:3]
    assert len(events["in_passes"].rounds) == 18
    assert "separated" in events["in_passes"].stages[0]["note"]
    assert len(events["passes_to_the_end"].rounds) == 6
    groups, finals = events["knockout"].stages
    assert {row["values"]["group"] for row in groups["standings"]} == {"1", "2"}
    assert {row["origin"] for row in finals["entries"]} == {1, 2}
    assert finals["standings"][0]["values"]["progress"] > finals["standings"][-1]["values"]["progress"]
    ruled = events["movement"].stages[0]["rounds"][0]["fixtures"][0]
    losers = set(ruled["sides"][2:])
    assert all((score["value"] == "-2") == (score["entry"] in losers) for score in ruled["scores"])


Change = Callable[[dict[str, Any]], None]


def other_field(document: dict[str, Any]) -> None:
    rows = stage_of(document, 2)["entries"]
    rows[0]["entry"], rows[1]["entry"] = rows[1]["entry"], rows[0]["entry"]


def other_first_field(document: dict[str, Any]) -> None:
    rows = stage_of(document)["entries"]
    rows[1]["entry"], rows[2]["entry"] = rows[2]["entry"], rows[1]["entry"]


def smaller_field(document: dict[str, Any]) -> None:
    stage_of(document)["entries"].pop()


def one_place_twice(document: dict[str, Any]) -> None:
    stage_of(document)["entries"][0]["position"] = 2


def more_qualify(document: dict[str, Any]) -> None:
    stage_of(document, 2)["qualify"] = 4


def never_left(document: dict[str, Any]) -> None:
    entry_of(document, "b").update(status="entered", left_stage=None, left_round=None)


def left_later(document: dict[str, Any]) -> None:
    entry_of(document, "b")["left_round"] = 3


def ruled_earlier(document: dict[str, Any]) -> None:
    fixture_of(document, 1, 1)["adjudications"][0]["rounds_opened"] = 1


def ruled_before_its_round(document: dict[str, Any]) -> None:
    fixture_of(document, 2, 2)["adjudications"][0]["rounds_opened"] = 1


def ruling_dropped(document: dict[str, Any]) -> None:
    fixture_of(document, 2, 2)["adjudications"] = []


def ruling_lost_its_number(document: dict[str, Any]) -> None:
    fixture_of(document, 2, 2)["adjudications"][0]["number"] = 2


def other_kind(document: dict[str, Any]) -> None:
    fixture_of(document, 4, 1)["adjudications"][0]["kind"] = "draw"


def strange_kind(document: dict[str, Any]) -> None:
    fixture_of(document, 4, 1)["adjudications"][0]["kind"] = "gift"


def stranger_forfeits(document: dict[str, Any]) -> None:
    ruling = fixture_of(document, 2, 2)["adjudications"][0]
    ruling.update(kind="forfeit", entries=["nobody"])


def other_boards(document: dict[str, Any]) -> None:
    stage_of(document, 2)["boards_per_round"] = 2


def unplayed_table(document: dict[str, Any]) -> None:
    fixture_of(document, 3, 1)["tables"][0]["state"] = "void"


def other_price(document: dict[str, Any]) -> None:
    document["tournament"]["forfeit_stones"] = 6


def other_version(document: dict[str, Any]) -> None:
    """All seats of a table claim another entry's bundle, and so does its field: but not the record."""
    entry_of(document, "c")["versions"] = entry_of(document, "d")["versions"]


def one_entry_twice(document: dict[str, Any]) -> None:
    document["entries"].append(document["entries"][0])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (other_field, "stage 2: its field does not follow from the standings of the stage before"),
        (other_first_field, "stage 1: its entries are not in the order of seeds and lots"),
        (smaller_field, "stage 1: its field is not everybody who was entered"),
        (one_place_twice, "stage 1: the places of its field are not numbered from 1"),
        (more_qualify, "stage 2: its field does not follow"),
        (never_left, "round 3: the pairings are not those the format draws"),
        (left_later, "round 3: the pairings are not those the format draws"),
        (ruled_earlier, "round 2: the pairings are not those the format draws"),
        (ruled_before_its_round, "it was ruled on before its round was opened"),
        (ruling_dropped, "the board scores do not follow"),
        (ruling_lost_its_number, "its rulings are not in order"),
        (other_kind, "its state is void, its records say otherwise (settled)"),
        (strange_kind, "adjudications[0].kind must be one of"),
        (stranger_forfeits, "nobody is to forfeit a fixture it does not play"),
        (other_boards, "stage 2, round 1: it has 3 boards, not 2"),
        (unplayed_table, "its records say otherwise (void)"),
        (other_price, "a forfeit costs 12"),
        (other_version, "other bundles than the ones entered"),
        (one_entry_twice, "entry a stands twice"),
    ],
)
def test_any_change_to_stages_is_named(change: Change, sentence: str, events: dict[str, Event]) -> None:
    document = copy.deepcopy(events["eventful"].document())
    change(document)
    found = events["eventful"].found(document)
    assert any(sentence in line for line in found), found


def earlier_end(document: dict[str, Any]) -> None:
    """A pass less, said to have been enough."""
    stage = stage_of(document)
    stage["rounds"] = stage["rounds"][:3]


def fewer_passes_allowed(document: dict[str, Any]) -> None:
    document["tournament"]["most_passes"] = 2


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
    document["tournament"]["most_passes"] = 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (earlier_end, "it ended before its last round"),
        (fewer_passes_allowed, "more than 2 passes were played"),
        (another_pass, "pass 7 was played although all neighbours were separated"),
    ],
)
def test_any_change_to_passes_is_named(change: Change, sentence: str, events: dict[str, Event]) -> None:
    document = copy.deepcopy(events["in_passes"].document())
    change(document)
    found = events["in_passes"].found(document)
    assert any(sentence in line for line in found), found


def other_origin(document: dict[str, Any]) -> None:
    row = stage_of(document, 2)["entries"][0]
    row["origin"] = 3 - row["origin"]


def other_place(document: dict[str, Any]) -> None:
    stage_of(document)["standings"][0]["values"]["place"] = "2"


def other_progress(document: dict[str, Any]) -> None:
    stage_of(document, 2)["standings"][0]["values"]["progress"] = "0"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (other_origin, "stage 2: the groups its entries come from are not those of the stage before"),
        (other_place, "stage 1: the standings do not follow"),
        (other_progress, "stage 2: the standings do not follow"),
    ],
)
def test_any_change_to_groups_and_brackets_is_named(
    change: Change, sentence: str, events: dict[str, Event]
) -> None:
    document = copy.deepcopy(events["knockout"].document())
    change(document)
    found = events["knockout"].found(document)
    assert any(sentence in line for line in found), found


def partners_changed(document: dict[str, Any]) -> None:
    """Two who are opponents change places in the pairing and at every table."""
    fixture = fixture_of(document, 1, 1)
    first, other = fixture["sides"][0], fixture["sides"][2]
    swap = {first: other, other: first}
    fixture["sides"] = [swap.get(name, name) for name in fixture["sides"]]
    for table in fixture["tables"]:
        for seat in table["seats"]:
            seat["entry"] = swap.get(seat["entry"], seat["entry"])


def seats_of_partners_changed(document: dict[str, Any]) -> None:
    seats = fixture_of(document, 1, 1)["tables"][0]["seats"]
    seats[0]["entry"], seats[2]["entry"] = seats[2]["entry"], seats[0]["entry"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (partners_changed, "round 1: the pairings are not those the format draws"),
        (partners_changed, "other bundles than the ones entered"),
        (seats_of_partners_changed, "its seats are not those that follow from the pairing"),
    ],
)
def test_any_change_to_partners_is_named(change: Change, sentence: str, events: dict[str, Event]) -> None:
    document = copy.deepcopy(events["movement"].document())
    change(document)
    found = events["movement"].found(document)
    assert any(sentence in line for line in found), found


@pytest.mark.parametrize("name", EVENTS)
def test_results_make_the_same_table_in_whatever_order_they_come(name: str, events: dict[str, Event]) -> None:
    event = events[name]
    outcomes = [fixture.outcome() for played in event.rounds for fixture in played]
    so_far = event.so_far()
    given: dict[str, Any] = {
        "scoring": event.scoring,
        "lots": event.lots,
        "progress": event.format.progress(so_far),
        "groups": event.format.groups(so_far),
    }
    expected = standings(event.order, outcomes, **given)
    for seed in range(5):
        chance = random.Random(seed)
        shuffled = (chance.sample(event.order, len(event.order)), chance.sample(outcomes, len(outcomes)))
        assert standings(*shuffled, **given) == expected


@pytest.mark.parametrize("name", ["rensho-export/1", "rensho-export/2", "rensho-export/9", None])
def test_an_export_of_another_format_is_refused_by_name(name: str | None, events: dict[str, Event]) -> None:
    (refusal,) = events["eventful"].found({**events["eventful"].document(), "format": name})
    assert repr(name) in refusal
    assert FORMAT in refusal
