"""Cards, swaps, eight seats, dealers.

Source: docs/rules/common.md#seeded-dealing; docs/rules/kakkuri.md#players-stones-dealer, #deal, #fuwaru,
#looking, T78, T80.
"""

from collections import Counter

import pytest

from engine import Board, IllegalAction, NotationError
from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.deal import drawn_dealer
from engine.games.kakkuri.melds import card_values
from engine.shuffle import shuffled
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN
from tests.engine.games.kakkuri.positions import board_with, deck_for, play_out
from tests.refusals import refusal

HANDS = {1: "3S 4S 5S 6S 7S 8S", 2: "3H 4H 5H 6H 7H 8H", 3: "3D 4D 5D 6D 7D 8D"}


def events(state):
    return [event.recorded() for event in state.happened_since(None)]


def test_T80_a_known_deck_is_dealt_in_packets_of_three():
    state = KAKKURI.start(LEAGUE.replace(seats=4), Board("deal", 1, "demo"))
    hands = {seat: set(state.observe(seat)["hand"]) for seat in (1, 2, 3, 4)}
    assert hands[2] == {"KS", "AC", "4C", "7S", "5S", "8S"}
    assert hands[1] == {"KH", "9H", "QS", "JS", "4D", "9S"}
    seen = state.observe(1)
    assert (seen["dealer"], seen["turned"], seen["follow"], seen["box_size"]) == (1, ["JC"], 10, 23)


@pytest.mark.parametrize(("seats", "box"), [(2, 36), (3, 30), (4, 24), (5, 18), (6, 12), (7, 6), (8, 6)])
def test_the_box_is_what_is_left(seats, box):
    state = KAKKURI.start(LEAGUE.replace(seats=seats, stones=1), Board("deal", 2, "box"))
    assert state.observe(1)["box_size"] == box - 1


@pytest.mark.parametrize("seats", range(2, 9))
def test_the_dealer_follows_from_the_number_of_a_deal_board(seats):
    ruleset = PLAIN.replace(seats=seats)
    dealers = [
        KAKKURI.start(ruleset, Board("deal", n, "x")).observe(1)["dealer"] for n in range(1, 2 * seats + 1)
    ]
    assert dealers == list(range(1, seats + 1)) * 2


class TestFuwaru:
    """Source: docs/rules/kakkuri.md#fuwaru."""

    def start(self, number=1):
        return KAKKURI.start(PLAIN.replace(seats=3), board_with(HANDS, number, "JS"))

    def hands(self, state):
        return [" ".join(state.observe(seat)["hand"]) for seat in (1, 2, 3)]

    def test_T78_hands_travel(self):
        state = play_out(self.start(), "2:SWAP 3:SWAP")
        assert self.hands(state) == [HANDS[3], HANDS[1], HANDS[2]]

    @pytest.mark.parametrize(
        ("answers", "hands"), [("2:KEEP 3:KEEP", "123"), ("2:SWAP 3:KEEP", "213"), ("2:KEEP 3:SWAP", "321")]
    )
    def test_one_swap_or_none(self, answers, hands):
        assert self.hands(play_out(self.start(), answers)) == [HANDS[int(seat)] for seat in hands]

    def test_everybody_but_the_dealer_is_asked_once_from_the_dealers_right(self):
        state, asked = self.start(number=2), []
        while state.phase == "fuwaru":
            asked += state.to_act
            assert state.legal(state.to_act[0]) == ("SWAP", "KEEP")
            state = state.apply(state.to_act[0], "KEEP")
        assert (asked, state.phase, state.to_act) == ([3, 1], "turn", (2,))

    def test_nobody_sees_a_card_before_the_last_answer(self):
        state = self.start()
        for _ in (2, 3):
            for seat in (1, 2, 3):
                seen = state.observe(seat)
                assert (seen["hand"], seen["turned"], seen["follow"], seen["last"]) == ([], [], None, None)
                assert seen["hand_sizes"] == {"1": 6, "2": 6, "3": 6}
                visible = str(seen) + str(state.events_since(None, seat))
                assert not [card for card in KAKKURI_PACK.cards if f"'{card}'" in visible]
            state = state.apply(state.to_act[0], "SWAP")
        assert state.observe(1)["hand"]

    def test_nothing_else_can_be_answered(self):
        assert "SWAP, KEEP" in str(refusal(IllegalAction, self.start().apply, 2, "PASS"))
        assert "turn" in str(refusal(IllegalAction, self.start().apply, 3, "KEEP"))

    def test_three_aces_win_after_the_swaps(self):
        hands = {**HANDS, 1: "AS AH AD 6S 7S 8S"}
        start = KAKKURI.start(PLAIN.replace(seats=3), board_with(hands, 1, "JS"))
        assert play_out(start, "2:KEEP 3:SWAP").outcome().stones == {1: -3, 2: -3, 3: 6}
        assert play_out(start, "2:SWAP 3:SWAP").outcome().stones == {1: -3, 2: 6, 3: -3}


