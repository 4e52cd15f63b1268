"""Drawn cards: every card has its symbol and its name, and nothing from data is markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from engine.cards import KAKEYA_PACK, KAKKURI_PACK, Pack
from viewer import cards, mat
from viewer.cards import Deck
from viewer.markup import Html, element
from viewer.shapes import ViewBoard
from viewer.texts import ENGLISH, viewer_texts

BOARD: ViewBoard = {
    "board": 7,
    "kind": "deal",
    "result": {"1": 0, "2": 0, "3": 0, "4": 0},
    "deals": [
        {
            "deal": 1,
            "stones": None,
            "dealers": [1, 3],
            "leaders": [2, 4],
            "resting": [],
            "trump": "S",
            "rensho": "AC",
            "hands": {"1": ["AS", "2S", "TD"], "2": ["KH"], "3": ["3C"], "4": ["QC", "2C"]},
            "before": [],
            "steps": [],
            "end": {"winner": [], "stones": {}, "how": None},
        }
    ],
}


@pytest.mark.parametrize(("deck", "pack"), [("french", KAKEYA_PACK), ("komatsu", KAKKURI_PACK)])
def test_every_card_of_a_deck_uses_a_symbol_and_every_symbol_uses_what_is_there(
    deck: Deck, pack: Pack
) -> None:
    sheet = cards.deck_symbols(deck)
    ElementTree.fromstring(f"<page>{sheet}</page>".replace("data-french", 'class="french"'))
    ids = re.findall(r' id="([^"]+)"', sheet)
    assert len(ids) == len(set(ids))
    page = sheet + "".join(cards.card(code, deck) for code in pack.cards) + cards.card_backs(2, deck)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert len({cards.card_name(code, deck) for code in pack.cards}) == len(pack)


def test_symbols_are_those_of_the_cards_asked_for() -> None:
    sheet = cards.symbols(["KH", "2S", "KH"])
    assert re.findall(r'symbol id="(c-..)"', sheet) == ["c-2S", "c-KH"]


def test_values_of_the_court_follow_its_order() -> None:
    assert [cards.komatsu_value(code) for code in ("AS", "9S", "JS", "QS", "KS")] == [1, 9, 10, 11, 12]
    assert [cards.komatsu_value(code, "QJK") for code in ("JS", "QS", "KS")] == [11, 10, 12]
    assert cards.card_name("JS", "komatsu", court="QJK") == "11 of isu"


def test_cards_are_spoken_in_the_language_of_the_page() -> None:
    assert 'aria-label="10 of diamonds"' in cards.card("TD")
    assert 'aria-label="ダイヤの10"' in cards.card("TD", texts=viewer_texts("ja-JP"))
    assert viewer_texts("fr") is ENGLISH
    assert viewer_texts("ja") is viewer_texts("ja-JP")
    assert 'aria-label="wild card, 1 of pao"' in cards.card("AC", "komatsu")


def test_the_diagram_of_a_deal_has_every_card_of_every_hand_once() -> None:
    drawn = mat.deal_diagram(BOARD, names={1: "<script>x", 2: "O'Neill & co"}, sides=[[1, 3], [2, 4]])
    ElementTree.fromstring(drawn)
    dealt = [code for hand in BOARD["deals"][0]["hands"].values() for code in hand]
    assert sorted(re.findall(r'data-card="(..)"', drawn)) == sorted([*dealt, "AC"])
    assert "<script" not in drawn
    assert "&lt;script&gt;x" in drawn
    assert "O&#x27;Neill &amp; co" in drawn


def test_suits_of_a_fan_stand_apart() -> None:
    assert mat.hand_row(["AS", "2S", "TD"]).count('class="hand-suit"') == 2


def test_markup_escapes_whatever_is_not_markup() -> None:
    assert element("b", {"title": '">'}, "<", Html("<i>")) == '<b title="&quot;&gt;">&lt;<i></b>'


def test_a_drawing_that_is_kept_is_taken_for_no_other() -> None:
    ends = {True: " data-at>", "1": ' data-at="1">', None: '-card="KH">'}
    for value, end in ends.items():
        assert f"{end}<use" in cards.card("KH", attributes={"data-at": value})
    assert f"{ends['1']}<use" in cards.card("KH", attributes={"data-at": 1})
    assert cards.card("KH", texts=viewer_texts("ja")) != cards.card("KH")
    assert cards.card_backs(3, places=5) != cards.card_backs(3)
