"""The sensible policy of Kakkuri's playouts, and the search that plays deals out by it.

Source: docs/rules/kakkuri.md#what-may-follow, #turns.
"""

import importlib.util
import random
from math import comb
from pathlib import Path

import pytest

from bots.sdk import KakkuriHand, card_values
from engine import Board
from engine.cards import KAKKURI_PACK
from engine.kernel import shedding, shedding_searching
from engine.kernel.limits import Limits
from engine.kernel.position import KernelError
from engine.kernel.shedding import shedding_line, shedding_playouts_by_action, shedding_replayed
from engine.kernel.shedding_position import shedding_position_of
from engine.kernel.shedding_searching import (
    SheddingTried,
    shedding_kind,
    shedding_margins,
    shedding_search,
)
from tests.engine.games.kakkuri.games import KAKKURI, PLAIN
from tests.engine.games.kakkuri.positions import board_with
from tests.engine.kernel.shedding_states import drawn_states
from tests.refusals import refusal

KERNEL = Path(__file__).resolve().parents[3] / "engine" / "kernel"
LEAGUE = KAKKURI.presets["kakkuri.league"]


def plain(name):
    """A module of the kernel as plain Python."""
    spec = importlib.util.spec_from_file_location(
        f"engine.kernel.{name}_as_plain_python", KERNEL / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def twins():
    """The plain classes SheddingDeal and DealWalk."""
    deal, walk = plain("shedding_deal"), plain("shedding_walk")
    deal.HandPlans = plain("shedding_plan").HandPlans
    return deal.SheddingDeal, walk.DealWalk


def turns(seed, count):
    return [state for state in drawn_states(seed, count) if state.phase == "turn"]


def test_the_policy_takes_legal_actions_under_every_option():
    for number, state in enumerate(drawn_states("policy", 400)):
        start = shedding_position_of(state)
        actions, stones = shedding_line(start, 1, number, "rules")
        _, result = shedding_replayed(start, actions)
        assert result == stones


def test_the_policy_goes_out_when_it_can():
    found = 0
    for state in turns("out", 1500):
        (seat,) = state.to_act
        seen, ruleset = state.observe(seat), state.deal.setting.ruleset
        if seat in seen["sansoku"] or not any("@" in action for action in state.legal(seat)):
            continue
        search = KakkuriHand(card_values(ruleset.court_order), is_wild_reset=ruleset.wild_mode == "reset")
        is_free = seen["return_turn"] and not seen["box_size"] and not seen["turned_this_turn"]
        follow = 12 if is_free and not seen["played_this_turn"] else seen["follow"]
        if search.can_go_out(search.key(seen["hand"]), follow):
            actions, stones = shedding_line(shedding_position_of(state), 1, 1, "rules")
            assert all("@" in action for action in actions)
            assert stones[seat] == max(stones) > 0
            found += 1
    assert found > 30


def test_the_policy_keeps_a_wild_card_for_the_gap_that_it_closes():
    hand = "3S 4H 6D 7C 8H AC"
    state = KAKKURI.start(LEAGUE.replace(seats=2), board_with({1: hand, 2: ""}, box="2S"))
    actions, stones = shedding_line(shedding_position_of(state), 1, 1, "rules")
    assert actions == ("3S@3", "4H@4", "AC@5", "6D@6", "7C@7", "8H@8")
    assert stones == (0, 2, -2)


def test_the_policy_beats_random_players():
    """Every seat in turn against random ones: worth the stones that guri and going out bring."""
    won = 0
    for number in range(60):
        state = KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", number + 1, "beats"))
        rng = random.Random(number)
        while state.to_act:
            (seat,) = state.to_act
            action = rng.choice(state.legal(seat))
            if seat == 1:
                action = shedding_line(shedding_position_of(state), 1, 1, "rules")[0][0]
            state = state.apply(seat, action)
        won += state.outcome().stones[1]
    assert won > 40


def test_a_search_compares_with_the_policys_own_action():
    for number, state in enumerate(turns("search", 60)):
        start = shedding_position_of(state)
        own = shedding_line(start, 1, 1, "rules")[0][0]
        found = shedding_search([start] * 2, 20, number, [(seat, 5) for seat in state.observe(1)["active"]])
        assert next(iter(found)) == own
        assert set(found) <= set(state.legal(state.to_act[0]))
        assert found[own] == SheddingTried(20, found[own].total, 0, 0)
        assert all(1 <= tried.n <= 20 for tried in found.values())
        assert all(tried.margin == 0 for tried in found.values()) or found[own].lead(1.0) == 0.0


def test_of_like_actions_the_search_tries_the_first():
    state = KAKKURI.start(LEAGUE.replace(seats=2), board_with({1: "4H 4D 4S 9S JD KC", 2: ""}, box="3S"))
    found = shedding_search([shedding_position_of(state)], 8, 1)
    assert sorted(found) == ["4S+4H+4D@4", "4S@4", "DROP", "PASS"]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_action_is_tried_however_few_the_deals(n):
    state = KAKKURI.start(
        LEAGUE.replace(seats=3), board_with({1: "4H 5D 6S 9S JD KC", 2: "", 3: ""}, box="KS")
    )
    found = shedding_search([shedding_position_of(state)] * 8, n, 1)
    assert len(found) > 4
    assert all(1 <= tried.n <= n for tried in found.values())
    assert max(found, key=lambda action: found[action].lead(1.0)) in found


def test_margins_between_two_actions_are_those_of_a_search_that_has_no_others():
    compared = 0
    for number, state in enumerate(turns("margins", 120)):
        start, passes = shedding_position_of(state), state.observe(state.to_act[0])["passes"]
        found = shedding_search([start], 30, number, passes)
        if len(found) == 2:
            own, other = found
            assert shedding_margins([start], other, own, 30, number, passes) == [found[other]]
            assert shedding_margins([start], own, own, 30, number, passes) == [
                SheddingTried(30, found[own].total, 0, 0)
            ]
            compared += 1
    assert compared > 5


def test_margins_are_kept_apart_by_position_and_change_sign_with_the_actions():
    state = KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 3, "margins"))
    start = shedding_position_of(state)
    action, other = "PASS", next(action for action in state.legal(state.to_act[0]) if "@" in action)
    forth = shedding_margins([start] * 3, action, other, 40, 5)
    back = shedding_margins([start] * 3, other, action, 40, 5)
    assert [tried.n for tried in forth] == [40] * 3
    assert len({tried.margin for tried in forth}) > 1
    assert [tried.margin for tried in forth] == [-tried.margin for tried in back]
    assert shedding_margins([start], action, other, 40, 5) == forth[:1]


