"""Played deals solved from the last card to the first: as by brute force and as by separate calls."""

import itertools
import random
import threading
import time

import pytest

from engine.kernel import (
    KernelError,
    Limits,
    is_compiled,
    playout_line,
    position_of,
    solve_moves,
    solve_play,
)
from engine.kernel import solving as compiled_or_not
from engine.kernel.solving_search import ALL_FEATURES, Search
from tests.engine.games.kakeya.positions import KAKEYA
from tests.engine.kernel.plain_solver import plain_solving
from tests.engine.kernel.played import (
    PRESETS,
    played_deal,
    played_ending,
    with_positions,
    wrong_by_brute_force,
    wrong_by_separate_calls,
)
from tests.engine.kernel.positions import at_the_lead, played_on, some_position
from tests.refusals import refusal

AT_ONCE = 50
LATER_CARDS = 12 if is_compiled else 32
"""Cards played before a deal is solved, where all of it would take long."""


@pytest.mark.sampled(10)
@pytest.mark.parametrize("first", range(0, 2000, AT_ONCE))
def test_plays_of_an_ending_are_worth_what_brute_force_says(first):
    for seed in range(first, first + (AT_ONCE if is_compiled else 5)):
        assert not wrong_by_brute_force(*played_ending(f"play {seed}"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(4 * len(PRESETS)))
def test_plays_of_a_deal_of_every_preset_are_worth_what_separate_calls_say(number):
    assert not wrong_by_separate_calls(*played_deal("play", number, LATER_CARDS + number // len(PRESETS)))


@pytest.mark.parametrize("ask", ["winner", "pictures"])
def test_every_question_can_be_asked_about_plays(ask):
    for seed in range(30):
        position, cards = played_ending(f"asked {seed}")
        for here, solved in with_positions(position, solve_play(position, cards, ask)):
            expected = solve_moves(here, ask)
            assert [(card, answer[:3]) for card, answer in solved.answers] == [
                (card, answer[:3]) for card, answer in expected
            ], here


@pytest.mark.parametrize("options", [{"schedule": "asahi_tie_only"}, {"rensho_free": True}])
def test_plays_are_solved_under_every_option(options):
    rng = random.Random(f"options {options}")
    for number in range(4):
        state = at_the_lead(KAKEYA.ruleset("kakeya4", options), f"options {number}")
        position = position_of(played_on(state, rng, LATER_CARDS + 16 + number))
        cards = playout_line(position, number, 0)[0]
        assert not wrong_by_separate_calls(position, cards)


def test_only_one_search_is_made_for_the_card_that_was_played_and_its_equals():
    position, cards = played_deal("reuse", 0, LATER_CARDS)
    plays = solve_play(position, cards)
    for before, after in itertools.pairwise(plays):
        played = dict(before.answers)[before.card]
        best = min if after.player % 2 else max
        assert played == (*[best(answer.low for _, answer in after.answers)] * 2, "exact", 0)
    separate = sum(
        answer.nodes for here, _ in with_positions(position, plays) for _, answer in solve_moves(here)
    )
    assert 0 < sum(answer.nodes for solved in plays for _, answer in solved.answers) < separate


def test_cards_may_end_before_the_deal_does():
    position, cards = played_deal("part", 0, LATER_CARDS + 8)
    assert solve_play(position, []) == ()
    (first,) = solve_play(position, cards[:1])
    assert (first.player, first.card, first.answers) == (position.turn, cards[0], solve_moves(position))
    assert not wrong_by_separate_calls(position, cards[:6])


def test_a_table_that_evicts_constantly_changes_no_answer_about_plays():
    position, cards = played_deal("small", 0, LATER_CARDS + 4)
    compiled_or_not._idle_searches[:] = [Search(ALL_FEATURES, 1)]
    small = solve_play(position, cards)
    compiled_or_not._idle_searches.clear()
    large = solve_play(position, cards)
    assert [lows(solved) for solved in small] == [lows(solved) for solved in large]


def test_plain_python_solves_plays_with_the_same_positions():
    plain = plain_solving("play")
    for seed in range(30):
        position, cards = played_ending(f"twin {seed}")
        assert plain.solve_play(position, cards) == solve_play(position, cards)
    position, cards = played_deal("twin", 0, 28)
    assert plain.solve_play(position, cards) == solve_play(position, cards)


def test_a_limit_of_nodes_is_one_for_each_question_and_gives_the_same_answers():
    position, cards = played_deal("nodes", 0, LATER_CARDS)
    full = solve_play(position, cards)
    limited = solve_play(position, cards, limits=Limits(nodes=20))
    assert limited == solve_play(position, cards, limits=Limits(nodes=20))
    assert max(answer.nodes for solved in limited for _, answer in solved.answers) == 20
    number = first_exact(limited)
    assert 0 < number < len(cards) - 8
    assert limited[number:] == full[number:]
    # Within the play at which it ends each card has its limit, as by itself.
    assert {answer.nodes for _, answer in limited[number - 1].answers} & {20}
    for (_, answer), (_, value) in zip(limited[number - 1].answers, full[number - 1].answers, strict=True):
        assert answer.low <= value.low <= answer.high
        assert (answer.state == "exact") == (answer.low == answer.high)
    assert {answer[2:] for solved in limited[: number - 1] for _, answer in solved.answers} == {
        ("stopped", 0)
    }


def test_a_play_that_is_not_solved_has_the_bounds_of_its_deal():
    position, cards = played_deal("bounds", 0, LATER_CARDS)
    first = solve_play(position, cards, limits=Limits(nodes=1))[0]
    expected = solve_moves(position, limits=Limits(cancel=AtLook(0)))
    assert first.answers == expected


class AtLook:
    """Cancels from this look on."""

    def __init__(self, number):
        self.left = number

    def is_set(self):
        self.left -= 1
        return self.left < 0


def test_after_a_stop_the_last_plays_are_exact_and_the_first_are_stopped():
    position, cards = played_deal("stopped", 0, LATER_CARDS)
    looks = AtLook(1 << 40)
    full = solve_play(position, cards, limits=Limits(cancel=looks))
    half = ((1 << 40) - looks.left) // 2
    stopped = solve_play(position, cards, limits=Limits(cancel=AtLook(half)))
    assert len(stopped) == len(cards)
    first = first_exact(stopped)
    assert 0 < first < len(cards) - 8
    assert stopped[first:] == full[first:]
    assert stopped[0].answers[0][1][2:] == ("stopped", 0)
    at_once = solve_play(position, cards, limits=Limits(cancel=AtLook(0)))
    assert all(answer.nodes == 0 for solved in at_once for _, answer in solved.answers)


def test_solving_plays_ends_soon_after_it_is_cancelled():
    position = some_position(random.Random("cancelled plays"), 0)
    cards = playout_line(position, 0, 0, "rules")[0]
    cancel = threading.Event()
    cancelled = []

    def stop():
        cancelled.append(time.monotonic())
        cancel.set()

    timer = threading.Timer(0.05, stop)
    timer.start()
    plays = solve_play(position, cards, "pictures", Limits(cancel=cancel))
    took = time.monotonic() - cancelled[0]
    assert plays[0].answers[0][1].state != "exact"
    # A promise of 0.1 s, with much room for a busy machine; all of it takes minutes.
    assert took < 5


def test_wrong_plays_are_refused_by_name():
    position, cards = played_deal("wrong", 0, LATER_CARDS)
    assert "card 1 of cards" in str(refusal(KernelError, solve_play, position, [cards[0], cards[0]]))
    held = next(card for card in range(52) if position.hands[(position.turn + 2) % 4] >> card & 1)
    assert "card 0 of cards" in str(refusal(KernelError, solve_play, position, [held]))
    assert "no card is left" in str(refusal(KernelError, solve_play, position, [*cards, cards[0]]))
    for value in ("x", 1.0, True, None, 52, -1):
        assert "card 0 of cards" in str(refusal(KernelError, solve_play, position, [value]))
    assert "cards" in str(refusal(KernelError, solve_play, position, None))
    assert "'tricks'" in str(refusal(KernelError, solve_play, position, cards, "tricks"))
    assert "not a Position" in str(refusal(KernelError, solve_play, tuple(position), cards))
    assert "not Limits" in str(refusal(KernelError, solve_play, position, cards, "stones", 5))
    with pytest.raises(KernelError, match="captured cannot be"):
        solve_play(position._replace(captured=(16, 16)), cards)


def test_an_error_of_what_cancels_the_solving_of_plays_is_raised():
    class Broken:
        def is_set(self):
            raise RuntimeError("no answer")

    position, cards = played_deal("broken", 0, LATER_CARDS)
    with pytest.raises(RuntimeError, match="no answer"):
        solve_play(position, cards, limits=Limits(cancel=Broken()))


def lows(solved):
    return [(card, answer.low, answer.high, answer.state) for card, answer in solved.answers]


def first_exact(plays):
    """The number of the first play from which on all answers are exact."""
    are_exact = [all(answer.state == "exact" for _, answer in solved.answers) for solved in plays]
    return len(plays) - are_exact[::-1].index(False)
