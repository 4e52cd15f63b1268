"""Kakeya and Etori as drawn: see ``viewer.games``."""

from viewer.games import Dealing, Family
from viewer.games.kakeya import deals, scene, sitting

DEALS = deals.deals
SITTING = sitting.trick_sitting
DEAL_END = sitting.trick_deal_end
SCENE = scene.trick_scene
SAID = scene.trick_said
DEALING: Dealing = {"ranks": "23456789TJQKA", "rounds": 13, "packet": 1, "first": "any"}
FAMILIES = {
    "kakeya": Family(
        "Kakeya",
        "掛合トランプ",
        "Two pairs, sixteen pictures, one card that beats everything. Four or six players.",
        cards=("AS", "KH", "QD", "JC"),
        variants={"league": "as in the league", "nakayoshi": "as in Nakayoshi"},
    ),
    "etori": Family(
        "Etori",
        "絵取り",
        "The older game of the family: pictures are taken for chips or, in its Meiji form, for points.",
        cards=("AC", "AS", "AD", "AH"),
        variants={"simple": "modern", "simple6": "modern", "meiji": "of the Meiji period"},
    ),
}
