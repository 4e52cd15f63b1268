"""Number of legal continuations by depth, from positions of a few cards a seat."""

import pytest

from tests.engine.games.kakeya.positions import position

ONE_SUIT_EACH = {1: "2S 3S 4S", 2: "2H 3H 4H", 3: "2D 3D 4D", 4: "2C 3C 4C"}
ONE_SUIT = {1: "2H 6H", 2: "3H 7H", 3: "4H 8H", 4: "5H 9H"}
MIXED = {1: "2S AC KH", 2: "3C 5S QH", 3: "AS 4C 4D", 4: "9C 8D 7H"}
RENSHO_FORCED = {1: "2C 3C", 2: "AC 2H", 3: "4C 5C", 4: "6C 7C"}
DISCARDS = {1: "2H 9D", 2: "3S 4S", 3: "5H 6C", 4: "7D 8D"}


def counts(state, depth):
    """How many ways there are to go on for 1, 2, ... ``depth`` plays."""
    level, found = [state], []
    for _ in range(depth):
        level = [s.apply(s.to_act[0], action) for s in level for action in s.legal(s.to_act[0])]
        found.append(len(level))
    return found


def plain_counts(trump, hands, depth):
    """The same, by lists of cards and RULES.md 2.7 read aloud."""
    rensho = "AC" if trump == "S" else "AS"

    def strength(card, led):
        if card == rensho:
            return (3, 0)
        return (2 if card[1] == trump else 1 if card[1] == led else 0, "23456789TJQKA".index(card[0]))

    level, found = [({seat: text.split() for seat, text in hands.items()}, 1, ())], []
    for _ in range(depth):
        following = []
        for held, seat, trick in level:
            suited = [card for card in held[seat] if trick and card[1] == trick[0][1][1]]
            for card in suited or held[seat]:
                left = {**held, seat: [other for other in held[seat] if other != card]}
                played = (*trick, (seat, card))
                to_play, led = seat % 4 + 1, played[0][1][1]
                if len(played) == 4:
                    to_play = max(played, key=lambda play, led=led: strength(play[1], led))[0]
                    played = ()
                following.append((left, to_play, played))
        level = following
        found.append(len(level))
    return found


@pytest.mark.parametrize(
    ("trump", "hands", "expected"),
    [
        pytest.param("S", ONE_SUIT, [2, 4, 8, 16, 16, 16, 16, 16], id="two-cards-of-one-suit"),
        pytest.param("H", ONE_SUIT_EACH, [3, 9, 27, 81, 162, 324, 648, 1296, 1296], id="nobody-can-follow"),
        pytest.param("S", RENSHO_FORCED, [2, 2, 4, 8, 8, 8, 8, 8], id="rensho-is-forced-out"),
        pytest.param("S", DISCARDS, [2, 4, 6, 12, 12, 12, 12, 12], id="some-can-follow"),
    ],
)
def test_known_counts(trump, hands, expected):
    assert counts(position(trump, hands), len(expected)) == expected


@pytest.mark.parametrize("trump", "SHDC")
@pytest.mark.parametrize(
    "hands", [MIXED, ONE_SUIT_EACH, DISCARDS], ids=["mixed", "one-suit-each", "discards"]
)
def test_counts_of_a_plain_reading(trump, hands):
    depth = 4 * len(hands[1].split())
    assert counts(position(trump, hands), depth) == plain_counts(trump, hands, depth)
