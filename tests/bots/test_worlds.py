"""Hidden hands for searches: drawn uniformly from what is possible; states that play on like the real one."""

import json
import random
from collections import Counter
from itertools import combinations
from math import comb, perm, sqrt

import pytest

from bots.sdk import KakeyaView, WorldError, determinize, state_from, view_of
from engine import Board, game_named
from engine.cards import KAKEYA_PACK as KAKEYA_CARDS
from engine.cards import KAKKURI_PACK as KAKKURI_CARDS
from tests.bots.asking import kakkuri_position, position, request_for
from tests.strategies import SHORT_PRESETS, shortened

OPTIONS = [
    ("kakeya4", {"rensho_free": True}),
    ("kakeya4", {"lead_protocol": "iku_koi", "trump_fixed": "H"}),
    ("kakeya6", {"trump_fixed": "S", "direction": "left"}),
    ("etori.meiji", {"meiji_trump": "turn_last"}),
    ("etori.meiji", {"meiji_trump": "random", "rensho_free": True}),
    ("etori.simple6", {"rensho_free": True, "debt": True}),
    ("kakkuri", {"seats": 8}),
    ("kakkuri", {"seats": 2, "pass_penalty": True, "box_empty": "dead"}),
    ("kakkuri", {"seats": 4, "wild_in_sansoku": True, "turn_forced": True}),
    ("kakkuri", {"seats": 3, "deal_pass": True, "pass_penalty": True, "hands": 4}),
    ("kakkuri", {"seats": 8, "deal_pass": True, "wild_mode": "reset"}),
    ("kakkuri", {"seats": 5, "court_order": "QJK", "dropped_pay": True}),
]
CASES = [
    *[pytest.param(game, ruleset, id=ruleset.preset) for game, ruleset in SHORT_PRESETS],
    *[
        pytest.param(
            game_named(preset.partition(".")[0].replace("etori", "kakeya").rstrip("46")),
            (preset, options),
            id=f"{preset}-{'-'.join(options)}",
        )
        for preset, options in OPTIONS
    ],
]


def true_hands(game, state, seat):
    """What really lies where; None where the cards are dealt only once it is known who deals."""
    if game.key == "kakeya":
        while state.phase == "trump":
            state = state.apply(state.to_act[0], "KEEP")
        return {s: KAKEYA_CARDS.listed(state.deal.hands[s] & state.unplayed) for s in state.deal.roles.active}
    if state.phase == "deal":
        return None
    deal, standing = state.deal, state.standing
    out = state.observe(seat)["out"]
    hands = {
        s: KAKKURI_CARDS.listed(mask & ~state.played)
        for s, mask in enumerate(standing.hands)
        if s and s not in out
    }
    if state.phase == "turn":
        hands[0] = deal.box[standing.turned :]
    elif deal.box8:
        hands = {s: deal.box8 if "3C" in cards else cards for s, cards in hands.items()}
    else:
        hands[0] = deal.box
    return hands


def told(state, previous):
    return [(event.kind, event.public) for event in state.happened_since(previous) if event.kind != "deal"]


