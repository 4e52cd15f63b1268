"""What every preset of every game keeps, on both kinds of board.

Where a test looks at every state of whole games these are short ones (``SHORT_PRESETS``); each preset is
also played once just as it is. What a seat may see is in test_hidden.py.
"""

import json
import random
import re

import pytest

from engine import (
    Board,
    IllegalAction,
    NotationError,
    RecordWriter,
    RulesetError,
    UnknownGame,
    all_games,
    game_named,
    partner_of,
    preset_named,
    replay,
)
from engine.lines import format_line
from tests.refusals import refusal
from tests.strategies import PRESETS, SHORT_PRESETS, play, random_choice

CASES = [
    pytest.param(game, ruleset, kind, id=f"{ruleset.preset}-{kind}")
    for game, ruleset in SHORT_PRESETS
    for kind in ("deal", "game")
]
AS_THEY_ARE = [pytest.param(game, ruleset, id=ruleset.preset) for game, ruleset in PRESETS]
CARD = r"\b[2-9TJQKA][SHDC]\b"
COMMON = {
    *("game", "preset", "rules_version", "seat", "seats", "active", "to_act", "phase", "deal", "stones"),
    *("legal", "hand"),
}


def played(game, ruleset, kind, number=1, seed="demo"):
    return play(game, ruleset, Board(kind, number, seed), random_choice(random.Random(number)))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_somebody_can_always_act_until_the_end(game, ruleset, kind):
    for state in played(game, ruleset, kind).states:
        assert list(state.to_act) == sorted(set(state.to_act))
        assert (state.outcome() is None) == bool(state.to_act)
        for seat in range(1, game.seats(ruleset) + 1):
            legal = state.legal(seat)
            assert bool(legal) == (seat in state.to_act)
            assert len(set(legal)) == len(legal)
            if legal:
                assert state.fallback(seat) in legal


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_legal_actions_are_accepted_and_all_others_refused(game, ruleset, kind):
    everything = set()
    states = played(game, ruleset, kind).states[:150]
    for state in states:
        for seat in state.to_act:
            everything.update(state.legal(seat))
    # All of them at every state would be some hundred thousand attempts in games of many melds.
    rng = random.Random(3)
    for state in states:
        tried = rng.sample(sorted(everything), min(len(everything), 40))
        for seat in range(1, game.seats(ruleset) + 1):
            legal = state.legal(seat)
            for action in {*tried, *legal}:
                if action in legal:
                    state.apply(seat, action)
                else:
                    refused = refusal(IllegalAction, state.apply, seat, action)
                    assert (refused.action, refused.seat) == (action, seat)
                    assert state.situation in str(refused)


