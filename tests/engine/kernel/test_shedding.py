"""Playouts of Kakkuri in the kernel against the engine: what is legal, how a deal goes on, what it brings.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku, #turns, #payment.
"""

import importlib.util
import random
from itertools import pairwise
from pathlib import Path

import pytest

from bots.sdk import determinize, state_from, view_of
from engine import Board, RecordWriter, preset_named, replay
from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from engine.kernel import shedding, shedding_deal
from engine.kernel.position import KernelError
from engine.kernel.shedding import (
    SheddingPlayouts,
    shedding_legal,
    shedding_line,
    shedding_playouts,
    shedding_playouts_by_action,
    shedding_replayed,
)
from engine.kernel.shedding_position import shedding_position_of
from tests.bots.asking import request_for
from tests.engine.games.kakkuri.games import KAKKURI, PLAIN, declaring, mixed, stalling
from tests.engine.games.kakkuri.positions import board_with, play_out, position
from tests.engine.kernel.shedding_states import drawn_ruleset, drawn_states
from tests.refusals import refusal
from tests.strategies import play

RULESETS = [PLAIN.replace(seats=seats) for seats in range(2, 9)]
RULESETS += [KAKKURI.presets["kakkuri.league"].replace(seats=seats) for seats in (2, 7, 8)]
RULESETS += [
    PLAIN.replace(seats=seats, **{name: value})
    for seats in (3, 8)
    for name, values in [*CHOICES.items(), *((name, (True,)) for name in SWITCHES)]
    for value in values
]


def by_deal(states):
    """Of each deal of a board: its first state with cards, the actions until its end, its result."""
    number, first, actions = 0, None, []
    for before, state in pairwise(states):
        if before.phase == "deal":
            continue
        if before.deal.number != number:
            number, first, actions = before.deal.number, before, []
        (action,) = [e.public["action"] for e in state.happened_since(before) if e.kind == "act"]
        actions.append((before, action))
        if state.deal.number != number or state.ended:
            ended = state.ended if state.deal.number == number else None
            yield first, actions, ended.stones if ended else state.deal.results[number - 1]


def record(ruleset, board, players):
    """A record of one board."""
    seats = range(1, ruleset.seats + 1)
    writer = RecordWriter(KAKKURI, ruleset, {seat: f"{seat:064x}" for seat in seats})
    states = play(KAKKURI, ruleset, board, players).states
    writer.start_board(board, states[0])
    for before, state in pairwise(states):
        writer.add(before, state)
    writer.end_board(states[-1])
    return writer.end((), dict.fromkeys(seats, "OK"))


@pytest.mark.parametrize("players", [mixed, declaring, stalling])
def test_recorded_games_replay_through_the_rules_of_the_kernel(players):
    rng = random.Random(players.__name__)
    deals = 0
    for ruleset in RULESETS + [drawn_ruleset(rng) for _ in range(20)]:
        board = Board("game", rng.randint(1, 40), str(rng.random()))
        data = record(ruleset.replace(hands=2), board, players(rng))
        for first, actions, stones in by_deal([step.state for step in replay(data).steps()]):
            legal, result = shedding_replayed(shedding_position_of(first), [a for _, a in actions])
            assert result == tuple(stones)
            assert legal == tuple(state.legal(state.to_act[0]) for state, _ in actions)
            deals += 1
    assert deals > 40


def test_every_decision_has_the_legal_actions_of_the_engine():
    for state in drawn_states("legal", 600):
        assert shedding_legal(shedding_position_of(state)) == state.legal(state.to_act[0])