def assert_alike(real, made, rng, *, steps):
    """Both show the same to all, and go on alike, until the deal is over or for so many decisions."""
    first, number = real, real.deal.number
    for _ in range(steps):
        if real.deal.number != number or not made.to_act:
            break
        for seat in real.to_act:
            assert made.observe(seat) == real.observe(seat)
        answers = [(seat, rng.choice(real.legal(seat))) for seat in real.to_act]
        before = real, made
        for seat, action in answers:
            real, made = real.apply(seat, action), made.apply(seat, action)
        events = told(made, before[1])
        assert events == told(real, before[0])[: len(events)]
    if not made.to_act:
        end = next(public for kind, public in told(real, first) if kind == "deal_end")
        assert {str(seat): stones for seat, stones in made.outcome().deals[0].items()} == end["stones"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset"), CASES)
def test_states_of_true_hands_play_on_like_the_real_ones_at_every_request(game, ruleset):
    if isinstance(ruleset, tuple):
        ruleset = shortened(game.ruleset(*ruleset))
    rng = random.Random(1)
    asked = 0
    for kind, number in (("deal", 1), ("deal", 4), ("game", 1)):
        state = game.start(ruleset, Board(kind, number, "worlds"))
        while state.to_act:
            answers = [(seat, rng.choice(state.legal(seat))) for seat in state.to_act]
            for seat, _ in answers:
                asked += 1
                view = view_of(request_for(state, seat, ruleset.as_dict()))
                drawn = state_from(view, determinize(view, rng))
                assert drawn.observe(seat) == view.observation
                assert json.loads(drawn.observe_text(seat)) == view.observation
                hands = true_hands(game, state, seat)
                if hands is not None:
                    made = state_from(view, hands)
                    assert_alike(state, made, rng, steps=1000 if asked % 9 == 0 else 4)
            for seat, action in answers:
                state = state.apply(seat, action)
    assert asked > 10


def distributions(cards, sizes):
    """Every way to lay these cards into hands of these sizes: a frozenset by place, as sorted items."""
    if not sizes:
        yield ()
        return
    (place, size), *rest = sizes
    for chosen in combinations(cards, size):
        left = [card for card in cards if card not in chosen]
        for others in distributions(left, rest):
            yield ((place, frozenset(chosen)), *others)


def drawn_counts(view, draws, own):
    rng = random.Random(5)
    counts = Counter()
    for _ in range(draws):
        hands = determinize(view, rng)
        counts[tuple(sorted((p, frozenset(cards)) for p, cards in hands.items() if p not in own))] += 1
    return counts


def assert_frequencies(view, weights, *, own, each=25):
    """Draws come as often as these weights say: no other ones, and chi-square within 4.5 deviations."""
    weights = {deal: weight for deal, weight in weights.items() if weight}
    total, draws = sum(weights.values()), each * len(weights)
    counts = drawn_counts(view, draws, own)
    assert set(counts) <= set(weights)
    expected = {deal: draws * weight / total for deal, weight in weights.items()}
    chi = sum((counts[deal] - mean) ** 2 / mean for deal, mean in expected.items())
    freedom = len(weights) - 1
    assert abs(chi - freedom) < 4.5 * sqrt(2 * freedom), (chi, freedom)


def ending_of(preset, options, seed, *, left):
    """A state with about ``left`` cards in each hand, of a board played at random."""
    game = game_named("kakeya")
    ruleset = game.ruleset(preset, options)
    rng = random.Random(seed)
    state = game.start(ruleset, Board("deal", 1 + seed, f"ending {seed}"))
    while state.to_act and (state.phase != "play" or 13 - len(state.tricks) > left):
        state = state.apply(state.to_act[0], rng.choice(state.legal(state.to_act[0])))
    for _ in range(seed % 4):
        state = state.apply(state.to_act[0], rng.choice(state.legal(state.to_act[0])))
    return game, ruleset, state


def is_consistent(state, hands):
    """Whether every card so far was legal with these hands, played again from the first trick."""
    deal = state.deal
    held = {seat: set(cards) for seat, cards in hands}
    order = deal.seating.order
    plays = []
    for leader, cards, _ in (*state.tricks, (None, state.trick, None)):
        if cards:
            if leader is None:
                leader = order[order.index(state.to_act[0]) - len(cards)]
            at = order.index(leader)
            plays.append([(order[(at + k) % 4], card) for k, card in enumerate(cards)])
    for trick in reversed(plays):
        for seat, card in trick:
            held[seat].add(card)
        led = trick[0][1][1]
        for seat, card in trick:
            is_free = deal.free and card == deal.rensho
            # Cards of this trick count, for each seat held its own when it played.
            if card[1] != led and not is_free and any(c[1] == led for c in held[seat]):
                return False
    return held


@pytest.mark.parametrize(
    ("preset", "options", "seed"),
    [
        ("kakeya4", {}, 1),
        ("kakeya4", {"rensho_free": True}, 2),
        ("kakeya6", {}, 3),
        ("etori.simple", {"rensho_free": True}, 6),
        ("etori.meiji", {"meiji_trump": "turn_last"}, 0),
        ("etori.meiji", {"meiji_trump": "turn_last"}, 9),
    ],
)
def test_every_possible_ending_of_kakeya_comes_as_often_as_it_is_dealt(preset, options, seed):
    _, ruleset, state = ending_of(preset, options, seed, left=3)
    seat = state.to_act[0]
    view = view_of(request_for(state, seat, ruleset.as_dict()))
    sizes = [(s, view.cards_left(s)) for s in view.active if s != seat]
    weights = {}
    for deal in distributions(sorted(view.unseen), sizes):
        held = is_consistent(state, [*deal, (seat, view.hand)])
        if held:
            last = state.deal.seating.by_pile[-1]
            turns = options.get("meiji_trump") == "turn_last" and last != seat
            weights[deal] = sum(card[1] == view.trump for card in held[last]) if turns else 1
    assert len(weights) > 5
    assert_frequencies(view, weights, own=(seat,))


def kakkuri_request(hands, box, actions, options):
    state = kakkuri_position(hands, box, actions, options=options)
    game = game_named("kakkuri")
    ruleset = game.ruleset("kakkuri.league", {"seats": len(hands), **options})
    return request_for(state, state.to_act[0], ruleset.as_dict())


@pytest.mark.parametrize("wild", [False, True])
def test_a_seat_that_declared_sansoku_holds_pairs_each_as_often(wild):
    """Two seats, of which the other has one pair left; every two unseen cards that are one."""
    options = {"wild_in_sansoku": wild}
    request = kakkuri_request(
        {1: "9S 9H JS JH 4S 5S", 2: "3S 3H 4H 4D 7S 7H"},
        "2S",
        "PASS SANSOKU 3S+3H@3 4H+4D@4 PASS",
        options,
    )
    view = view_of(request)
    declared = next(seat for seat in view.observation["sansoku"])
    unseen = sorted(view.unseen)
    pairs = {
        frozenset(two)
        for two in combinations(unseen, 2)
        if two[0][0] == two[1][0] or (wild and {*two} & {"2D", "AC"})
    }
    rng = random.Random(2)
    counts = Counter(frozenset(determinize(view, rng)[declared]) for _ in range(30 * len(pairs)))
    assert set(counts) <= pairs
    chi = sum((counts[pair] - 30) ** 2 / 30 for pair in pairs)
    assert abs(chi - len(pairs)) < 4.5 * sqrt(2 * len(pairs))


def test_nobody_holds_three_aces_that_would_have_won_at_once():
    """Seat 2 has played AS and AH; that it held AD as well is impossible, wherever else it lies."""
    request = kakkuri_request(
        {1: "9S 9H JS JH 4S 5S", 2: "AS AH 4D 7S 7H 8S"}, "KS", "PASS AS@1 AH@1 PASS", {}
    )
    view = view_of(request)
    rng = random.Random(2)
    held = Counter(
        place for _ in range(300) for place, cards in determinize(view, rng).items() if "AD" in cards
    )
    assert set(held) == {0}
    hands = determinize(view, rng)
    spoilt = {2: ("AD", *hands[2][1:]), 0: [hands[2][0] if c == "AD" else c for c in hands[0]]}
    with pytest.raises(WorldError, match=r"seat 2.*AS, AH, AD"):
        state_from(view, spoilt)


def test_three_aces_all_hidden_lie_anywhere_but_in_one_hand():
    request = kakkuri_request({1: "9S 9H JS JH 4S 5S", 2: "4H 4D 7S 7H 8S 9D"}, "KS", "", {})
    view = view_of(request)
    aces = {"AS", "AH", "AD"}
    sizes = {2: 6, 0: view.observation["box_size"]}
    ways = dict.fromkeys(range(3), 0)
    for k in ways:  # slots of seat 2 for k of the aces, of the box for the others
        ways[k] = comb(3, k) * perm(6, k) * perm(sizes[0], 3 - k)
    rng = random.Random(2)
    counts = Counter(len(aces & {*determinize(view, rng)[2]}) for _ in range(6000))
    assert 3 not in counts
    assert sum(sizes.values()) == 41
    for k, number in ways.items():
        assert abs(counts[k] / 6000 - number / sum(ways.values())) < 0.03


def test_with_eight_seats_the_three_of_clubs_is_in_the_box():
    game = game_named("kakkuri")
    ruleset = game.ruleset("kakkuri.league", {"seats": 8})
    state = game.start(ruleset, Board("deal", 1, "eight"))
    view = view_of(request_for(state, state.to_act[0], ruleset.as_dict()))
    if "3C" not in view.unseen:
        pytest.fail("take another seed: the three of clubs is the start card")
    rng = random.Random(2)
    places = Counter(determinize(view, rng)[0].index("3C") for _ in range(500))
    assert set(places) == set(range(5))


def test_the_box_comes_in_any_order():
    request = kakkuri_request({1: "9S 9H JS JH 4S 5S", 2: "4H 4D 7S 7H 8S 9D"}, "KS", "", {})
    view = view_of(request)
    rng = random.Random(2)
    tops = Counter(determinize(view, rng)[0][0] for _ in range(4100))
    assert set(tops) == set(view.unseen)
    assert max(tops.values()) < 170


def kakeya_view(**changed):
    state = position({3: ["9H"], 4: ["AH"], 1: ["2S"], 2: ["3H"]}, ["9H"])
    request = request_for(state, 4, {})
    request.observation.update(changed)
    return KakeyaView(request)


def test_a_void_is_certain():
    state = position({3: ["9H"], 4: ["AH"], 1: ["2H"], 2: ["3H", "QH"]}, ["9H", "AH"])
    while len(state.tricks) < 2:
        state = state.apply(state.to_act[0], state.legal(state.to_act[0])[-1])
    found = 0
    while state.to_act:
        view = view_of(request_for(state, state.to_act[0], {}))
        for seat, suits in view.voids.items():
            for suit in suits if seat != view.seat and view.cards_left(seat) else ():
                inside = [card for card in view.unseen if card[1] == suit]
                hands = determinize(view, random.Random(1))
                if inside:
                    found += 1
                    holder = next(s for s, cards in hands.items() if inside[0] in cards)
                    swapped = {
                        s: tuple(
                            {inside[0]: hands[seat][0], hands[seat][0]: inside[0]}.get(c, c) for c in cards
                        )
                        for s, cards in hands.items()
                    }
                    assert holder != seat
                    with pytest.raises(WorldError, match=r"seat \d"):
                        state_from(view, swapped)
        state = state.apply(state.to_act[0], state.legal(state.to_act[0])[0])
    assert found


VIEWS = [
    ({"game": "kakkuri"}, "'kakeya4'.*kakkuri"),
    ({"game": "poker"}, "'poker'.*kakeya, kakkuri"),
    ({"preset": "kakeya6"}, "'seats'.* 4"),
    ({"hand": []}, "seat 4"),
    ({"hand": ["9H"] * 13}, "twice"),
    ({"to_act": [1]}, "seat 4"),
    ({"stones": None}, "kakeya.*TypeError"),
    ({"leaders": [9]}, "kakeya.*StopIteration"),
    ({"pictures": {}}, "'pictures'"),
    ({"rensho": "2H"}, "'rensho'"),
]
SEEN = kakeya_view()
CHANCE = random.Random(1)
HANDS = determinize(SEEN, CHANCE)
FIRST, *OTHERS = HANDS[1]
NAMELESS = kakeya_view()
del NAMELESS.observation["game"]
CHANGED = [
    (HANDS | {1: OTHERS}, "seat 1 .*13.*12"),
    (HANDS | {1: ("9H", *OTHERS)}, "'9H'.*seat 1"),
    (HANDS | {1: (OTHERS[0], *OTHERS)}, repr(OTHERS[0])),
    (HANDS | {1: ("XX", *OTHERS)}, "'XX'"),
    (HANDS | {4: HANDS[1]}, "seat 4"),
    (HANDS | {9: HANDS[1]}, "9"),
    ({2: HANDS[2], 3: HANDS[3]}, "seat 1"),
    (HANDS | {3: True}, "TypeError"),
    (HANDS | {3: [{}] * len(HANDS[3])}, "TypeError"),
]


@pytest.mark.parametrize(
    ("view", "hands", "message"),
    [
        *((kakeya_view(**changed), None, message) for changed, message in VIEWS),
        *((SEEN, hands, message) for hands, message in CHANGED),
        (SEEN.observation, None, "'dict'.*KakeyaView"),
        (NAMELESS, None, "KeyError"),
    ],
)
def test_what_is_impossible_is_refused_in_one_line(view, hands, message):
    with pytest.raises(WorldError, match=message) as refused:
        state_from(view, hands or determinize(view, random.Random(1)))
    assert "\n" not in str(refused.value)


def test_a_generator_is_needed():
    with pytest.raises(WorldError, match="AttributeError"):
        determinize(SEEN, None)


def test_draws_depend_on_the_generator_alone():
    state = position({3: ["9H"]}, ["9H"])
    requests = [request_for(state, 4, {}) for _ in range(2)]
    assert len({str(determinize(view_of(r), random.Random(7))) for r in requests}) == 1
