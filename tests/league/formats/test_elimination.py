"""Brackets end with one winner in the right number of rounds, whoever is level, leaves or is void."""

import random
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.brackets import bracket_order, seeded_apart
from league.display import winner_of
from league.errors import FormatError
from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import Caption, StageState
from tests.chance import examples
from tests.league.formats.simulated import met, names, play, renamed, shuffled, up_to

SINGLE, DOUBLE = format_named("single_elimination"), format_named("double_elimination")
BOTH = ["single_elimination", "double_elimination"]
SEEDS = st.integers(0, 2**32)
DECISIVE = (-7, -3, -1, 1, 2, 5, 11)
"""Results of one side; the mean is taken off, so two equal ones are level."""


def losses(stage):
    return Counter(
        next(entry for entry in fixture.entries if entry != winner_of(fixture))
        for fixture in met(stage)
        if winner_of(fixture) is not None
    )


def best(progress):
    """Who got farthest."""
    most = max(progress.values())
    return [entry for entry, far in progress.items() if far == most]


def won(*pairs):
    """A round in which the first of each pair won; a single one has a bye."""
    return tuple(
        FixtureOutcome(tuple(pair), {pair[0]: Fraction(1), pair[1]: Fraction(-1)})
        if len(pair) == 2
        else FixtureOutcome(tuple(pair))
        for pair in pairs
    )


def level(pair):
    return FixtureOutcome(tuple(pair), dict.fromkeys(pair, Fraction()))


def void(pair):
    return FixtureOutcome(tuple(pair), is_void=True)


def stage_of(entries, *rounds, **fields):
    options = fields.pop("options", {})
    return StageState(tuple(entries), options, tuple(rounds), **fields)


@examples(60)
@given(st.integers(2, 70), SEEDS, st.booleans())
def test_single_elimination_has_one_winner_after_halving_the_field_to_one(n, seed, third_place):
    options = {"third_place": third_place, "replays": 0}
    stage, _ = play("single_elimination", names(n), options, seed=seed)
    assert len(stage.rounds) == SINGLE.round_count(n, options) == (n - 1).bit_length()
    assert len(met(stage)) == SINGLE.max_fixtures(n, options)
    progress = SINGLE.progress(stage)
    (winner,) = best(progress)
    assert len(met(stage)) == n - 1 + (third_place and n >= 4)
    if not any(winner_of(fixture) is None for fixture in met(stage)):
        assert losses(stage)[winner] == 0
        semi_finalists = sorted(progress, key=progress.__getitem__)[-4:]
        most = 2 if third_place and n >= 4 else 1
        assert all(losses(stage)[e] == 1 or e in semi_finalists for e in progress if e != winner)
        assert max(losses(stage).values()) <= most


@examples(60)
@given(st.integers(2, 70), SEEDS)
def test_double_elimination_has_one_winner_and_all_others_lost_twice(n, seed):
    options = {"replays": 5}
    stage, _ = play("double_elimination", names(n), options, seed=seed, results=DECISIVE)
    (winner,) = best(DOUBLE.progress(stage))
    lost = losses(stage)
    if sum(winner_of(fixture) is None for fixture in met(stage)) == 0:
        assert lost[winner] <= 1
        assert all(lost[entry] == 2 for entry in stage.entries if entry != winner)
        halvings = (n - 1).bit_length()
        assert len(stage.rounds) == 2 * halvings + lost[winner]
        assert len(met(stage)) == 2 * (n - 1) + lost[winner]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", range(2, 34))
def test_without_a_reset_the_rounds_are_known(n):
    options = {"reset": False, "replays": 0}
    stage, _ = play("double_elimination", names(n), options, seed=n)
    assert len(stage.rounds) == DOUBLE.round_count(n, options) == 2 * (n - 1).bit_length()
    assert len(met(stage)) == DOUBLE.max_fixtures(n, options) == 2 * (n - 1)


@pytest.mark.parametrize("key", BOTH)
@examples(50)
@given(st.integers(2, 40), SEEDS, st.sampled_from([0.05, 0.3]), st.integers(0, 2))
def test_whoever_leaves_and_whatever_is_void_or_level_one_who_was_never_knocked_out_wins(
    key, n, seed, leave, replays
):
    options = {"replays": replays}
    stage, left_before = play(key, names(n), options, seed=seed, leave=leave, void=0.1, results=(-2, 0, 0, 1))
    progress = format_named(key).progress(stage)
    assert set(progress) == set(stage.entries)
    if set(best(progress)) & set(stage.present):
        assert len(best(progress)) == 1
    else:  # all who could have won left: whoever remains has been knocked out
        for entry in stage.present:
            not_won = [f for f in met(stage) if entry in f.entries and winner_of(f) != entry]
            assert len(not_won) >= (1 if key == "single_elimination" else 2)
    again = up_to(stage, len(stage.rounds), left_before)
    format_named(key).display(stage)
    assert format_named(key).next_round(again) == tuple(f.entries for f in stage.rounds[-1])


