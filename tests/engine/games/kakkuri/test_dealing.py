"""Cards, boxes and dealers. Source: RULES.md 1.3, 5.1, 5.2."""

from engine import Board
from engine.games.kakkuri import GAME as KAKKURI

PLAIN = KAKKURI.presets["kakkuri"]
LEAGUE = KAKKURI.presets["kakkuri.league"]


def test_T80_a_known_deck_is_dealt_in_packets_of_three():
    state = KAKKURI.start(LEAGUE.replace(seats=4), Board("deal", 1, "demo"))
    hands = {seat: set(state.observe(seat)["hand"]) for seat in (1, 2, 3, 4)}
    assert hands[2] == {"KS", "AC", "4C", "7S", "5S", "8S"}
    assert hands[1] == {"KH", "9H", "QS", "JS", "4D", "9S"}
    seen = state.observe(1)
    assert (seen["dealer"], seen["turned"], seen["follow"], seen["box_size"]) == (1, ["JC"], 10, 23)
