"""Notation and canonical order.

Source: docs/rules/common.md#card-notation.
"""

import doctest

import pytest

import engine
from engine import NotationError, cards, seats
from engine.cards import KAKEYA_PACK, KAKKURI_PACK, PICTURES
from engine.games.kakeya import notation, scoring
from tests.refusals import refusal


def test_canonical_order():
    assert " ".join(KAKEYA_PACK.cards[:14]) == "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2H"
    assert KAKEYA_PACK.cards[-2:] == ("KC", "AC")
    assert " ".join(KAKKURI_PACK.cards[:13]) == "AS 2S 3S 4S 5S 6S 7S 8S 9S JS QS KS AH"
    assert [len(KAKEYA_PACK), len(KAKKURI_PACK), len(PICTURES)] == [52, 48, 16]


@pytest.mark.parametrize("text", ["", "A", "1S", "ASS", "as", "SA", "10S", " AS", "TX"])
def test_what_is_no_card_is_refused_by_name(text):
    with pytest.raises(NotationError, match=f"{text!r}"):
        KAKEYA_PACK.parse_card(text)


def test_there_is_no_ten_in_kakkuri():
    assert KAKEYA_PACK.parse_card("TD") == "TD"
    refusal(NotationError, KAKKURI_PACK.parse_card, "TD")


def test_masks_and_cards_are_two_spellings_of_a_set():
    for mask in (0, 1, 1 << 51, (1 << 52) - 1, 0b1011 << 24):
        assert KAKEYA_PACK.mask(KAKEYA_PACK.listed(mask)) == mask
    clubs = KAKEYA_PACK.suit_mask["C"]
    assert KAKEYA_PACK.listed(clubs) == KAKEYA_PACK.cards[39:]


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        (KAKEYA_PACK.cards[:51], "'AC'"),
        ((*KAKEYA_PACK.cards[:51], "2S"), "'AC'"),
        ((*KAKEYA_PACK.cards, "2S"), "comes twice"),
        ((*KAKEYA_PACK.cards[:51], "XX"), "'XX'"),
    ],
)
def test_a_deck_holds_every_card_once(deck, message):
    with pytest.raises(NotationError, match=message):
        KAKEYA_PACK.check_deck(deck)


@pytest.mark.parametrize("module", [engine, cards, seats, notation, scoring])
def test_examples_in_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_neighbours():
    assert [seats.seat_right_of(seat, 6) for seat in range(1, 7)] == [2, 3, 4, 5, 6, 1]
    assert [seats.seat_left_of(seat, 6) for seat in range(1, 7)] == [6, 1, 2, 3, 4, 5]
    assert seats.opposite_pairs(4) == ((1, 3), (2, 4))
