"""Notes in a replay: costs, best cards, values, links between costly plays, retry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from analysis.shapes import AverageLoss, Notes
from tests.viewer.noted import noted_table
from tests.viewer.records import view_for
from tests.viewer.tree import Node, tree
from viewer import render
from viewer.note_panel import costly_target
from viewer.position import PositionError, TablePosition, parse_position
from viewer.scene import Scene
from viewer.shapes import View
from viewer.solver_notes import card_values, step_cost
from viewer.texts import ENGLISH, viewer_texts

COSTS = {5: 1, 12: 2, 13: 0, 30: 3}
DECLARED = 2
"""Position of the first step of a deal with declarations."""


def scene_at(
    view: View, notes: Notes | None, text: str = "b1", seat: int | None = None, retry: str = ""
) -> Scene:
    around = render.Around(notes=notes)
    return render.scene_of(view, parse_position(text, view), seat=seat, retry=retry, around=around)


def drawn(
    view: View, notes: Notes | None, text: str = "b1", seat: int | None = None, retry: str = ""
) -> Node:
    return tree(render.deal_part(scene_at(view, notes, text, seat, retry)))


def panel(page: Node) -> Node:
    return next(node for node in page.below if "replay-notes" in node.classes)


def states(page: Node) -> list[list[Any]]:
    return list(json.loads(page.all(data_states=None)[0].text))


@pytest.fixture(name="view")
def _view() -> View:
    return view_for("kakeya4")


@pytest.fixture(name="notes")
def _notes(view: View) -> Notes:
    return noted_table(view, {(1, 1): COSTS, (2, 1): {7: 1}})


def test_each_play_has_one_verdict(view: View) -> None:
    notes = noted_table(view, {(1, 1): COSTS}, begins=4)
    page = panel(drawn(view, notes))
    for step, item in enumerate(view["boards"][0]["deals"][0]["steps"]):
        position = DECLARED + step
        shown = [node for node in page.all(data_note=None) if node.is_there(position)]
        others = [node for node in page.all(data_verdict_of_play=None) if node.is_there(position)]
        kinds = [node.attributes["data-verdict-of-play"] for node in others]
        if step in COSTS:
            assert (len(shown), kinds) == (1, [])
        elif item.get("only"):
            assert (len(shown), kinds) == (0, ["forced"])
        else:
            assert (len(shown), kinds) == (0, ["not_analysed" if step < 4 else "equal"])


def test_costs_are_in_the_list_of_plays_and_in_the_states(view: View, notes: Notes) -> None:
    page = drawn(view, notes)
    by_position = {
        int(link.attributes["data-go"]): mark.text
        for cell in page.below
        if "plays-play" in cell.classes
        for link in cell.all(data_go=None)
        for mark in cell.below
        if "play-cost" in mark.classes
    }
    assert by_position == {
        DECLARED + step: ENGLISH.cost_mark.format(count=cost) for step, cost in COSTS.items() if cost
    }
    costs = {position: state[6] for position, state in enumerate(states(page)) if state[6]}
    assert costs == {DECLARED + step: cost for step, cost in COSTS.items() if cost}


def test_an_unlucky_play_has_another_mark(view: View, notes: Notes) -> None:
    note = notes["deals"][0]["steps"]["5"]
    note["average"] = {"loss": -0.02, "error": 0.05, "deals": 64, "best": ["AC"]}
    note["kind"] = "unlucky"
    page = drawn(view, notes)
    marks = [node.text for node in page.below if "play-cost" in node.classes and node.lineage()]
    assert ENGLISH.unlucky_mark.format(count=1) in marks
    kinds = [node.attributes["data-kind"] for node in page.all(data_kind=None)]
    assert kinds == ["unlucky"]


def test_the_table_of_a_note_has_every_legal_card_with_its_value(view: View, notes: Notes) -> None:
    page = drawn(view, notes)
    note = page.all(data_note=str(DECLARED + 12))[0]
    values = card_values(notes["deals"][0]["steps"]["12"])
    rows = [row for row in note.below if row.name == "tr"][1:]
    cards = [node for row in rows for node in row.below if "card-text" in node.classes]
    assert len(cards) == len(values)
    played = [row for row in rows if "is-played" in row.classes]
    assert len(played) == 1
    assert played[0].below[-2].text == ENGLISH.cost_mark.format(count=2)


def test_values_lead_to_the_result(view: View, notes: Notes) -> None:
    scene = scene_at(view, notes)
    values = scene.values
    result = view["boards"][0]["deals"][0]["end"]["stones"][str(view["sides"][0][0])]
    assert values[-1] == result
    changes = [at for at in range(2, len(values)) if values[at] != values[at - 1]]
    assert changes == [DECLARED + step for step, cost in COSTS.items() if cost]
    assert len(values) == len(scene.stops.keys)


def test_the_plot_marks_each_cost_and_says_each_change(view: View, notes: Notes) -> None:
    page = drawn(view, notes)
    plot = page.all(data_for_all=None)[0]
    marks = [node for node in plot.below if "value-cost" in node.classes]
    assert len(marks) == sum(cost > 0 for cost in COSTS.values())
    drawing = plot.all(role="img")[0]
    keys = scene_at(view, notes).stops.keys
    changed = [keys[DECLARED + step] for step, cost in COSTS.items() if cost]
    assert all(key in drawing.attributes["aria-label"] for key in changed)
    first = next(node for node in plot.below if node.name == "line" and "value-zero" not in node.classes)
    late = drawn(view, noted_table(view, {(1, 1): COSTS}, begins=5)).all(data_for_all=None)[0]
    later = next(node for node in late.below if node.name == "line" and "value-zero" not in node.classes)
    assert float(first.attributes["x1"][:-1]) < float(later.attributes["x1"][:-1])


def test_a_seat_sees_nothing_of_the_notes(view: View, notes: Notes) -> None:
    page = drawn(view, notes, "b1t4p1", seat=1)
    assert not page.all(data_note=None)
    assert not page.all(data_retry=None)
    assert not [node for node in page.below if node.classes & {"play-cost", "value-lines", "note-value"}]
    assert page.all(data_for_seat=None)[0].is_shown


def test_a_deal_without_notes_is_not_analysed_and_has_no_plot(view: View) -> None:
    notes = noted_table(view, {(2, 1): {7: 1}})
    page = drawn(view, notes, "b1t3")
    shown = [node.attributes["data-verdict-of-play"] for node in page.all(data_verdict_of_play=None)]
    assert "not_analysed" in shown
    assert not {"equal"} & set(shown)
    assert not page.all(data_for_all=None)
    assert not [node for node in drawn(view, None).below if "replay-notes" in node.classes]


def test_costly_plays_follow_each_other_over_deals(view: View, notes: Notes) -> None:
    first = scene_at(view, notes)
    keys = first.stops.keys
    costly = [keys[DECLARED + step] for step, cost in COSTS.items() if cost]
    other = scene_at(view, notes, "b2").costly.here
    walked, here = [], "b1"
    while (key := costly_target(scene_at(view, notes, here), 1)) is not None:
        walked.append(key)
        here = key
    assert walked == [*costly, *other]
    back = []
    while (key := costly_target(scene_at(view, notes, here), -1)) is not None:
        back.append(key)
        here = key
    assert back == list(reversed(walked[:-1]))
    page = drawn(view, notes, costly[0])
    links = {
        node.attributes["data-control"]: node.attributes.get("href")
        for node in panel(page).all(data_control=None)
    }
    assert links == {"costly-back": None, "costly-on": f"?at={costly[1]}"}


def test_costly_declarations_are_shown_with_the_values_of_their_answers(view: View, notes: Notes) -> None:
    before = view["boards"][0]["deals"][0]["before"]
    index = next(index for index, item in enumerate(before) if item["k"] == "lead")
    notes["deals"][0]["declarations"] = {
        str(index): {"seat": 1, "action": "PREFER", "values": {"PREFER": 1, "DEFER": 3}, "cost": 2}
    }
    page = drawn(view, notes, "b1l")
    shown = [node for node in page.all(data_declaration=None) if node.is_shown]
    assert [node.attributes["data-declaration"] for node in shown] == [str(index)]
    assert "+1" in shown[0].text
    assert "+3" in shown[0].text
    assert states(page)[1][6] == 2
    assert scene_at(view, notes).costly.here[0] == "b1l"


# Retry


def test_a_retry_shows_the_position_before_and_hides_the_answer(view: View, notes: Notes) -> None:
    scene = scene_at(view, notes)
    position = DECLARED + 12
    key = scene.stops.keys[position]
    page = drawn(view, notes, key, retry="1")
    assert page.all(data_deal=None)[0].attributes["data-position"] == str(position - 1)
    assert page.all(data_retry_position=str(position))
    shown = [node for node in page.all(data_note=None) if node.is_shown]
    assert [node.attributes["data-note"] for node in shown] == [str(position)]
    parts = {node.attributes["data-part"]: node.is_shown for node in shown[0].all(data_part=None)}
    assert parts == {"note": False, "question": True, "values": False}
    assert not [node for node in panel(page).below if "note-value" in node.classes and node.is_shown]
    choices = {
        node.attributes["data-choose"]: node.attributes["href"] for node in shown[0].all(data_choose=None)
    }
    item = view["boards"][0]["deals"][0]["steps"][12]
    assert set(choices) == set(card_values(notes["deals"][0]["steps"]["12"])) - {item["a"]}
    assert choices == {card: f"?at={key}&retry={card}" for card in choices}


def test_an_answer_shows_all_values(view: View, notes: Notes) -> None:
    position = DECLARED + 12
    key = scene_at(view, notes).stops.keys[position]
    values = card_values(notes["deals"][0]["steps"]["12"])
    item = view["boards"][0]["deals"][0]["steps"][12]
    card = next(card for card in values if card != item["a"])
    page = drawn(view, notes, key, retry=card)
    note = page.all(data_note=str(position))[0]
    parts = {node.attributes["data-part"]: node.is_shown for node in note.all(data_part=None)}
    assert parts == {"note": False, "question": True, "values": True}
    link = note.all(data_choose=card)[0]
    assert note.all(data_result=None)[0].text == link.attributes["data-answer"] != ""
    assert page.all(data_chosen=card)


@pytest.mark.parametrize("card", ["2X", "<b>", "AC+2D", "1" * 99])
def test_a_card_that_cannot_be_chosen_is_refused_with_the_ones_that_can(
    view: View, notes: Notes, card: str
) -> None:
    key = scene_at(view, notes).stops.keys[DECLARED + 12]
    with pytest.raises(PositionError) as refusal:
        scene_at(view, notes, key, retry=card)
    assert refusal.value.reason == "card"
    assert refusal.value.fields["text"] == card[:24]
    assert set(str(refusal.value.fields["cards"]).split()) == set(
        card_values(notes["deals"][0]["steps"]["12"])
    )


@pytest.mark.parametrize(("text", "seat"), [("b1", None), ("b1t1p1", None), ("b1t4p1", 2)])
def test_there_is_nothing_to_retry_without_a_costly_play_or_for_a_seat(
    view: View, notes: Notes, text: str, seat: int | None
) -> None:
    scene = scene_at(view, notes, text, seat, "1")
    assert scene.retry is None
    assert scene.moment == scene_at(view, notes, text, seat).moment


def test_the_page_of_notes_without_script_is_the_one_the_script_shows(view: View, notes: Notes) -> None:
    around = render.Around(notes=notes)
    for at in range(0, len(scene_at(view, notes).stops.keys), 3):
        place = TablePosition(1, 1, at)
        page = tree(render.deal_part(render.scene_of(view, place, around=around)))
        differ = [node for node in panel(page).below if node.is_shown != node.is_there(place.at)]
        hidden = {"data-for-seat", "data-part"}
        assert [n for n in differ if not any(hidden & set(a.attributes) for a in n.lineage())] == []


# Games of several deals, Kakkuri, Japanese


def test_notes_belong_to_their_deal_of_a_game() -> None:
    view = view_for("kakeya4", None, "game")
    first, second = view["boards"][0]["deals"][:2]
    assert (first["deal"], second["deal"]) == (1, 2)
    notes = noted_table(view, {(1, 2): {9: 1}})
    at = TablePosition(1, 2, 0)
    around = render.Around(notes=notes)
    page = tree(render.deal_part(render.scene_of(view, at, around=around)))
    assert len(page.all(data_note=None)) == 1
    page = tree(render.deal_part(render.scene_of(view, at._replace(deal=1), around=around)))
    assert not page.all(data_note=None)
    assert page.all(data_deal="b1d1")[0].attributes["data-costly-after"].startswith("b1d2t")


def test_a_loss_in_kakkuri_is_an_average_with_the_better_action() -> None:
    view = view_for("kakkuri", 4)
    steps = view["boards"][0]["deals"][0]["steps"]
    step = next(index for index, item in enumerate(steps) if item["k"] == "meld")
    notes = noted_table(view, {(1, 1): {}})
    deal = notes["deals"][0]
    deal["value"] = None
    average: AverageLoss = {"loss": 0.314, "error": 0.02, "deals": 4000, "best": ["PASS"]}
    deal["steps"][str(step)] = {"seat": steps[step]["s"], "average": average, "kind": "mistake"}
    assert step_cost(deal, step) == 0.314
    page = drawn(view, notes)
    assert [node.text for node in page.all(data_note=None) if "0.31" in node.text]
    note = page.all(data_note=None)[0]
    assert ENGLISH.acts_short["pass"] in note.text
    assert not page.all(data_part="question")
    assert not page.all(data_for_all=None)
    marks = [node.text for node in page.below if "play-cost" in node.classes]
    assert ENGLISH.cost_mark.format(count="0.31") in marks


def test_notes_in_japanese_have_no_word_of_english(view: View, notes: Notes) -> None:
    note = notes["deals"][0]["steps"]["5"]
    note["average"] = {"loss": 0.3, "error": 0.05, "deals": 64, "best": ["AC"]}
    note["kind"] = "mistake"
    around = render.Around(notes=notes)
    place = parse_position("b1", view)
    scene = render.scene_of(view, place, texts=viewer_texts("ja"), around=around)
    text = panel(tree(render.deal_part(scene))).text
    keys = set(scene.stops.keys)
    words = {
        word
        for word in text.replace("。", " ").split()
        if word.isascii() and word.isalpha() and len(word) > 1
    }
    assert words - keys == set()