@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_what_is_no_action_cannot_be_read(game, ruleset, kind):
    state = game.start(ruleset, Board(kind, 1, "demo"))
    for text in ("", "nonsense", "ASAS", "keep", "1"):
        for attempt in (lambda text=text: game.parse_action(text), lambda text=text: state.apply(1, text)):
            with pytest.raises(NotationError, match=repr(text)):
                attempt()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_every_action_is_its_own_spelling(game, ruleset, kind):
    for state in played(game, ruleset, kind).states:
        for seat in state.to_act:
            assert [game.parse_action(action) for action in state.legal(seat)] == list(state.legal(seat))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_states_are_values(game, ruleset, kind):
    """Looking back after the end shows every state as it was, and the same way again and again."""
    state = game.start(ruleset, Board(kind, 1, "demo"))
    rng = random.Random(1)
    seats = range(1, game.seats(ruleset) + 1)
    then = []
    while state.to_act:
        seat = state.to_act[0]
        then.append((state, [state.observe(s) for s in seats], state.happened_since(None)[-3:]))
        for action in state.legal(seat):
            state.apply(seat, action)
        state = state.apply(seat, rng.choice(state.legal(seat)))
    for state, observed, tail in then:
        assert [state.observe(s) for s in seats] == observed
        assert state.happened_since(None)[-3:] == tail


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_a_caller_may_spoil_an_observation_without_harm(game, ruleset, kind):
    def spoil(value):
        for item in list(value.values() if isinstance(value, dict) else value):
            if isinstance(item, dict | list):
                spoil(item)
        value.clear()

    for state in played(game, ruleset, kind).states[::7]:
        before = json.dumps(state.observe(1))
        spoil(state.observe(1))
        for event in state.events_since(None, 1):
            spoil(event)
        assert json.dumps(state.observe(1)) == before
        assert state.events_since(None, 1) == state.events_since(None, 1)
        assert {} not in state.events_since(None, 1)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_observations_are_plain_json_and_complete(game, ruleset, kind):
    for state in played(game, ruleset, kind).states:
        for seat in range(1, game.seats(ruleset) + 1):
            seen = state.observe(seat)
            assert json.loads(json.dumps(seen)) == seen
            assert set(seen) >= COMMON
            assert (seen["seat"], seen["seats"]) == (seat, game.seats(ruleset))
            assert (seen["game"], seen["preset"]) == (game.key, ruleset.preset)
            assert seen["legal"] == list(state.legal(seat))
            assert set(seen["to_act"]) >= set(state.to_act)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_the_order_of_simultaneous_answers_does_not_matter(game, ruleset, kind):
    for state in played(game, ruleset, kind).states:
        if len(state.to_act) > 1:
            answers = [(seat, state.legal(seat)[seat % len(state.legal(seat))]) for seat in state.to_act]
            ends = []
            for order in (answers, answers[::-1]):
                after = state
                for seat, action in order:
                    after = after.apply(seat, action)
                seats = range(1, game.seats(ruleset) + 1)
                ends.append(([after.observe(s) for s in seats], after.happened_since(state)))
            assert ends[0] == ends[1]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_results_sum_to_zero_and_sides_share_theirs(game, ruleset, kind):
    for number in range(1, 9):
        outcome = played(game, ruleset, kind, number).last.outcome()
        for stones in (outcome.stones, *outcome.deals):
            assert sum(stones.values()) == 0
            assert list(stones) == list(range(1, game.seats(ruleset) + 1))
            for side in game.sides(ruleset):
                assert len({stones[seat] for seat in side}) == 1
        total = {seat: sum(deal[seat] for deal in outcome.deals) for seat in outcome.stones}
        assert total == outcome.stones


@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_the_same_seed_gives_the_same_board_and_another_another(game, ruleset, kind):
    once, again = (played(game, ruleset, kind).last for _ in range(2))
    assert once.happened_since(None) == again.happened_since(None)
    other = played(game, ruleset, kind, seed="other").last
    assert other.happened_since(None) != once.happened_since(None)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_replay_equals_play(game, ruleset, kind):
    seats = range(1, game.seats(ruleset) + 1)
    writer = RecordWriter(game, ruleset, {seat: f"{seat:064x}" for seat in seats})
    seen = []
    for number in (3, 4):
        state = game.start(ruleset, Board(kind, number, f"seed {number}"))
        writer.start_board(Board(kind, number, f"seed {number}"), state)
        rng = random.Random(number)
        seen.append([state.observe(seat) for seat in seats])
        while state.to_act:
            before = state
            for seat in before.to_act:
                state = state.apply(seat, rng.choice(state.legal(seat)))
            writer.add(before, state)
            seen.append([state.observe(seat) for seat in seats])
        writer.end_board(state)
    found = replay(writer.end((), dict.fromkeys(seats, "OK")))
    assert [[step.state.observe(seat) for seat in seats] for step in found.steps()] == seen
    assert found.boards[-1].outcome == state.outcome()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_a_line_that_an_event_brings_is_the_one_it_is_written_as(game, ruleset, kind):
    events = played(game, ruleset, kind).last.happened_since(None)
    assert all(event.line in (None, format_line(event.recorded())) for event in events)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_decisions_stay_within_their_bound(game, ruleset, kind):
    bound = game.decisions_bound(ruleset, kind)
    for number in range(1, 5):
        acts = [e for e in played(game, ruleset, kind, number).last.happened_since(None) if e.kind == "act"]
        most = max(sum(act.public["seat"] == seat for act in acts) for seat in range(1, 9))
        assert bound is None or most <= bound
        assert kind == "game" or bound is not None