@pytest.mark.parametrize("key", BOTH)
@examples(15)
@given(st.integers(2, 24), SEEDS)
def test_order_of_arrival_and_names_do_not_matter(key, n, seed):
    format_ = format_named(key)
    stage, left_before = play(key, names(n), seed=seed, leave=0.05, void=0.05)
    last = up_to(stage, len(stage.rounds), left_before)
    drawn = format_.next_round(last)
    assert drawn == format_.next_round(shuffled(last, seed))
    assert format_.progress(shuffled(stage, seed)) == format_.progress(stage)
    other_of = dict(zip(names(n), reversed(names(n)), strict=True))
    assert format_.next_round(renamed(last, other_of)) == tuple(
        tuple(other_of[entry] for entry in pairing) for pairing in drawn
    )


@pytest.mark.parametrize("key", BOTH)
@pytest.mark.parametrize("n", [4, 7, 16, 33])
def test_if_the_better_seed_always_wins_places_are_as_seeded(key, n):
    format_ = format_named(key)
    stage = StageState(names(n), {})
    while (pairings := format_.next_round(stage)) is not None:
        stage = stage._replace(rounds=(*stage.rounds, won(*(sorted(pairing) for pairing in pairings))))
    progress = format_.progress(stage)
    order = sorted(progress, key=lambda entry: -progress[entry])
    assert order[:2] == list(names(2))
    assert [progress[entry] for entry in names(n)] == sorted(progress.values(), reverse=True)


def test_who_has_not_lost_stands_above_who_has_whichever_of_their_matches_came_first():
    stage = stage_of("abcd", won("ad", "bc"))
    assert DOUBLE.next_round(stage) == (("a", "b"), ("c", "d"))
    half = stage._replace(rounds=(*stage.rounds, (void("ab"), *won("cd"))))
    progress = DOUBLE.progress(half)
    assert progress["a"] == progress["b"] > progress["c"] > progress["d"]


def test_seeds_stand_so_that_the_best_can_meet_last():
    assert bracket_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert SINGLE.next_round(stage_of("abcdefgh")) == (("a", "h"), ("d", "e"), ("b", "g"), ("c", "f"))


def test_byes_go_to_the_best_seeds():
    assert SINGLE.next_round(stage_of("abcde")) == (("d", "e"), ("a",), ("b",), ("c",))


def test_the_match_for_the_third_place_is_played_beside_the_final_between_who_lost_before_it():
    stage = stage_of("abcd", won("ad", "bc"), options={"third_place": True})
    assert SINGLE.next_round(stage) == (("a", "b"), ("c", "d"))
    over = stage._replace(rounds=(*stage.rounds, won("ba", "dc")))
    progress = SINGLE.progress(over)
    assert sorted(progress, key=lambda entry: -progress[entry]) == ["b", "a", "d", "c"]


def test_a_level_match_is_replayed_while_the_others_rest_and_then_the_better_seed_advances():
    stage = stage_of("abcd", (*won("ad"), level("bc")), options={"replays": 2})
    assert SINGLE.next_round(stage) == (("b", "c"),)
    twice = stage._replace(rounds=(*stage.rounds, (void("bc"),)))
    assert SINGLE.next_round(twice) == (("b", "c"),)
    decided = twice._replace(rounds=(*twice.rounds, (level("bc"),)))
    assert SINGLE.next_round(decided) == (("a", "b"),)
    assert SINGLE.next_round(twice._replace(rounds=(*twice.rounds, won("cb")))) == (("a", "c"),)
    slot = SINGLE.display(decided).sections[0].columns[0].slots[1]
    assert (slot.round, slot.fixture, slot.winner) == (3, 1, "b")
    assert slot.notes == (Caption("seed_advances"),)


def test_a_level_final_is_replayed():
    stage = stage_of("ab", (level("ab"),), options={"replays": 1})
    assert SINGLE.next_round(stage) == (("a", "b"),)
    assert not SINGLE.is_complete(stage)
    over = stage._replace(rounds=(*stage.rounds, (level("ab"),)))
    assert SINGLE.is_complete(over)
    assert SINGLE.display(over).sections[0].columns[0].slots[0].notes == (Caption("seed_wins"),)


