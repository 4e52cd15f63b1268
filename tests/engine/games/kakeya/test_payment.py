"""Payment. Source: RULES.md 2.8 and 2.9, vectors T16-T27 and the worked examples."""

import pytest

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.scoring import ace_category, deal_winner, paid, payment
from tests.engine.games.kakeya.positions import PLAIN

SCHEDULES = [PLAIN, PLAIN.replace(schedule="nakayoshi")]

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


@pytest.mark.parametrize(("trump", "aces", "pictures", "category", "due"), PAYMENTS.values(), ids=PAYMENTS)
def test_payment(trump, aces, pictures, category, due):
    dealt = KAKEYA_PACK.mask(["2S", "KH", *aces.split()])
    assert ace_category(dealt, trump) == category
    assert tuple(payment(ruleset, category, pictures) for ruleset in SCHEDULES) == due


def test_T27_at_eight_each_the_pair_without_rensho_wins():
    with_rensho, without = KAKEYA_PACK.mask(["AC"]), KAKEYA_PACK.mask(["AS"])
    assert deal_winner([8, 8], [with_rensho, without], "S") == 1
    assert deal_winner([8, 8], [without, with_rensho], "S") == 0
    assert deal_winner([8, 8], [without, with_rensho], "H") == 1
    assert [deal_winner([9, 7], [0, 0], "S"), deal_winner([7, 9], [0, 0], "S")] == [0, 1]


@pytest.mark.parametrize(("pictures", "due"), [(8, 1), (11, 1), (12, 2), (15, 2), (16, 4)])
def test_bands_of_category_R(pictures, due):
    assert payment(PLAIN, "R", pictures) == due


def test_without_debt_losers_pay_what_they_have():
    assert paid(PLAIN, 4, 1) == 4
    assert paid(PLAIN.replace(debt=False), 4, 1) == 1
    assert paid(PLAIN.replace(debt=False), 2, 5) == 2
