"""Seeded dealing.

Source: docs/rules/common.md#seeded-dealing; docs/rules/kakeya.md#dealing, T45.
"""

import pytest

from engine import shuffle
from engine.cards import KAKEYA_PACK, KAKKURI_PACK
from engine.games.kakeya.rotation import piles
from engine.shuffle import Stream, shuffled, stream_label


def deck(game, pack):
    return shuffled(pack.cards, stream_label(game, "demo", 1, "deal"))


@pytest.mark.parametrize(
    ("game", "pack", "first", "last"),
    [
        ("kakeya", KAKEYA_PACK, "7D TD 6D 7H 7S 8C 7C 4C KD QS 9H 5C", "9C AC 4D 5S"),
        ("kakkuri", KAKKURI_PACK, "KS AC 4C 8C QH 9C 2H 6D AS KH 9H QS", "QC 9D JH AD"),
    ],
)
def test_known_answers_of_rules_1_3(game, pack, first, last):
    cards = deck(game, pack)
    assert " ".join(cards).startswith(first)
    assert " ".join(cards).endswith(last)
    assert sorted(cards) == sorted(pack.cards)


def test_T45_first_pile():
    assert " ".join(piles(deck("kakeya", KAKEYA_PACK))[0]) == "7D 7S KD 3S JD 9D 2H QC 9S 2D AS AD 9C"


def test_the_quick_shuffle_is_the_one_drawn_number_by_number():
    for seed in range(50):
        label = stream_label("kakeya", str(seed), 3, "deal")
        order = list(KAKEYA_PACK.cards)
        stream = Stream(label)
        for i in range(51, 0, -1):
            j = stream.below(i + 1)
            order[i], order[j] = order[j], order[i]
        assert shuffled(KAKEYA_PACK.cards, label) == tuple(order)


def test_below_rejects_words_past_the_last_whole_multiple(monkeypatch):
    words = [(1 << 64) - 1, 7]
    monkeypatch.setattr(shuffle, "_words", lambda label: iter(words))
    assert Stream("any").below(3) == 1  # 2**64 - 1 is 0 modulo 3 but belongs to no whole multiple


class RejectedFirst:
    """Stands in for SHA-256: the first block is all ones, so its words are rejected; then small words."""

    def __init__(self, text=b""):
        self.text = text

    def copy(self):
        return RejectedFirst(self.text)

    def update(self, counter):
        self.text += counter

    def digest(self):
        block = int.from_bytes(self.text[-8:], "big")
        return b"\xff" * 32 if block == 0 else b"".join((block + i).to_bytes(8, "big") for i in range(4))


def test_a_deck_with_a_rejected_word_is_shuffled_word_by_word_too(monkeypatch):
    monkeypatch.setattr(shuffle, "sha256", RejectedFirst)
    stream, order = Stream("x"), list(range(7))
    for i in range(6, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    assert shuffled(range(7), "x") == tuple(order)


def test_each_purpose_and_deal_has_its_own_stream():
    labels = {stream_label("kakeya", "demo", n, purpose) for n in (1, 2) for purpose in ("deal", "seats")}
    assert len({shuffled(KAKEYA_PACK.cards, label) for label in labels}) == 4
    assert stream_label("kakeya", "demo", 2, "seats") == "jcg1|kakeya|demo|2|seats"


def test_numbers_below_n_cover_their_range():
    stream = Stream("jcg1|kakeya|demo|1|dealer")
    assert {stream.below(4) for _ in range(100)} == {0, 1, 2, 3}


@pytest.mark.parametrize("length", [0, 1, 2, 6, 200])
def test_any_length_can_be_shuffled(length):
    assert sorted(shuffled(range(length), "x")) == list(range(length))