def test_who_meets_somebody_who_left_has_a_bye_and_where_both_left_nobody_advances():
    stage = stage_of("abcdefgh", won("ah", "de", "bg", "cf"))
    assert SINGLE.next_round(stage._replace(left=frozenset("d"))) == (("b", "c"), ("a",))
    both = stage._replace(left=frozenset("ad"))
    assert SINGLE.next_round(both) == (("b", "c"),)
    after = both._replace(rounds=(*both.rounds, won("bc")))
    assert SINGLE.next_round(after) is None
    assert SINGLE.is_complete(after)
    assert best(SINGLE.progress(after)) == ["b"]


def test_a_step_in_which_nobody_would_meet_takes_no_round():
    stage = stage_of("abcd", left=frozenset("dc"))
    assert SINGLE.next_round(stage) == (("a", "b"),)
    over = stage._replace(rounds=(won("ab"),))
    assert SINGLE.is_complete(over)
    assert best(SINGLE.progress(over)) == ["a"]
    # b leaving afterwards does not undo that it advanced
    assert best(SINGLE.progress(over._replace(rounds=(won("ba"),), left=frozenset("bdc")))) == ["b"]


def test_steps_passed_over_are_not_taken_for_changed_results():
    stage = stage_of("abcde", won("ed", "a", "b", "c"), won("ae", "bc", "d"), won("cd", "e"))
    # In the finals of both brackets only a and c are left: they meet in the grand final at once.
    stage = stage._replace(left=frozenset("be"))
    assert DOUBLE.next_round(stage) == (("a", "c"),)
    over = stage._replace(rounds=(*stage.rounds, won("ac")))
    assert DOUBLE.is_complete(over)
    assert best(DOUBLE.progress(over)) == ["a"]


def test_when_all_but_one_left_the_stage_is_over():
    stage = stage_of("abcde", left=frozenset("abde"))
    for format_ in (SINGLE, DOUBLE):
        assert format_.next_round(stage) is None
        assert format_.is_complete(stage)
        assert best(format_.progress(stage)) == ["c"]


def test_the_losers_meet_the_losers_and_the_winners_meet_in_the_grand_final():
    stage = stage_of("abcd", won("ad", "bc"), won("ab", "dc"), won("db"))
    assert DOUBLE.next_round(stage._replace(rounds=stage.rounds[:1])) == (("a", "b"), ("c", "d"))
    assert DOUBLE.next_round(stage._replace(rounds=stage.rounds[:2])) == (("b", "d"),)
    assert DOUBLE.next_round(stage) == (("a", "d"),)
    second = stage._replace(rounds=(*stage.rounds, won("da")))
    assert DOUBLE.next_round(second) == (("a", "d"),)
    assert DOUBLE.next_round(second._replace(options={"reset": False})) is None
    assert best(DOUBLE.progress(second._replace(options={"reset": False}))) == ["d"]
    assert DOUBLE.is_complete(stage._replace(rounds=(*stage.rounds, won("ad"))))
    progress = DOUBLE.progress(second._replace(rounds=(*second.rounds, won("ad"))))
    assert sorted(progress, key=lambda entry: -progress[entry]) == ["a", "d", "b", "c"]


def test_the_last_round_of_each_section_is_called_its_final():
    stage, _ = play("double_elimination", names(8), {"replays": 0, "reset": False}, seed=1)
    last = [section.columns[-1].title for section in DOUBLE.display(stage).sections[:2]]
    assert last == [Caption("final"), Caption("final")]


def test_those_who_come_down_do_not_meet_again_at_once():
    """With eight entries nobody has the same opponent twice in the first two rounds after coming down."""
    for seed in range(20):
        stage, _ = play("double_elimination", names(8), {"replays": 0, "reset": False}, seed=seed)
        early = [frozenset(f.entries) for drawn in stage.rounds[:3] for f in drawn if not f.is_bye]
        assert len(early) == len(set(early))


@pytest.mark.parametrize("changed", [won("da", "bc"), (void("ad"), *won("bc")), won("ad", "cb")])
@pytest.mark.parametrize("third_place", [False, True])
def test_what_was_drawn_stands_when_a_result_is_changed_afterwards(changed, third_place):
    second = won("ba", "dc") if third_place else won("ba")
    stage = stage_of("abcd", won("ad", "bc"), second, options={"third_place": third_place})
    after = stage._replace(rounds=(changed, second))
    assert SINGLE.is_complete(after)
    assert SINGLE.progress(after) == SINGLE.progress(stage)
    notes = [slot.notes for slot in SINGLE.display(after).sections[0].columns[0].slots]
    assert notes.count((Caption("changed"),)) == 1


