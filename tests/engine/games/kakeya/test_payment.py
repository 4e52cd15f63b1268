"""Payment.

Source: docs/rules/kakeya.md#winner-of-a-deal, #payment, T16-T28; docs/rules/etori.md#simplified-etori,
#meiji-etori, T42.
"""

import pytest

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.scoring import (
    MEIJI_SCORES,
    RENSHO,
    Score,
    Taken,
    deal_winner,
    schedule_score,
)
from engine.games.kakeya.variants import VARIANTS
from tests.engine.games.kakeya.positions import KAKEYA

SCHEDULES = ("standard", "nakayoshi")
ACES = {"AS", "AH", "AD", "AC"}

PAYMENTS = {
    "T16": ("S", "", 9, "N", (4, 3)),
    "T17": ("S", "", 13, "N", (4, 4)),
    "T18": ("S", "AH", 8, "O", (2, 2)),
    "T19": ("S", "AH AD", 12, "O", (2, 3)),
    "T20": ("S", "AS", 8, "R", (1, 1)),
    "T21": ("S", "AC AS AH", 12, "R", (2, 2)),
    "T22": ("S", "AC", 16, "R", (4, 4)),
    "T23": ("H", "AC AD", 10, "O", (2, 2)),
    "T24": ("H", "AC", 12, "O", (2, 3)),
    "T25": ("H", "AS", 11, "R", (1, 1)),
    "T26": ("H", "AH AC", 14, "R", (2, 2)),
    "worked example 1": ("S", "", 9, "N", (4, 3)),
    "worked example 2": ("H", "AD AC", 13, "O", (2, 3)),
    "worked example 3": ("S", "AS", 8, "R", (1, 1)),
    "worked example 4": ("D", "AS", 16, "R", (4, 4)),
    "worked example 5": ("C", "AC", 12, "R", (2, 2)),
}


def taken(trump, aces, pictures, rensho=None):
    """The side with index 1 took this many pictures and was dealt these aces, the other side the rest."""
    held = set(aces.split())
    dealt = (KAKEYA_PACK.mask({"2H", *ACES - held}), KAKEYA_PACK.mask({"2S", "KH", *held}))
    return Taken((16 - pictures, pictures), dealt, trump, rensho or RENSHO[trump])


@pytest.mark.parametrize(("trump", "aces", "pictures", "category", "due"), PAYMENTS.values(), ids=PAYMENTS)
def test_payment(trump, aces, pictures, category, due):
    for schedule, stones in zip(SCHEDULES, due, strict=True):
        assert schedule_score(schedule, taken(trump, aces, pictures)) == Score(1, category, stones)


def test_T27_at_eight_each_the_pair_without_rensho_wins():
    assert deal_winner(taken("S", "AC", 8)) == 0
    assert deal_winner(taken("S", "AS", 8)) == 1
    assert deal_winner(taken("H", "AS", 8)) == 0
    assert deal_winner(taken("H", "AC AH AD", 8)) == 1
    assert [deal_winner(taken("S", "AC", pictures)) for pictures in (7, 9)] == [0, 1]


@pytest.mark.parametrize(("pictures", "due"), [(8, 1), (11, 1), (12, 2), (15, 2), (16, 4)])
def test_bands_of_category_R(pictures, due):
    aces = "AS" if pictures == 8 else "AC"
    for schedule in SCHEDULES:
        assert schedule_score(schedule, taken("S", aces, pictures)) == Score(1, "R", due)


@pytest.mark.parametrize(
    ("trump", "winners_aces", "due"),
    [
        pytest.param("S", "AH AD", 2, id="T28-rensho-and-trump-ace"),
        pytest.param("S", "", 4, id="T28-all-four-aces"),
        pytest.param("S", "AS", 1, id="rensho-alone"),
        pytest.param("S", "AS AH AD", 1, id="rensho-and-nothing-else"),
        pytest.param("S", "AH", 2, id="three-aces-are-not-four"),
        pytest.param("H", "AC AD", 2, id="hearts-rensho-and-trump-ace"),
        pytest.param("H", "AH", 1, id="hearts-without-the-trump-ace"),
    ],
)
def test_asahi_at_eight_each_the_rensho_side_pays_by_its_aces(trump, winners_aces, due):
    assert schedule_score("asahi_tie_only", taken(trump, winners_aces, 8)) == Score(1, None, due)


@pytest.mark.parametrize(
    ("aces", "pictures", "due"),
    [("", 9, 1), ("", 11, 1), ("AH", 12, 2), ("", 14, 2), ("AC AS", 15, 2), ("AC", 16, 4)],
)
def test_asahi_else_aces_do_not_matter(aces, pictures, due):
    assert schedule_score("asahi_tie_only", taken("S", aces, pictures)) == Score(1, None, due)


def etori(preset, **options):
    ruleset = KAKEYA.presets[preset].replace(**options)
    return lambda deal: VARIANTS[ruleset.variant].score(ruleset, deal)


def test_T42_aces_remaining_pay_four_always():
    assert etori("etori.simple")(taken("S", "AS", 10)) == Score(1, "R", 1)
    remaining = etori("etori.simple", aces_timing="remaining")
    for aces, pictures in (("AS", 10), ("", 9), ("AC AS AH AD", 16), ("AH", 8), ("AS", 8)):
        assert remaining(taken("S", aces, pictures)) == Score(1, None, 4)


@pytest.mark.parametrize(("pictures", "win1", "difference"), [(9, 1, 1), (12, 1, 4), (16, 1, 8)])
def test_meiji_points(pictures, win1, difference):
    deal = taken("C", "AS", pictures, "AS")
    assert etori("etori.meiji")(deal) == Score(1, None, win1)
    assert etori("etori.meiji", meiji_score="difference")(deal) == Score(1, None, difference)


def test_meiji_eight_each_is_nobodys():
    deal = taken("C", "AS", 8, "AS")
    assert etori("etori.meiji")(deal) == etori("etori.meiji", meiji_score="difference")(deal)
    assert etori("etori.meiji")(deal) == Score(None, None, 0)


@pytest.mark.parametrize(
    ("trump", "aces", "pictures", "score"),
    [
        pytest.param("C", "AS", 8, Score(0, "R", 1), id="eight-each-goes-to-the-side-without"),
        pytest.param("C", "AC", 8, Score(1, "R", 1), id="trump-ace"),
        pytest.param("C", "AH", 9, Score(1, "O", 2), id="other-aces"),
        pytest.param("H", "AS", 12, Score(1, "R", 2), id="speculation"),
        pytest.param("S", "AC", 9, Score(1, "O", 2), id="spades-the-ace-of-clubs-is-plain"),
        pytest.param("S", "AC AH AD", 15, Score(1, "O", 2), id="spades-one-card-beats-all"),
        pytest.param("S", "", 9, Score(1, "N", 4), id="no-ace"),
        pytest.param("S", "AS", 16, Score(1, "R", 4), id="all"),
    ],
)
def test_meiji_scored_as_kakeya(trump, aces, pictures, score):
    assert MEIJI_SCORES["kakeya"](taken(trump, aces, pictures, "AS")) == score
