"""Kakkuri as drawn: see ``viewer.games``."""

from viewer.games import Dealing, Family
from viewer.games.kakkuri import deals, scene, sitting

DEALS = deals.deals
SITTING = sitting.turn_sitting
DEAL_END = sitting.turn_deal_end
SCENE = scene.turn_scene
SAID = scene.turn_said
DEALING: Dealing = {"ranks": "A23456789JQK", "rounds": 2, "packet": 3, "first": "dealer"}
FAMILIES = {
    "kakkuri": Family(
        "Kakkuri",
        "カックリ",
        "Get rid of six cards, one value up at a time. Two to eight players.",
        deck="komatsu",
        cards=("9D", "JC", "QH", "KS", "AC"),
        variants={"league": "as in the league"},
    ),
}
