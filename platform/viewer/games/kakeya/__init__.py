"""Rendering of Kakeya and Etori, see ``viewer.games``."""

from viewer.games import DealingRule, Family
from viewer.games.kakeya import deals, scene, seat_view

DEALS = deals.build_deals
SEAT_VIEW = seat_view.trick_seat_view
DEAL_END = seat_view.trick_deal_end
SCENE = scene.trick_scene
SAID = scene.trick_event_text
DEALING: DealingRule = {"ranks": "23456789TJQKA", "rounds": 13, "packet": 1, "first": "any"}
FAMILIES = {
    "kakeya": Family(
        "Kakeya",
        "掛合トランプ",
        "Pairs compete for sixteen pictures, and one card beats everything. Four or six players.",
        cards=("AS", "KH", "QD", "JC"),
        variants={
            "kakeya4.league": "league rules",
            "kakeya4.nakayoshi": "Nakayoshi scoring",
            "kakeya6.league": "league rules",
            "kakeya6.nakayoshi": "Nakayoshi scoring",
        },
    ),
    "etori": Family(
        "Etori",
        "絵取り",
        "An older game of the same family: players take pictures to win chips or, by Meiji rules, points.",
        cards=("AC", "AS", "AD", "AH"),
        variants={
            "etori.simple": "simplified rules",
            "etori.simple6": "simplified rules",
            "etori.meiji": "Meiji rules",
        },
    ),
}