def test_limits_leave_out_positions_whose_deals_are_not_complete():
    class Cancel:
        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > 2

    state = KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 3, "margins"))
    start, legal = shedding_position_of(state), state.legal(state.to_act[0])
    every = shedding_margins([start] * 6, legal[0], legal[1], 2, 5)
    assert (
        shedding_margins([start] * 6, legal[0], legal[1], 2, 5, limits=Limits(cancel=Cancel())) == every[:3]
    )


@pytest.mark.parametrize(
    ("action", "other", "are_equal"),
    [
        ("PASS", "PASS", True),
        ("PASS", "DROP", False),
        ("4H@4", "4D@4", True),
        ("4H@4", "5H@5", False),
        ("AC@4", "2D@4", True),
        ("AC@4", "4H@4", False),
        ("4S+4H+4D@4", "4S+4H+4C@4", True),
        ("4S+4H+AC@4", "4S+4H+4C@4", False),
        ("4S+4H@4", "4S@4", False),
    ],
)
def test_actions_are_of_one_kind_if_they_differ_only_in_suits(action, other, are_equal):
    assert (shedding_kind(action) == shedding_kind(other)) is are_equal


def test_a_search_without_hidden_cards_is_the_playout_of_each_action():
    """When nothing can change places the deal stays what it is."""
    for state in turns("open", 40):
        start = shedding_position_of(state)
        others = [
            seat for seat in range(1, len(start.hands)) if start.active >> seat & 1 and seat != start.seat
        ]
        if len(others) == 1 and not start.box:
            found = shedding_search([start], 1, 1)
            direct = shedding_playouts_by_action([start], 1, 1, "rules")
            for action, tried in found.items():
                assert tried.total == direct[action].totals[start.seat]


def walked(walk_class, deal_class, start, passes, n):
    """Hands and box of deals on the way from this one, by a plain walk."""
    walk = walk_class(deal_class(*shedding._meld_tables(start.rules), start.rules))
    walk.load(start, passes)
    for number in range(n):
        walk.run(0, 0, number, 1, 7)
        deal = walk.deal
        yield tuple(deal.hands_0[: deal.seats + 1]), tuple(deal.box[: deal.box_size])


def test_a_walk_moves_hidden_cards_and_no_others(twins):
    deal_class, walk_class = twins
    for state in turns("walk", 25):
        start = shedding_position_of(state)
        for hands, box in walked(walk_class, deal_class, start, [], 4):
            assert hands[start.seat] == start.hands[start.seat]
            assert [hand.bit_count() for hand in hands] == [hand.bit_count() for hand in start.hands]
            assert sum(hands) + sum(1 << card for card in box) == sum(start.hands) + sum(
                1 << card for card in start.box
            )
            for seat in range(1, len(hands)):
                if start.sansoku >> seat & 1:
                    assert hands[seat] == start.hands[seat]
            if len(start.hands) == 9:
                assert (KAKKURI_PACK.cards.index("3C") in box) == (
                    KAKKURI_PACK.cards.index("3C") in start.box
                )


