"""Playouts by rules, and searches over worlds: legal, the same compiled or not, and right where it is known.

Source: docs/rules/kakeya.md#play.
"""

import importlib.util
import random
import sys
from pathlib import Path

import pytest

from engine.cards import KAKEYA_PACK
from engine.kernel import (
    KernelError,
    Position,
    Searched,
    legal_cards,
    play,
    playing,
    playout_line,
    playouts,
    playouts_by_card,
    replayed,
    search_cards,
    search_deal,
    searching,
)
from tests.engine.games.kakeya.positions import KAKEYA
from tests.engine.kernel.positions import some_position
from tests.refusals import refusal

NUMBER = {card: number for number, card in enumerate(KAKEYA_PACK.cards)}
RISING = tuple(range(-8, 9))


def drawn(rng, cards):
    """A position of any preset after so many random cards."""
    return some_position(rng, cards, rng.choice(sorted(KAKEYA.presets)))


def worlds_of(position, rng, n):
    """Worlds of the player in turn, drawn without a look at who followed suit."""
    others = [place for place in range(4) if place != position.turn]
    cards = [card for card in range(52) if any(position.hands[place] >> card & 1 for place in others)]
    found = []
    for _ in range(n):
        rng.shuffle(cards)
        hands, rest = list(position.hands), list(cards)
        for place in others:
            size = position.hands[place].bit_count()
            hands[place] = sum(1 << card for card in rest[:size])
            rest = rest[size:]
        found.append(position._replace(hands=tuple(hands)))
    return found


def best_value(position):
    """What side 0 gets if all see all hands and play best."""
    cards = legal_cards(position)
    if not cards:
        return position.values[position.captured[0]]
    values = [best_value(play(position, card)) for card in cards]
    return min(values) if position.turn % 2 else max(values)


def test_playouts_by_rules_are_legal_and_bring_what_the_rules_of_the_kernel_say():
    rng = random.Random(1)
    for cards in range(52):
        start = drawn(rng, cards)
        for number in range(3):
            line, taken = playout_line(start, 5, number, "rules")
            assert len(line) == 52 - cards
            _, _, replayed_taken = replayed(start, line)
            assert taken == replayed_taken


def ending(trumps, turn, trick, *hands):
    """A position before the end, without values of interest but that they rise."""
    masks = [KAKEYA_PACK.mask(hand.split()) for hand in hands]
    pictures = sum(card[0] in "JQKA" for hand in hands for card in hand.split())
    pictures += sum(card[0] in "JQKA" for card in trick.split())
    taken = (16 - pictures) // 2
    return Position(
        hands=tuple(masks),
        trump="SHDC".index(trumps),
        rensho=NUMBER["AC" if trumps == "S" else "AS"],
        is_free=False,
        turn=turn,
        trick=tuple(NUMBER[card] for card in trick.split()),
        captured=(taken, 16 - pictures - taken),
        values=RISING,
    )


@pytest.mark.parametrize(
    ("position", "card"),
    [
        # Fourth hand: a picture for the partner who wins, the cheapest winner, the lowest to a lost trick.
        (ending("S", 3, "3H AH 4H", "5H 6D", "7H 8D", "9H TD", "2H QH 2C"), "QH"),
        (ending("S", 3, "KH 3H 4H", "5H 6D", "7H 8D", "9H TD", "2S 9S AS"), "2S"),
        (ending("S", 3, "AH 3H 4H", "5H 6D", "7H 8D", "9H TD", "2H QH KH"), "2H"),
        # Rensho stays where there is nothing to win.
        (ending("S", 3, "5H 3H 4H", "6H JD", "7H QD", "8H KD", "AC 2D 3D"), "2D"),
    ],
)
def test_players_by_rules_know_their_trade(position, card):
    for number in range(20):
        assert playout_line(position, 1, number, "rules")[0][0] == NUMBER[card]


def test_by_rules_players_do_better_than_at_random():
    rng = random.Random(2)
    start = some_position(rng)
    taken = 0
    for number in range(120):
        position, line = start, playout_line
        while legal_cards(position):
            policy = "rules" if position.turn % 2 == 0 else "random"
            position = play(position, line(position, number, 1, policy)[0][0])
        taken += position.captured[0]
        start = some_position(rng) if number % 12 == 11 else start
    assert taken > 120 * 9


def as_plain_python(name, monkeypatch):
    """A module of the kernel uncompiled."""
    source = Path(__file__).resolve().parents[3] / "engine" / "kernel" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"engine.kernel.{name}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, f"engine.kernel.{name}", module)
    return module


