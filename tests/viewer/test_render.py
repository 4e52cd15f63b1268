"""Replays as HTML agree with the view at every position, for everybody and for one seat."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator

import pytest

from tests.viewer.records import view_for
from tests.viewer.tree import Node, tree
from viewer import render
from viewer.markup import Html
from viewer.mat import dealt_hands
from viewer.position import PositionError, TablePosition, parse_position, positions_at
from viewer.scene import Name
from viewer.shapes import View
from viewer.texts import ENGLISH, viewer_texts

PRESETS = [
    ("kakeya4", {}),
    ("kakeya6", {}),
    ("etori.simple", {}),
    ("etori.simple6", {}),
    ("etori.meiji", {}),
    *(("kakkuri", {"seats": seats}) for seats in range(2, 9)),
]


def replayed(
    view: View, place: TablePosition, *, seat: int | None = None, around: render.Around = render.NO_CONTEXT
) -> Html:
    return render.replay_of(render.scene_of(view, place, seat=seat, around=around), around)


def views() -> list[View]:
    return [view_for(preset, options.get("seats")) for preset, options in PRESETS]


def places(view: View) -> Iterator[TablePosition]:
    for board in view["boards"]:
        for deal in board["deals"]:
            place = TablePosition(board["board"], deal["deal"], 0)
            for at in range(positions_at(view, place).last + 1):
                yield place._replace(at=at)


def hands_at(view: View, place: TablePosition) -> dict[str, list[str]]:
    """The hands at a position, from the view alone."""
    deal = next(b for b in view["boards"] if b["board"] == place.board)["deals"][place.deal - 1]
    declared = 1 if deal["before"] else 0
    hands = deal["hands"] if place.at else dealt_hands(deal)
    gone: dict[str, set[str]] = {}
    for item in deal["steps"][: max(place.at - declared, 0)]:
        if item["k"] == "play":
            gone.setdefault(str(item["s"]), set()).add(item["a"])
        elif "c" in item:
            gone.setdefault(str(item["s"]), set()).update(item["c"])
    return {seat: [code for code in hand if code not in gone.get(seat, ())] for seat, hand in hands.items()}


def drawn(view: View, place: TablePosition, seat: int | None = None) -> Node:
    """The part of a deal, read."""
    scene = render.scene_of(view, place, seat=seat)
    return tree(render.deal_part(scene))


def shown_cards(node: Node, at: int | None = None) -> list[str]:
    """The cards in it: as the page has them, or as the script shows them at a position."""
    return [
        card.attributes["data-card"]
        for card in node.all(data_card=None)
        if (card.is_shown if at is None else card.is_there(at))
    ]


@pytest.mark.parametrize("view", views(), ids=lambda view: f"{view['preset']}{view['seats']}")
def test_every_position_shows_the_hands_the_trick_and_the_pictures_of_the_view(view: View) -> None:
    page, here = Node("", {}, None), (0, 0)
    for place in places(view):
        deal = next(b for b in view["boards"] if b["board"] == place.board)["deals"][place.deal - 1]
        if (place.board, place.deal) != here:
            page, here = drawn(view, place), (place.board, place.deal)
        hands = hands_at(view, place)
        for hand in page.all(data_hand=None):
            shown = shown_cards(hand, place.at)
            assert sorted(shown) == sorted(hands[hand.attributes["data-hand"]]), place
        assert {hand.attributes["data-hand"] for hand in page.all(data_hand=None)} == set(hands)
        step = max(place.at - (1 if deal["before"] else 0) - 1, -1)
        if "trump" in deal:
            assert_trick(page, deal["steps"], step, place.at)
        else:
            assert_follow(page, deal["steps"], step, place.at)


def assert_trick(page: Node, steps: list, step: int, at: int) -> None:
    item = steps[step] if step >= 0 else None
    trick = [] if item is None else [s for s in steps[: step + 1] if s["t"] == item["t"]]
    _, acting, wins, *_ = json.loads(page.all(data_states=None)[0].text)[at]
    assert wins == (item["w"] if item is not None else 0)
    assert acting in (0, steps[step + 1]["s"] if step + 1 < len(steps) else 0)
    for slot in page.all(data_slot=None):
        assert shown_cards(slot, at) == [s["a"] for s in trick if str(s["s"]) == slot.attributes["data-slot"]]
    for row in page.all(data_side=None):
        counts = [b.text for b in row.below if b.name == "b" and b.is_there(at)]
        taken = item["e"][int(row.attributes["data-side"])] if item is not None else 0
        assert counts == [str(taken)]
        assert len([c for c in row.all(data_captured=None) if c.is_there(at)]) == taken


def assert_follow(page: Node, steps: list, step: int, at: int) -> None:
    laid = next((s for s in reversed(steps[: step + 1]) if "f" in s), None)
    faces = [node for node in page.below if "follow-laid-cards" in node.classes and node.is_there(at)]
    assert [shown_cards(face, at) for face in faces] == (
        [] if laid is None else [laid.get("c") or [laid["a"]]]
    )


@pytest.mark.parametrize("view", views(), ids=lambda view: f"{view['preset']}{view['seats']}")
def test_the_page_without_script_shows_what_the_script_shows(view: View) -> None:
    for place in list(places(view))[4::29]:
        page = drawn(view, place)
        assert [
            n for n in page.below if n.is_shown != n.is_there(place.at) and not n.all(data_for_seat=None)
        ] == []
        _, acting, wins, *_ = json.loads(page.all(data_states=None)[0].text)[place.at]
        acts = {node.attributes["data-seat"] for node in page.all(data_seat=None, data_acting=None)}
        assert acts == ({str(acting)} if acting else set())
        assert {node.attributes["data-slot"] for node in page.all(data_wins=None)} == (
            {str(wins)} if wins else set()
        )


@pytest.mark.parametrize("view", views(), ids=lambda view: f"{view['preset']}{view['seats']}")
def test_the_page_for_a_seat_holds_no_card_that_the_seat_has_not_seen(view: View) -> None:
    for place in list(places(view))[::23]:
        deal = next(b for b in view["boards"] if b["board"] == place.board)["deals"][place.deal - 1]
        declared = 1 if deal["before"] else 0
        played = {
            code
            for item in deal["steps"][: max(place.at - declared, 0)]
            for code in (item.get("c") or [item["a"]] if "a" in item else [])
        }
        for seat in range(1, view["seats"] + 1):
            markup = render.deal_part(render.scene_of(view, place, seat=seat))
            own = set(hands_at(view, place).get(str(seat), []))
            page = tree(markup)
            known = played | own | {deal.get("rensho")}
            seen = {card.attributes["data-card"] for card in page.all(data_card=None)}
            assert seen <= known, place
            symbols = "♠♥♦♣"
            texts = {n.text for n in page.below if "card-text" in n.classes and len(n.text) > 2}
            as_text = {(c[0] if c[0] != "T" else "10") + symbols["SHDC".index(c[1])] for c in known if c}
            assert {text.replace("\N{VARIATION SELECTOR-15}", "") for text in texts} <= as_text, place
            assert not page.all(data_states=None)
            # What is gone is a place without a card, or a card of its own that all have seen.
            for node in page.below:
                if "gone" in node.classes:
                    assert node.attributes.get("data-card") in played | {None}, place
                    assert any("hand" in around.classes for around in node.lineage()), place


def test_a_seat_that_may_swap_does_not_see_its_hand_before() -> None:
    view = view_for("kakkuri", 3)
    page = tree(replayed(view, TablePosition(1, 1, 0), seat=2))
    assert not page.all(data_hand="2")[0].all(data_card=None)
    backs = page.all(data_hand="2")[0].all(role="img")
    assert [node.attributes["aria-label"] for node in backs] == ["6 cards"]
    later = tree(replayed(view, TablePosition(1, 1, 1), seat=2))
    assert len(shown_cards(later.all(data_hand="2")[0])) == 6


@pytest.mark.parametrize("view", [*views(), view_for("kakeya4", None, "game")], ids=lambda v: v["preset"])
def test_every_position_has_an_address_of_its_own(view: View) -> None:
    written = [positions_at(view, place).keys[place.at] for place in places(view)]
    assert len(set(written)) == len(written)
    assert [parse_position(text, view) for text in written] == list(places(view))


def test_a_trick_without_a_play_means_its_end() -> None:
    view = view_for("kakeya4")
    assert parse_position("b1t3", view) == parse_position("b1t3p4", view)
    assert parse_position("b2l", view).at == 1


def test_an_address_leads_to_the_first_play_that_the_referee_made_for_a_seat() -> None:
    view = copy.deepcopy(view_for("kakeya4"))
    first, second = (deal for board in view["boards"] for deal in board["deals"])
    for step in (9, 5):
        first["steps"][step] |= {"by": "referee", "verdict": "ILLEGAL_ACTION", "s": 2}
    second["before"][0] |= {"by": "referee", "verdict": "TIMEOUT", "s": 2}
    assert parse_position("b1f2", view) == parse_position("b1t2p2", view)
    assert parse_position("b2f2", view) == parse_position("b2l", view)
    assert parse_position("b1f3", view) == parse_position("b1", view), "it made none"


@pytest.mark.parametrize(
    ("text", "reason", "has"),
    [
        *((text, "unreadable", ()) for text in ("", "b1f", "b1t", "b1t1p1 ", "b٣")),
        *((text, "board", (1, 2)) for text in ("b9", "b9f1")),
        ("b1d2", "deal", (1,)),
        ("b1t14", "group", tuple(range(1, 14))),
        *((text, "play", ()) for text in ("b1t2p5", "b1t2p0")),
    ],
)
def test_a_position_the_table_has_not_is_refused_with_what_it_has(
    text: str, reason: str, has: tuple[int, ...]
) -> None:
    with pytest.raises(PositionError) as refusal:
        parse_position(text, view_for("kakeya4"))
    assert (refusal.value.reason, refusal.value.has) == (reason, has)


HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_names_of_strangers_are_text() -> None:
    view = view_for("kakeya4")
    names = {seat: Name(HOSTILE, "/bots/x") for seat in range(1, 5)}
    for seat in (None, 2):
        markup = replayed(view, TablePosition(1, 1, 9), seat=seat, around=render.Around(names))
        tree(markup)
        assert "<img" not in markup
        assert "<script>" not in markup


def test_a_substituted_play_shows_its_verdict() -> None:
    view = view_for("kakeya4")
    page = tree(replayed(view, TablePosition(1, 1, 0)))
    marks = [node.attributes["data-verdict"] for node in page.all(data_verdict=None)]
    assert set(marks) <= {"OUT_OF_TIME", "ILLEGAL_ACTION"}
    assert marks
    assert ENGLISH.verdicts["OUT_OF_TIME"] in page.all(data_states=None)[0].text


def test_a_page_in_japanese_has_no_word_of_english() -> None:
    view = view_for("kakkuri", 4)
    page = tree(render.deal_part(render.scene_of(view, TablePosition(1, 1, 12), texts=viewer_texts("ja"))))
    labels = [node.attributes[name] for name in ("aria-label", "title") for node in page.all(**{name: None})]
    latin = set(re.findall("[A-Za-z]{2,}", " ".join([page.text, *labels])))
    assert latin <= {"CPU", "Shift", "ms"}


def test_html_is_marked_so_that_templates_take_it() -> None:
    assert isinstance(replayed(view_for("kakeya4"), TablePosition(1, 1, 0)), Html)