@examples(60)
@given(st.integers(3, 20), SEEDS, st.sampled_from(BOTH))
def test_any_result_may_be_changed_afterwards_and_the_stage_still_has_one_winner(n, seed, key):
    """A fixture whose winner was drawn into a later round is forfeited by it; the bracket stays."""
    format_ = format_named(key)
    stage, _ = play(key, names(n), {"replays": 0}, seed=seed, results=DECISIVE)
    rng = random.Random(seed)
    number = rng.randrange(len(stage.rounds))
    place = rng.randrange(len([f for f in stage.rounds[number] if not f.is_bye]))
    fixture = stage.rounds[number][place]
    turned = fixture._replace(totals={entry: -total for entry, total in fixture.totals.items()})
    drawn = list(stage.rounds[number])
    drawn[place] = turned
    rounds = (*stage.rounds[:number], tuple(drawn), *stage.rounds[number + 1 :])
    after = stage._replace(rounds=rounds)
    assert len(best(format_.progress(after))) == 1
    if any(set(fixture.entries) & set(f.entries) for later in rounds[number + 1 :] for f in later):
        assert format_.is_complete(after)
        assert format_.progress(after) == format_.progress(stage)


@examples(60)
@given(st.integers(2, 40), st.integers(1, 8), SEEDS)
def test_opponents_from_one_group_are_kept_apart_in_the_first_round_where_possible(n, groups, seed):
    entries = names(n)
    origins = {entry: place % groups + 1 for place, entry in enumerate(entries)}
    drawn = SINGLE.next_round(stage_of(entries, origins=origins))
    met_here = [pairing for pairing in drawn if len(pairing) == 2]
    if groups > 1:
        # The upper entries of first matches can all be given opponents of other groups.
        assert not any(origins[first] == origins[other] for first, other in met_here)
    byes = (1 << (n - 1).bit_length()) - n
    assert {pairing[0] for pairing in drawn if len(pairing) == 1} == set(entries[:byes])


def test_only_who_must_move_moves():
    origins = {"a": 1, "d": 1, "b": 2, "c": 2}
    assert seeded_apart("abcd", origins) == ["a", "b", "d", "c"]
    assert seeded_apart("abcd", {"a": 1, "d": 2}) == list("abcd")
    assert seeded_apart("abcd", dict.fromkeys("abcd", 1)) == list("abcd")


def test_a_bracket_shows_what_is_to_come():
    display = SINGLE.display(stage_of("abcde", won("ed", "a", "b", "c"), options={"third_place": True}))
    assert display.kind == "bracket"
    bracket, third = display.sections
    assert [column.title.code for column in bracket.columns] == ["quarter_final", "semi_final", "final"]
    assert [slot.entries for slot in bracket.columns[1].slots] == [("a", "e"), ("b", "c")]
    assert bracket.columns[0].slots[0] == (1, 2, ("a", None), "a", (Caption("bye"),))
    semi_finals = [Caption("semi_final_match", 1), Caption("semi_final_match", 2)]
    assert bracket.columns[2].slots == (
        (None, None, (None, None), None, tuple(Caption("winner", of=match) for match in semi_finals)),
    )
    assert third.columns[0].slots[0].notes == tuple(Caption("loser", of=match) for match in semi_finals)
    *_, final, beside = SINGLE.bracket(5, {"third_place": True})
    assert (final.section, final.column, final.name) == (
        Caption("bracket"),
        Caption("final"),
        Caption("final_match", 1),
    )
    assert {beside.section, beside.column} == {Caption("third_place")}
    assert beside.name == Caption("third_place_match")


def test_a_double_bracket_shows_who_waits_and_what_is_not_needed():
    stage = stage_of("abcd", won("ad", "bc"), won("ab", "dc"))
    winners, losers, finals = DOUBLE.display(stage).sections
    assert winners.columns[1].slots[0].winner == "a"
    assert losers.columns[1].slots[0].entries == ("d", "b")
    assert finals.columns[0].slots[0].entries == ("a", None)
    assert finals.columns[0].slots[0].notes == (Caption("winner", of=Caption("losers_match", 1, 2)),)
    over = stage._replace(rounds=(*stage.rounds, won("db"), won("ad")))
    assert DOUBLE.display(over).sections[2].columns[1].slots[0].notes == (Caption("not_needed"),)


@pytest.mark.parametrize(
    ("key", "options", "field", "message"),
    [
        ("single_elimination", {"replays": 6}, {}, "replays of single_elimination"),
        (
            "single_elimination",
            {"third_place": 1},
            {},
            "third_place of single_elimination",
        ),
        ("single_elimination", {"reset": True}, {}, "'reset'"),
        ("double_elimination", {"third_place": True}, {}, "options: reset, replays"),
        ("double_elimination", {}, {"entries": 1}, "double_elimination takes"),
        ("single_elimination", {}, {"entries": 1001}, "not 1001"),
        ("double_elimination", {}, {"sides": 3}, "this game has 3"),
    ],
)
def test_what_cannot_be_played_is_refused(key, options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        format_named(key).validate(options, **field)