def mixed_bits(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def engine_playout(state, seed, number):
    """What the engine makes of a playout: its actions and the stones of the deal."""
    golden = 0x9E3779B97F4A7C15
    chance = mixed_bits((seed + (number + 1) * golden) % 2**64)
    deal, actions = state.deal.number, []
    while state.deal.number == deal and not state.ended:
        (seat,) = state.to_act
        legal = state.legal(seat)
        index = 0
        if len(legal) > 1:
            chance = (chance + golden) % 2**64
            index = (mixed_bits(chance) >> 32) * len(legal) >> 32
        actions.append(legal[index])
        state = state.apply(seat, legal[index])
    return tuple(actions), state.ended.stones if state.deal.number == deal else state.deal.results[deal - 1]


def test_playouts_are_those_of_the_engine_under_the_same_chance():
    rng = random.Random(5)
    for state in drawn_states("playouts", 200):
        start = shedding_position_of(state)
        seed, first = rng.getrandbits(64), rng.randrange(1 << 40)
        results = []
        for number in range(first, first + 3):
            actions, stones = engine_playout(state, seed, number)
            assert shedding_line(start, seed, number) == (actions, tuple(stones))
            results.append(stones)
        assert shedding_playouts(start, 3, seed, first) == SheddingPlayouts(
            3,
            tuple(map(sum, zip(*results, strict=True))),
            tuple(sum(x * x for x in column) for column in zip(*results, strict=True)),
        )


def test_a_playout_does_not_depend_on_its_batch():
    start = shedding_position_of(drawn_states("batch", 1)[0])
    whole, parts = shedding_playouts(start, 40, 3), [shedding_playouts(start, 20, 3, k) for k in (0, 20)]
    assert whole.totals == tuple(map(sum, zip(*(part.totals for part in parts), strict=True)))
    assert whole.squares == tuple(map(sum, zip(*(part.squares for part in parts), strict=True)))
    assert shedding_playouts(start, 40, 4) != whole


def test_each_action_has_the_playouts_of_the_position_after_it():
    for state in drawn_states("by action", 60):
        (seat,) = state.to_act
        found = shedding_playouts_by_action([shedding_position_of(state)] * 2, 4, 9)
        assert tuple(found) == state.legal(seat)
        for action, playouts in found.items():
            after = state.apply(seat, action)
            assert playouts.n == 8
            if after.to_act and after.deal.number == state.deal.number:
                assert playouts == shedding_playouts(shedding_position_of(after), 8, 9)
            else:
                number = state.deal.number
                stones = after.ended.stones if after.deal.number == number else after.deal.results[number - 1]
                assert playouts.totals == tuple(8 * won for won in stones)


def test_worlds_must_agree_on_what_is_legal():
    hands = {1: "4H 5D 6S 7C 8H 9D", 2: ""}
    league = KAKKURI.presets["kakkuri.league"].replace(seats=2)
    worlds = [
        shedding_position_of(KAKKURI.start(league, board_with(hands, box=box))) for box in ("3S 2H", "5H 2H")
    ]
    assert "position 1 differs" in str(refusal(KernelError, shedding_playouts_by_action, worlds, 1, 1))
    assert "no positions" in str(refusal(KernelError, shedding_playouts_by_action, [], 1, 1))


@pytest.mark.parametrize("seats", [3, 8])
def test_worlds_of_a_swap_may_differ_in_the_own_hand_which_nobody_has_seen(seats):
    league = KAKKURI.presets["kakkuri.league"].replace(seats=seats, fuwaru=True)
    state = KAKKURI.start(league, Board("deal", 1, "swap"))
    (seat,) = state.to_act
    view, rng = view_of(request_for(state, seat, league.as_dict())), random.Random(1)
    worlds = [shedding_position_of(state_from(view, determinize(view, rng))) for _ in range(8)]
    assert len({world.hands[seat] for world in worlds}) > 1
    found = shedding_playouts_by_action(worlds, 10, 1)
    assert {action: playouts.n for action, playouts in found.items()} == {"SWAP": 80, "KEEP": 80}
    first, *parts = [shedding_playouts_by_action([world], 10, 1)["KEEP"] for world in worlds]
    assert any(part != first for part in parts)


def test_worlds_that_differ_in_a_hand_that_was_seen_are_refused_by_it():
    mine, other = START.hands[START.seat], START.hands[1]
    world = START._replace(hands=(0, mine, START.hands[2], other))
    assert START.seat == 3
    assert "seat 3" in str(refusal(KernelError, shedding_playouts_by_action, [START, world], 1, 1))
    with pytest.raises(KernelError, match="position 1 "):
        shedding_playouts_by_action([START, START._replace(paid=(0, 1, 0, 0))], 1, 1)


def test_compiled_and_plain_code_give_the_same_numbers(monkeypatch):
    assert shedding_deal.__file__.endswith(".so"), "make setup compiles it"
    source = Path(__file__).resolve().parents[3] / "engine" / "kernel" / "shedding_deal.py"
    spec = importlib.util.spec_from_file_location("engine.kernel.shedding_as_plain_python", source)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    states = list(drawn_states("twin", 150))

    def numbers():
        for number, state in enumerate(states):
            start, seed = shedding_position_of(state), mixed_bits(number + 1)
            yield shedding_playouts(start, 10, seed), shedding_line(start, seed, 2**40)

    compiled = list(numbers())
    monkeypatch.setattr(shedding, "SheddingDeal", plain.SheddingDeal)
    assert list(numbers()) == compiled


def test_a_free_lead_and_a_dead_deal_come_from_the_box():
    hands = {1: "4H 5D", 2: "4S 5S"}
    options = {"box_empty": "dead"}
    before = {1: "AS AH AD 3H", 2: "3S 3D 6S 6D"}
    for follow, box_options, result in ((9, {}, None), (9, options, (0, 0, 0))):
        state = position(hands, follow, to_act=2, last=1, before=before, box="", options=box_options)
        legal, stones = shedding_replayed(shedding_position_of(state), ["PASS"])
        assert legal == (("PASS",),)
        assert stones == result
        if result is None:
            state = play_out(state, "2:PASS")
            assert shedding_legal(shedding_position_of(state)) == state.legal(1) == ("4H@4", "5D@5")


def test_the_seat_that_is_out_pays_no_guri_though_the_dropped_do():
    rest = [card for card in KAKKURI_PACK.cards if card[1] != "H" or card[0] in "A23JQK"]
    rest.remove("3C")
    hands = {seat: " ".join(rest[6 * seat - 12 : 6 * seat - 6]) for seat in range(2, 8)}
    hands |= {1: "4H 5H 6H 7H 8H 9H", 8: " ".join([*rest[36:], "3C"])}
    state = position(hands, 3, last=4, dropped=(3,), box="", options={"dropped_pay": True})
    actions = [f"{card}@{card[0]}" for card in hands[1].split()]
    _, stones = shedding_replayed(shedding_position_of(state), actions)
    assert stones == (0, 13, -2, -3, -2, -2, -2, -2, 0)
    assert stones == play_out(state, " ".join(f"1:{action}" for action in actions)).ended.stones


START = shedding_position_of(
    play_out(
        KAKKURI.start(PLAIN.replace(seats=3, fuwaru=False), Board("deal", 1, "checked")), "1:PASS 2:PASS"
    )
)
UNSEEN = shedding_position_of(KAKKURI.start(PLAIN.replace(seats=8), Board("deal", 1, "checked")))
IMPOSSIBLE = [
    (None, "NoneType"),
    (tuple(START), "tuple"),
    (START._replace(rules=None), "rules.*None"),
    (START._replace(hands=None), "hands, .*,.*None"),
    (START._replace(box=5), "box.*5"),
    (START._replace(box=(1.0,)), "box.*1.0"),
    (START._replace(paid=(1, 0, 0, 0)), "paid"),
    (START._replace(active="x"), "active.*'x'"),
    (START._replace(sansoku=1.5), "sansoku.*1.5"),
    (START._replace(is_swapping=0), "is_swapping.*0"),
    *[(UNSEEN._replace(out=out), f"out.*{out!r}") for out in (None, False)],
    *[(UNSEEN._replace(turn=turn), f"turn.*{turn!r}") for turn in (None, 0.0)],
    (UNSEEN._replace(turn=()), r"turn.*\(\)"),
    (START._replace(rules=START.rules._replace(wild_mode="any")), "wild_mode"),
    (START._replace(rules=START.rules._replace(turn_forced=1)), "turn_forced"),
    (
        START._replace(hands=(0, 1)),
        "hands",
    ),
    (START._replace(paid=(0, 0)), "paid"),
    (START._replace(paid=(0, 0, -1, 0)), "seat 2.*-1"),
    (START._replace(active=0b10010), "active"),
    (START._replace(active=0b0010), "two seats"),
    (START._replace(seat=4), "seat 4"),
    (START._replace(active=0b0110, hands=(*START.hands[:3], 0)), "seat 3"),
    (START._replace(hands=(0, START.hands[2], *START.hands[2:])), "another hand"),
    (
        START._replace(hands=(0, 1 << 48, *START.hands[2:])),
        "seat 1.*281474976710656",
    ),
    (START._replace(box=(*START.box, START.box[0])), "box"),
    (START._replace(box=(48,)), "box.*48"),
    (START._replace(follow=13), "13"),
    (START._replace(last=0), "seat 0"),
    (START._replace(out=2), "seat 2.*out"),
    (START._replace(opened=0b0100), "seat 2 .* 6"),
    (START._replace(hands=(0, START.hands[1] & START.hands[1] - 1, *START.hands[2:])), "holds 5"),
    (START._replace(sansoku=0b0100), "seat 2 .*sansoku"),
    (START._replace(turn=64), "turn is 64"),
    (START._replace(turn=1), "seat 3"),
    (START._replace(turn=2), "without RETURN"),
    (START._replace(turn=4), "seat 3"),
    (START._replace(turn=1, last=3, box=()), "FREE"),
    (START._replace(turn=1 | 8, last=3), "FREE"),
    (START._replace(turn=1 | 2 | 16, last=3), "meld"),
    (UNSEEN._replace(box=UNSEEN.box[1:]), "box"),
    (UNSEEN._replace(follow=3), "follow is 3"),
    (UNSEEN._replace(seat=UNSEEN.dealer), "dealer"),
]


@pytest.mark.parametrize(("spoilt", "culprit"), IMPOSSIBLE, ids=[culprit for _, culprit in IMPOSSIBLE])
def test_an_impossible_position_is_refused_by_name(spoilt, culprit):
    with pytest.raises(KernelError, match=culprit):
        shedding_playouts(spoilt, 1, 1)


@pytest.mark.parametrize(
    ("n", "seed", "first"), [(0, 1, 0), (1, -1, 0), (1, 1 << 64, 0), (1, 1, -1), (2**40 + 1, 1, 0)]
)
def test_impossible_numbers_are_refused(n, seed, first):
    assert "give" in str(refusal(KernelError, shedding_playouts, START, n, seed, first))


def test_positions_and_actions_that_are_no_lists_are_refused():
    assert "positions" in str(refusal(KernelError, shedding_playouts_by_action, None, 1, 1))
    with pytest.raises(KernelError, match="not a SheddingPosition but NoneType"):
        shedding_playouts_by_action([START, None], 1, 1)
    assert "actions" in str(refusal(KernelError, shedding_replayed, START, None))


def test_states_without_cards_or_decisions_have_no_position():
    dealing = PLAIN.replace(seats=2, deal_pass=True, hands=2)
    states = play(KAKKURI, dealing, Board("game", 1, "over"), mixed(random.Random(1))).states
    with pytest.raises(KernelError, match="KakeyaState"):
        shedding_position_of(
            preset_named("kakeya4")[0].start(preset_named("kakeya4")[1], Board("deal", 1, "x"))
        )
    assert "the board is over" in str(refusal(KernelError, shedding_position_of, states[-1]))
    with pytest.raises(KernelError, match="DEAL"):
        shedding_position_of(next(state for state in states if state.phase == "deal"))


def test_an_illegal_action_is_named():
    assert "TURN, DROP" in str(refusal(KernelError, shedding_replayed, START, ["PASS", "SWAP"]))
