"""Two tables with the same cards: where they first differ, and what each stop shows of both."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from engine import State
from tests.viewer.noted import noted_table
from tests.viewer.records import recorded
from tests.viewer.tree import Node, tree
from viewer.build import view_of
from viewer.compared_deal import ComparedDeal, ComparedTable, compared_deal, difference_sentence
from viewer.comparison_render import comparison_part
from viewer.position import PositionError
from viewer.render import Around
from viewer.shapes import View, ViewItem
from viewer.solver_notes import step_cost
from viewer.texts import ENGLISH


def table(preset: str, seed: int, same: int, kind: str = "deal") -> View:
    """A table that plays at random; the first actions are the same for all seeds."""
    first, rest = random.Random(1), random.Random(seed)
    decisions = 0

    def choose(_: random.Random, state: State, seat: int) -> str:
        nonlocal decisions
        decisions += 1
        return (first if decisions <= same else rest).choice(sorted(state.legal(seat)))

    made: Callable[..., Any] = recorded
    options = {"seats": 2} if preset == "kakkuri" else {}
    return view_of(made(preset, kind, options=options, choose=choose).record)


def compared(*views: View, at: str = "", notes: tuple[Any, Any] = (None, None)) -> ComparedDeal:
    tables = [
        ComparedTable(f"Table {index + 1}", view, Around(notes=notes[index]), f"/tables/{index}")
        for index, view in enumerate(views)
    ]
    return compared_deal(tables, at)


def drawn(deal: ComparedDeal) -> Node:
    return tree(comparison_part(deal))


def answers(view: View) -> list[tuple[Any, ...]]:
    deal = view["boards"][0]["deals"][0]
    return [(item["k"], item.get("s"), item.get("a")) for item in (*deal["before"], *deal["steps"])]


def steps_of(view: View) -> list[ViewItem]:
    return view["boards"][0]["deals"][0]["steps"]


PRESETS = ["kakeya4", "etori.simple", "etori.meiji", "kakkuri"]


@pytest.mark.parametrize("preset", PRESETS)
def test_both_advance_by_play_until_they_differ_and_then_by_trick(preset: str) -> None:
    for same in (0, 3, 9):
        first, second = table(preset, 2, same), table(preset, 3, same)
        deal = compared(first, second)
        stops, difference = deal.comparison.stops, deal.comparison.difference
        if difference is None:
            assert answers(first) == answers(second)
            continue
        before = [view["boards"][0]["deals"][0]["before"] for view in (first, second)]
        played = [view["boards"][0]["deals"][0]["steps"] for view in (first, second)]
        common = stops[: difference.stop + 1]
        assert common == tuple((index, index) for index in range(difference.stop + 1))
        if difference.step is not None:
            assert (
                answers(first)[: len(before[0]) + difference.step]
                == (answers(second)[: len(before[1]) + difference.step])
            )
            others = [steps[difference.step] for steps in played]
            assert [others[0].get(name) for name in "ksa"] != [others[1].get(name) for name in "ksa"]
        ends = [{last for _, last in scene.stops.groups} for scene in deal.scenes]
        for (a, b), (c, d) in zip(stops[difference.stop :], stops[difference.stop + 1 :], strict=False):
            assert (c > a and c in ends[0]) or c == a
            assert (d > b and d in ends[1]) or d == b
        assert stops[-1] == (deal.scenes[0].stops.last, deal.scenes[1].stops.last)
        assert len(set(deal.comparison.keys)) == len(stops)


def test_the_first_other_declaration_is_outlined_at_both_tables() -> None:
    first = table("kakeya4", 1, 99)
    second = copy.deepcopy(first)
    item = second["boards"][0]["deals"][0]["before"][1]
    item["a"] = "DEFER" if item["a"] == "PREFER" else "PREFER"
    deal = compared(first, second, at="b1l")
    outlined = [node for node in drawn(deal).below if "is-different" in node.classes]
    assert len(outlined) == 2
    assert all("seat-declaration" in node.classes for node in outlined)
    assert deal.comparison.keys[deal.at] == "b1l"
    assert f"Seat {item['s']}" in difference_sentence(deal)


def test_the_first_other_card_is_outlined_at_both_tables() -> None:
    first, second = table("kakeya4", 2, 12), table("kakeya4", 3, 12)
    deal = compared(first, second)
    difference = deal.comparison.difference
    assert difference is not None
    assert difference.step is not None
    outlined = [node for node in drawn(deal).below if "is-different" in node.classes]
    played = [view["boards"][0]["deals"][0]["steps"][difference.step] for view in (first, second)]
    assert [node.attributes["data-card"] for node in outlined] == [item["a"] for item in played]
    assert {node.attributes["data-in"] for node in outlined} == {str(difference.stop)}


@pytest.mark.parametrize("preset", ["kakeya4", "kakkuri"])
def test_each_table_shows_its_own_position(preset: str) -> None:
    first, second = table(preset, 2, 4), table(preset, 3, 4)
    whole = compared(first, second)
    for stop, key in enumerate(whole.comparison.keys):
        deal = compared(first, second, at=key)
        assert deal.at == stop
        page = drawn(deal)
        for index, view in enumerate((first, second)):
            position = deal.comparison.stops[stop][index] - deal.scenes[index].stops.position(0)
            steps = view["boards"][0]["deals"][0]["steps"][: max(position + 1, 0)]
            gone = {
                code for item in steps if item["k"] in ("play", "meld") for code in item.get("c", [item["a"]])
            }
            part = page.all(data_table=str(index))[0]
            hands = [card for hand in part.all(data_hand=None) for card in hand.all(data_card=None)]
            left = {node.attributes["data-card"] for node in hands if not is_hidden(node)}
            dealt = {code for hand in view["boards"][0]["deals"][0]["hands"].values() for code in hand}
            if not any("hands" in item for item in view["boards"][0]["deals"][0]["before"]):
                assert left == dealt - gone, key
    # The script finds the same positions in the attributes as the server draws.
    page = drawn(whole)
    for key, stop in zip(whole.comparison.keys, range(len(whole.comparison.stops)), strict=True):
        here = drawn(compared(first, second, at=key))
        timed = [node for node in page.below if "data-in" in node.attributes or "data-out" in node.attributes]
        same = [node for node in here.below if "data-in" in node.attributes or "data-out" in node.attributes]
        for node, other in zip(timed, same, strict=True):
            begins = int(node.attributes.get("data-in", 0))
            ends = int(node.attributes.get("data-out", 10**6))
            assert ("gone" not in other.classes) == (begins <= stop < ends)


def is_hidden(node: Node) -> bool:
    return "gone" in node.classes


def test_equal_tables_have_no_difference_and_every_position() -> None:
    view = table("kakeya4", 1, 99)
    deal = compared(view, copy.deepcopy(view))
    assert deal.comparison.difference is None
    assert deal.comparison.keys == deal.scenes[0].stops.keys
    assert difference_sentence(deal) == ENGLISH.no_difference
    assert drawn(deal).all(data_difference=None) == []


def test_other_cards_are_said_and_have_no_list() -> None:
    first = table("kakeya4", 1, 99)
    second = copy.deepcopy(first)
    hands = second["boards"][0]["deals"][0]["hands"]
    hands["1"], hands["2"] = hands["2"], hands["1"]
    deal = compared(first, second)
    assert deal.comparison.has_other_cards
    assert difference_sentence(deal) == ENGLISH.other_cards
    assert [node for node in drawn(deal).below if "compare-list" in node.classes] == []


def test_the_list_has_a_link_to_each_trick_that_differs() -> None:
    first, second = table("kakeya4", 2, 20), table("kakeya4", 3, 20)
    deal = compared(first, second)
    rows = [node for node in drawn(deal).below if node.name == "tr" and "data-at" in node.attributes]
    tricks = [
        {
            item["t"]: {(other["s"], other["a"]) for other in steps if other["t"] == item["t"]}
            for item in steps
        }
        for steps in (steps_of(view) for view in (first, second))
    ]
    differing = [number for number, plays in tricks[0].items() if plays != tricks[1][number]]
    assert len(rows) == len(differing)
    for number, row in zip(differing, rows, strict=True):
        link = row.all(href=None)[0]
        stop = int(link.attributes["data-go"])
        assert link.attributes["href"] == f"?at={deal.comparison.keys[stop]}"
        assert deal.comparison.keys[stop].startswith(f"b1t{number}p")
        for index, cell in enumerate(row.all(data_label=None)):
            cards = [node for node in cell.below if "card-text" in node.classes]
            marked = ["data-other" in node.attributes for node in cards]
            steps = [item for item in steps_of((first, second)[index]) if item["t"] == number]
            other = [item for item in steps_of((first, second)[1 - index]) if item["t"] == number]
            if number == differing[0]:
                at = next(
                    position for position, pair in enumerate(zip(steps, other, strict=True)) if differ(*pair)
                )
                assert marked == [position == at for position in range(4)], "only the first difference"
            else:
                is_other = steps[-1]["w"] != other[-1]["w"]
                assert marked == [is_other and item["s"] == steps[-1]["w"] for item in steps]
            (score,) = [node for node in cell.below if "compare-score" in node.classes]
            assert score.text == "–".join(map(str, steps[-1]["e"]))
            won = [item["t"] for item in steps_of((first, second)[index]) if max(item["e"]) > 8]
            is_decided = [node for node in cell.below if "compare-decides" in node.classes] != []
            assert is_decided == (number == (won[0] if won else 13))
    assert deal.comparison.difference is not None
    assert int(rows[0].all(href=None)[0].attributes["data-go"]) == deal.comparison.difference.stop


def differ(item: ViewItem, other: ViewItem) -> bool:
    return (item["s"], item["a"]) != (other["s"], other["a"])


def test_tricks_after_the_decision_can_be_left_out_and_one_table_is_chosen() -> None:
    first, second = table("kakeya4", 2, 20), table("kakeya4", 3, 20)
    page = drawn(compared(first, second))
    decided = max(
        next((item["t"] for item in steps_of(view) if max(item["e"]) > 8), 13) for view in (first, second)
    )
    rows = [node for node in page.below if node.name == "tr" and "data-at" in node.attributes]
    numbers = [int(row.all(href=None)[0].attributes["href"].split("t")[-1].split("p")[0]) for row in rows]
    assert [number for number, row in zip(numbers, rows, strict=True) if "is-after" in row.classes] == [
        number for number in numbers[1:] if number > decided
    ]
    choices = page.all(type="radio")
    assert [("checked" in node.attributes, node.attributes["value"]) for node in choices] == [
        (True, "0"),
        (False, "1"),
    ]


def test_the_first_difference_has_its_cost_if_there_are_notes() -> None:
    first, second = table("kakeya4", 2, 12), table("kakeya4", 3, 12)
    found = compared(first, second).comparison.difference
    assert found is not None
    assert found.step is not None
    notes = noted_table(first, {(1, 1): {found.step: 2}})
    deal = compared(first, second, notes=(notes, None))
    assert step_cost(deal.scenes[0].notes, found.step) == 2
    page = drawn(deal)
    states = json.loads(page.all(data_states=None)[0].text)
    assert states[found.stop][6] == 2
    assert [bool(cost) for cost in states[found.stop][7]] == [True, False]
    marks = [node for node in page.below if "play-cost" in node.classes]
    assert marks[0].text == ENGLISH.cost_mark.format(count=2)
    assert states[found.stop][7][0] in difference_sentence(deal)


def test_a_position_between_stops_leads_to_the_next_one() -> None:
    first, second = table("kakeya4", 2, 0), table("kakeya4", 3, 0)
    assert (
        compared(first, second, at="b1t5p2").comparison.keys[compared(first, second, at="b1t5p2").at]
        == "b1t5p4"
    )
    with pytest.raises(PositionError):
        compared(first, second, at="b1t14")


def test_a_game_has_links_to_the_deals_of_both() -> None:
    first, second = table("kakeya4", 2, 0, "game"), table("kakeya4", 3, 0, "game")
    deal = compared(first, second, at="b1d2")
    keys = [node.attributes["data-board"] for node in drawn(deal).all(data_board=None)]
    both = [{made["deal"] for made in view["boards"][0]["deals"]} for view in (first, second)]
    assert keys == [f"b1d{number}" for number in sorted(both[0] & both[1])]