def test_who_passed_holds_what_fitted_as_seldom_as_the_walk_says(twins):
    deal_class, walk_class = twins
    own = "AS 2S 3S 4S 5S 6S"
    start = shedding_position_of(
        KAKKURI.start(LEAGUE.replace(seats=3), board_with({1: own, 2: "", 3: ""}, box="9S"))
    )
    fitting = KAKKURI_PACK.mask(["KH", "KD", "KC", "KS", "QH", "QD"])
    hidden, held = 48 - 6 - 1, 6
    lacks = comb(hidden - 6, held) / comb(hidden, held)
    weighed = (1 - lacks) * 0.08 / ((1 - lacks) * 0.08 + lacks)
    for passes, expected in (([], 1 - lacks), ([(2, fitting)], weighed)):
        n = 2500
        holds = sum(hands[2] & fitting != 0 for hands, _ in walked(walk_class, deal_class, start, passes, n))
        assert abs(holds / n - expected) < 0.05


@pytest.mark.parametrize(
    ("value", "ranks"), [(1, "A2"), (2, "23"), (5, "6"), (9, "J"), (11, "K"), (12, "A23456789JQK")]
)
def test_what_fitted_is_every_card_of_a_value_that_follows_but_no_wild(value, ranks):
    start = shedding_position_of(KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 1, "fitting")))
    cards = {rank + suit for rank in ranks for suit in "SHDC"} - {"AC", "2D"}
    assert shedding_searching._fitting_cards(start.rules)[value] == KAKKURI_PACK.mask(sorted(cards))


def test_compiled_and_plain_searches_give_the_same_numbers(twins, monkeypatch):
    states = turns("search twin", 12)
    positions = [shedding_position_of(state) for state in states]

    def numbers():
        for number, start in enumerate(positions):
            yield shedding_line(start, 1, number, "rules")
            yield shedding_search([start], 4, number, [(1, 3), (2, 7)])
            legal = shedding.shedding_legal(start)
            yield shedding_margins([start] * 2, legal[-1], legal[0], 3, number, [(1, 3), (2, 7)])

    compiled = list(numbers())
    monkeypatch.setattr(shedding, "SheddingDeal", twins[0])
    monkeypatch.setattr(shedding_searching, "DealWalk", twins[1])
    assert list(numbers()) == compiled


def test_what_a_search_cannot_do_is_refused_by_name():
    swapping = shedding_position_of(KAKKURI.start(PLAIN.replace(seats=3), Board("deal", 1, "refused")))
    start = shedding_position_of(KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 1, "refused")))
    assert "looked" in str(refusal(KernelError, shedding_search, [swapping], 1, 1))
    assert "no positions" in str(refusal(KernelError, shedding_search, [], 1, 1))
    with pytest.raises(KernelError, match="position 1 differs"):
        shedding_search([start, start._replace(follow=start.follow % 12 + 1)], 1, 1)
    assert "n " in str(refusal(KernelError, shedding_search, [start], 0, 1))
    assert "n " in str(refusal(KernelError, shedding_margins, [start], "PASS", "PASS", 0, 1))
    assert "'KEEP'" in str(refusal(KernelError, shedding_margins, [start], "PASS", "KEEP", 1, 1))
    assert "looked" in str(refusal(KernelError, shedding_margins, [swapping], "SWAP", "KEEP", 1, 1))
    assert "'best'" in str(refusal(KernelError, shedding_line, start, 1, 1, "best"))


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        (None, "passes.*NoneType"),
        ("ab", "passes.*'a'"),
        ((2, "a"), "passes.*2"),
        ([(2, "a")], r"passes.*\(2, 'a'\)"),
        ([(2, 1.0)], r"passes.*\(2, 1.0\)"),
        ([(2, 13)], r"passes.*\(2, 13\)"),
        ([(2, 0)], r"passes.*\(2, 0\)"),
        ([[2, -1]], r"passes.*\[2, -1\]"),
        ([(-1, 5)], r"passes.*\(-1, 5\)"),
        ([(99, 5)], r"passes.*\(99, 5\)"),
    ],
)
def test_passes_that_cannot_be_are_refused(passes, message):
    start = shedding_position_of(KAKKURI.start(LEAGUE.replace(seats=3), Board("deal", 1, "passes")))
    with pytest.raises(KernelError, match=message):
        shedding_search([start], 1, 1, passes)
    assert shedding_search([start], 1, 1, [[2, 12], [3, 1]])