@pytest.mark.parametrize(("game", "ruleset"), AS_THEY_ARE)
def test_a_whole_game_of_every_preset_ends_adds_up_and_replays(game, ruleset):
    seats = range(1, game.seats(ruleset) + 1)
    board = Board("game", 1, "as it is")
    writer = RecordWriter(game, ruleset, {seat: f"{seat:064x}" for seat in seats})
    state = game.start(ruleset, board)
    writer.start_board(board, state)
    rng, asked = random.Random(1), dict.fromkeys(seats, 0)
    while state.to_act:
        before = state
        for seat in before.to_act:
            asked[seat] += 1
            state = state.apply(seat, rng.choice(state.legal(seat)))
        writer.add(before, state)
    writer.end_board(state)
    outcome = state.outcome()
    assert sum(outcome.stones.values()) == 0
    bound = game.decisions_bound(ruleset, "game")
    assert bound is None or max(asked.values()) <= bound
    found = replay(writer.end((), dict.fromkeys(seats, "OK")))
    assert [board.outcome for board in found.boards] == [outcome]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("game", "ruleset", "kind"), CASES)
def test_cards_are_conserved(game, ruleset, kind):
    """No card is in two places, comes back once played, or was never in the pack."""
    board, pack, gone = played(game, ruleset, kind), None, set()
    previous = None
    for state in board.states:
        for event in state.happened_since(previous):
            if event.kind == "deal":
                deck = event.record["deck"]
                pack = pack or sorted(deck)
                assert sorted(deck) == pack
                assert len(set(deck)) == len(deck)
                gone = set()
            elif event.kind in ("act", "turned"):
                cards = set(re.findall(CARD, str(event.public.get("action", event.public.get("card")))))
                assert not cards & gone, "a card is played once"
                gone |= cards
        previous = state
        hands = [state.observe(seat)["hand"] for seat in range(1, game.seats(ruleset) + 1)]
        held = [card for hand in hands for card in hand]
        assert len(set(held)) == len(held), "a card is in one hand"
        assert not set(held) & gone, "a card that was played is in no hand"
        assert set(held) <= set(pack or ())


@pytest.mark.parametrize(("game", "ruleset"), AS_THEY_ARE)
def test_a_preset_is_found_by_name_and_survives_its_options(game, ruleset):
    assert preset_named(ruleset.preset) == (game, ruleset)
    assert game.ruleset(ruleset.preset) == ruleset
    options = json.loads(json.dumps(ruleset.as_dict()))
    assert game.ruleset(ruleset.preset, options) == ruleset
    assert "'no_such'" in str(refusal(RulesetError, ruleset.replace, no_such=1))
    refusal(RulesetError, ruleset.replace, **{"self": 1, "preset": "other"})


@pytest.mark.parametrize(("game", "ruleset"), AS_THEY_ARE)
def test_every_seat_has_one_side(game, ruleset):
    sides = game.sides(ruleset)
    assert sorted(seat for side in sides for seat in side) == list(range(1, game.seats(ruleset) + 1))
    assert list(sides) == sorted(sides)
    for side in sides:
        for seat in side:
            assert partner_of(sides, seat) == next((other for other in side if other != seat), None)


@pytest.mark.parametrize("board", [Board("deal", 0, "x"), Board("match", 1, "x"), Board("game", -3, "x")])
def test_a_board_that_cannot_be_is_refused(board):
    for game, ruleset in PRESETS:
        refusal(RulesetError, game.start, ruleset, board)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(UnknownGame, match=r"'bridge'.*kakeya"):
        game_named("bridge")
    with pytest.raises(UnknownGame, match=r"'kakeya5'.*kakeya4, .*kakeya4.league"):
        preset_named("kakeya5")
    assert r"'kakeya5' of kakeya" in str(refusal(RulesetError, game_named("kakeya").ruleset, "kakeya5"))
    assert list(all_games()) == sorted(all_games())