def test_compiled_and_plain_code_give_the_same_numbers(monkeypatch):
    assert search_deal.__file__.endswith(".so"), "make setup compiles it"
    rng = random.Random(3)
    starts = [drawn(rng, 4 * rng.randrange(13)) for _ in range(7)]
    worlds = [worlds_of(start, rng, 5) for start in starts]
    for _ in range(3):
        starts.append(drawn(rng, 4 * rng.randrange(13) + 1 + rng.randrange(3)))
        worlds.append([starts[-1]] * 2)

    def numbers():
        for seed, (start, alike) in enumerate(zip(starts, worlds, strict=True), 1 << 63):
            yield playouts(start, 5, seed, policy="rules"), playout_line(start, seed, 2**40, "rules")
            yield playouts_by_card(alike, 1, seed, "rules")
            yield search_cards(alike, seed, 60), search_cards(alike, seed, 90, policy="random")

    compiled = list(numbers())
    deal = as_plain_python("playing_deal", monkeypatch)
    monkeypatch.setattr(playing, "PlayoutDeal", deal.PlayoutDeal)
    monkeypatch.setattr(searching, "SearchTree", as_plain_python("search_deal", monkeypatch).SearchTree)
    monkeypatch.setattr(searching, "_idle_trees", [])
    assert list(numbers()) == compiled


def test_a_search_of_one_world_finds_the_best_card():
    rng = random.Random(4)
    for _ in range(30):
        position = drawn(rng, 40)._replace(values=RISING)
        found = search_cards([position], 1, 4000, policy=rng.choice(["random", "rules"]))
        card = max(found, key=lambda card: found[card].visits)
        assert best_value(play(position, card)) == best_value(position)
        assert sum(results.visits for results in found.values()) == 4000


def test_what_is_forced_needs_no_choice_and_what_is_over_has_no_card():
    last = drawn(random.Random(5), 51)
    card = legal_cards(last)[0]
    over = play(last, card)
    value = over.values[over.captured[0]]
    assert search_cards([last], 1, 10) == {card: Searched(10, 10 * value)}
    assert search_cards([over], 1, 10) == {}


def test_cards_that_are_alike_are_searched_as_the_lowest():
    position = ending(
        "S", 0, "", "2H 3H 5H JH QH AC", "4H 6D 7D 8D 9D TD", "6H 2C 3C 4C 5C 6C", "7H 2D 3D 4D 5D KH"
    )
    names = [KAKEYA_PACK.cards[card] for card in search_cards([position], 1, 50)]
    assert names == ["2H", "5H", "JH", "AC"]


def test_a_full_tree_is_searched_on():
    rng = random.Random(6)
    worlds = worlds_of(some_position(rng), rng, 20)
    n = search_deal.MAX_NODES + 5000
    found = search_cards(worlds, 1, n, policy="random", exploration=3)
    assert sum(results.visits for results in found.values()) == n


def test_a_search_ends_by_its_time():
    rng = random.Random(7)
    worlds = worlds_of(some_position(rng), rng, 20)
    found = search_cards(worlds, 1, seconds=0.001)
    visits = sum(results.visits for results in found.values())
    assert visits > 0
    assert visits % searching.POLL_INTERVAL == 0


def test_impossible_searches_are_refused():
    rng = random.Random(8)
    position = some_position(rng)
    worlds = worlds_of(position, rng, 2)
    for arguments, message in (
        ({}, "give simulations or seconds"),
        ({"simulations": 0}, "simulations.*0"),
        ({"simulations": 1 << 23}, "simulations.*8388608"),
        ({"seconds": 0}, "0 seconds"),
        ({"simulations": 1.5}, "simulations.*1.5"),
        ({"simulations": True}, "simulations.*True"),
        ({"seconds": 10**400}, "seconds.*1000.*"),
        ({"seconds": "x"}, "'x'"),
        ({"simulations": 1, "exploration": -1}, "exploration -1"),
        ({"simulations": 1, "exploration": "x"}, "exploration 'x'"),
        ({"simulations": 1, "exploration": float("nan")}, "exploration nan"),
        ({"simulations": 1, "policy": "best"}, "'best'"),
    ):
        with pytest.raises(KernelError, match=message):
            search_cards(worlds, 1, **arguments)
    assert "seed" in str(refusal(KernelError, search_cards, worlds, -1, 1))
    assert "no positions" in str(refusal(KernelError, search_cards, [], 1, 1))
    assert "positions" in str(refusal(KernelError, search_cards, None, 1, 1))
    assert "not a Position: None" in str(refusal(KernelError, search_cards, [position, None], 1, 1))
    with pytest.raises(KernelError, match=r"seed.*0\.5"):
        search_cards(worlds, 0.5, 1)
    assert "4097 positions" in str(refusal(KernelError, search_cards, [position] * 4097, 1, 1))
    with pytest.raises(KernelError, match="position 1 differs"):
        search_cards([position, position._replace(captured=(1, 0))], 1, 1)
    first, second, third, fourth = position.hands
    swapped = position._replace(hands=(first, second, third, fourth), values=(0,) * 16)
    assert "values" in str(refusal(KernelError, search_cards, [position, swapped], 1, 1))
