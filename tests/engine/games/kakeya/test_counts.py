"""Number of legal continuations by depth, from positions of a few cards a seat."""

import pytest

from tests.engine.games.kakeya.positions import MEIJI, PLAIN, SIMPLE, SIMPLE6, SIX, position

ONE_SUIT_EACH = {1: "2S 3S 4S", 2: "2H 3H 4H", 3: "2D 3D 4D", 4: "2C 3C 4C"}
ONE_SUIT = {1: "2H 6H", 2: "3H 7H", 3: "4H 8H", 4: "5H 9H"}
MIXED = {1: "2S AC KH", 2: "3C 5S QH", 3: "AS 4C 4D", 4: "9C 8D 7H"}
RENSHO_FORCED = {1: "2C 3C", 2: "AC 2H", 3: "4C 5C", 4: "6C 7C"}
DISCARDS = {1: "2H 9D", 2: "3S 4S", 3: "5H 6C", 4: "7D 8D"}
RENSHO_FREE = {1: "2H 3H", 2: "AC 4H", 3: "5H 6H", 4: "7H 8H"}
FREE = PLAIN.replace(rensho_free=True)


def counts(state, depth):
    """How many ways there are to go on for 1, 2, ... ``depth`` plays, or until a deal ends."""
    level, found = [state], []
    for _ in range(depth):
        level = [s.apply(s.to_act[0], action) for s in level if s.to_act for action in s.legal(s.to_act[0])]
        found.append(len(level))
    return found


def plain_counts(trump, hands, depth, ruleset):
    """The same, by lists of cards and docs/rules/kakeya.md#play word for word."""
    rensho = "AC" if trump == "S" and ruleset is not MEIJI else "AS"
    order = sorted(hands, reverse=ruleset.direction == "left")

    def strength(card, led):
        if card == rensho:
            return (3, 0)
        return (2 if card[1] == trump else 1 if card[1] == led else 0, "23456789TJQKA".index(card[0]))

    level, found = [({seat: text.split() for seat, text in hands.items()}, order[0], ())], []
    for _ in range(depth):
        following = []
        for held, seat, trick in level:
            suited = [card for card in held[seat] if trick and card[1] == trick[0][1][1]]
            if suited and ruleset.rensho_free and rensho in held[seat]:
                suited = [*{*suited, rensho}]
            for card in suited or held[seat]:
                left = {**held, seat: [other for other in held[seat] if other != card]}
                played = (*trick, (seat, card))
                to_play, led = order[(order.index(seat) + 1) % 4], played[0][1][1]
                if len(played) == 4:
                    to_play = max(played, key=lambda play, led=led: strength(play[1], led))[0]
                    played = ()
                following.append((left, to_play, played))
        level = following
        found.append(len(level))
    return found


@pytest.mark.parametrize(
    ("trump", "hands", "ruleset", "expected"),
    [
        pytest.param("S", ONE_SUIT, PLAIN, [2, 4, 8, 16, 16, 16, 16, 16], id="two-cards-of-one-suit"),
        pytest.param(
            "H", ONE_SUIT_EACH, PLAIN, [3, 9, 27, 81, 162, 324, 648, 1296, 1296], id="nobody-can-follow"
        ),
        pytest.param("S", RENSHO_FORCED, PLAIN, [2, 2, 4, 8, 8, 8, 8, 8], id="rensho-is-forced-out"),
        pytest.param("S", DISCARDS, PLAIN, [2, 4, 6, 12, 12, 12, 12, 12], id="some-can-follow"),
        pytest.param("S", RENSHO_FREE, PLAIN, [2, 2, 4, 8, 8, 8, 8, 8], id="rensho-cannot-leave"),
        pytest.param("S", RENSHO_FREE, FREE, [2, 4, 8, 16, 16, 16, 16, 16], id="rensho-may-leave"),
    ],
)
def test_known_counts(trump, hands, ruleset, expected):
    assert counts(position(trump, hands, ruleset=ruleset), len(expected)) == expected


KINDS = {
    "kakeya4": PLAIN,
    "to-the-left": PLAIN.replace(direction="left"),
    "rensho-free": FREE,
    "etori.simple": SIMPLE.replace(early_stop=False),
    "etori.meiji": MEIJI,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("trump", "SHDC")
@pytest.mark.parametrize(
    "hands", [MIXED, ONE_SUIT_EACH, DISCARDS], ids=["mixed", "one-suit-each", "discards"]
)
@pytest.mark.parametrize("ruleset", KINDS.values(), ids=KINDS)
def test_counts_of_a_plain_reading(trump, hands, ruleset):
    if ruleset.trump_fixed:
        trump = ruleset.trump_fixed
    depth = 4 * len(hands[1].split())
    leader = 1 if ruleset.direction == "right" else 4
    found = counts(position(trump, hands, leader, ruleset), depth)
    assert found == plain_counts(trump, hands, depth, ruleset)


@pytest.mark.parametrize("trump", "SHDC")
@pytest.mark.parametrize("direction", ["right", "left"])
@pytest.mark.parametrize("six", [SIX, SIMPLE6.replace(early_stop=False)], ids=["kakeya6", "etori.simple6"])
def test_counts_with_a_pair_at_rest(trump, direction, six):
    ruleset = six.replace(direction=direction)
    trump = ruleset.trump_fixed or trump
    hands = dict(zip((1, 2, 4, 5), MIXED.values(), strict=True))
    leader = 1 if direction == "right" else 5
    found = counts(position(trump, hands, leader, ruleset), 12)
    assert found == plain_counts(trump, hands, 12, ruleset)


def test_an_early_stop_cuts_the_tree_where_the_pictures_end():
    """Seat 2's two pictures are the last ones; once both have fallen nothing is left to count."""
    hands = {1: "2H 3D 4D", 4: "3H 6D 7D", 3: "4H 8D 9D", 2: "KH QD 5H"}
    gone = " ".join(r + s for r in "AKQJ" for s in "SHDC" if r + s not in ("KH", "QD"))
    trees = {}
    for early_stop in (False, True):
        ruleset = SIMPLE.replace(early_stop=early_stop)
        trees[early_stop] = counts(position("S", hands, 2, ruleset, captured=(gone, "")), 12)
    assert trees[False][:8] == trees[True][:8]
    assert 0 < trees[True][8] < trees[False][8]
    assert trees[False] == plain_counts_of(hands, 2, ruleset)


def plain_counts_of(hands, leader, ruleset):
    """``plain_counts`` with another leader: the order of turns begins there."""
    order = [leader, *(s for s in (4, 3, 2, 1) if s < leader), *(s for s in (4, 3, 2, 1) if s > leader)]
    renamed = {place: hands[seat] for place, seat in zip((4, 3, 2, 1), order, strict=True)}
    return plain_counts("S", renamed, 12, ruleset)
