"""Rendering of Kakkuri, see ``viewer.games``."""

from viewer.games import DealingRule, Family
from viewer.games.kakkuri import deals, scene, seat_view

DEALS = deals.build_deals
SEAT_VIEW = seat_view.turn_seat_view
DEAL_END = seat_view.turn_deal_end
SCENE = scene.turn_scene
SAID = scene.turn_event_text
DEALING: DealingRule = {"ranks": "A23456789JQK", "rounds": 2, "packet": 3, "first": "dealer"}
FAMILIES = {
    "kakkuri": Family(
        "Kakkuri",
        "カックリ",
        "Get rid of six cards, one value up at a time. Two to eight players.",
        deck="komatsu",
        cards=("9D", "JC", "QH", "KS", "AC"),
        variants={"kakkuri.league": "league rules"},
    ),
}