class TestEightSeats:
    """Source: docs/rules/kakkuri.md#looking, D28, D29."""

    def start(self, holder, number=1, ruleset=LEAGUE):
        hands = {seat: "3C KS" if seat == holder else "" for seat in range(1, 9)}
        return KAKKURI.start(ruleset.replace(seats=8), board_with(hands, number, seed="eight"))

    def test_the_hand_with_the_three_of_clubs_becomes_the_box(self):
        state = self.start(holder=5)
        deal, out, turned = events(state)
        assert len(deal["box8"]) == 6
        assert {"3C", "KS"} <= set(deal["box8"])
        assert (out, turned) == ({"e": "out", "seat": 5}, {"e": "turned", "card": deal["box8"][0]})

    def test_the_box_is_shuffled_by_its_own_label_from_canonical_order(self):
        deal = events(self.start(holder=5))[0]
        cards = [card for card in KAKKURI_PACK.cards if card in deal["box8"]]
        assert deal["box8"] == list(shuffled(cards, "jcg1|kakkuri|eight|1|box8"))

    def test_only_the_record_learns_the_box(self):
        state = self.start(holder=5)
        for seat in range(1, 9):
            assert state.events_since(None, seat)[0] == {"e": "deal", "deal": 1, "dealer": 1}

    def test_the_next_seat_begins_when_the_dealer_is_out(self):
        state = self.start(holder=3, number=3)
        seen = state.observe(1)
        assert (state.to_act, seen["dealer"], seen["last"], seen["out"]) == ((4,), 3, 4, [3])

    def test_who_is_out_is_asked_nothing_and_pays_nothing(self):
        state = self.start(holder=5)
        while state.to_act:
            (seat,) = state.to_act
            assert seat != 5
            legal = state.legal(seat)
            state = state.apply(seat, legal[-1] if "@" in legal[-1] else legal[0])
        assert state.outcome().stones[5] == 0

    def test_swaps_come_before_and_ask_everybody(self):
        state = self.start(holder=5, ruleset=PLAIN)
        assert state.observe(1)["box_size"] == 0
        state = play_out(state, "2:KEEP 3:KEEP 4:KEEP 5:SWAP 6:KEEP 7:KEEP 8:KEEP")
        assert (state.observe(1)["out"], state.to_act) == ([1], (2,))
        assert events(state)[0]["box8"]

    def test_the_three_of_clubs_puts_nobody_out_of_seven(self):
        hands = {seat: "3C" if seat == 5 else "" for seat in range(1, 8)}
        state = KAKKURI.start(LEAGUE, board_with(hands))
        assert state.observe(1)["out"] == []
        assert "box8" not in events(state)[0]


class TestFirstDealer:
    """Source: docs/rules/kakkuri.md#players-stones-dealer, D24."""

    def dealers(self, boards=400, **options):
        ruleset = PLAIN.replace(seats=4, **options)
        return [KAKKURI.start(ruleset, Board("game", 1, str(n))).observe(1)["dealer"] for n in range(boards)]

    @pytest.mark.parametrize("first_dealer", ["random", "draw"])
    def test_every_seat_deals_about_as_often(self, first_dealer):
        counts = Counter(self.dealers(first_dealer=first_dealer))
        assert sorted(counts) == [1, 2, 3, 4]
        assert min(counts.values()) > 60

    def test_the_two_ways_differ(self):
        assert self.dealers(first_dealer="random") != self.dealers(first_dealer="draw")

    @pytest.mark.parametrize(
        ("cards", "dealer"),
        [
            pytest.param("3S KS 5S", 2, id="highest"),
            pytest.param("KS 3S KH", 2, id="of-several-highest-who-drew-the-lowest"),
            pytest.param("KS KH 3S 4S 5S", 3, id="lowest-among-all"),
            pytest.param("KS KH AS AH | 5S 6S 7S 8S", 4, id="all-again"),
            pytest.param("KS KH | KD KC | 4S 3S", 1, id="and-again"),
        ],
    )
    def test_the_draw(self, cards, dealer):
        class Drawn:
            """Draws the cards it is told to."""

            def __init__(self, rounds):
                self.rounds = [text.split() for text in rounds.split("|")]
                self.left = []

            def below(self, n):
                if n == len(KAKKURI_PACK):
                    self.left, self.cards = list(KAKKURI_PACK.cards), self.rounds.pop(0)
                assert n == len(self.left)
                at = self.left.index(self.cards.pop(0))
                self.left.pop(at)
                return at

        seats = len(cards.split("|")[0].split())
        assert drawn_dealer(Drawn(cards), seats, card_values("JQK")) == dealer


def test_a_given_deck_must_be_whole():
    deck = list(deck_for(HANDS, 1))
    with pytest.raises(NotationError, match="is missing"):
        KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 1, "x", ((*deck[:-1], deck[0]),)))
