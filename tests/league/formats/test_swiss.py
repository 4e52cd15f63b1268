"""Swiss: like scores meet, nobody twice; one bye at most; both sides to everybody; owners kept apart."""

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from league.errors import FormatError
from league.formats import format_named
from league.formats.swiss import default_rounds, remaining_field
from league.pairing import PairingEntry, is_round_guaranteed, pair_round, pairing_order
from league.scoring import FixtureOutcome
from league.stage import StageState
from tests.chance import examples
from tests.league.formats.simulated import met, names, play, renamed, shuffled, up_to

SWISS = format_named("swiss")
SEEDS = st.integers(0, 2**32)


def pairs_met(stage):
    return [frozenset(fixture.entries) for fixture in met(stage) if not fixture.is_void]


def byes_had(stage):
    return Counter(f.entries[0] for drawn in stage.rounds for f in drawn if f.is_bye)


def first_less_second(stage):
    balance = Counter(dict.fromkeys(stage.entries, 0))
    for fixture in met(stage):
        if not fixture.is_void:
            balance[fixture.entries[0]] += 1
            balance[fixture.entries[1]] -= 1
    return balance


def could_be_drawn(stage):
    """Whether somebody can meet somebody new, and all others have a first bye: asked of a plain matching."""
    unmet = nx.Graph()
    unmet.add_nodes_from(stage.present)
    unmet.add_edges_from(
        two for two in combinations(stage.present, 2) if frozenset(two) not in set(pairs_met(stage))
    )
    for first, other in unmet.edges:
        unmet[first][other]["weight"] = sum(entry in byes_had(stage) for entry in (first, other))
    matching = nx.max_weight_matching(unmet)
    reached = {entry for pair in matching for entry in pair}
    return bool(unmet.edges) and all(entry in reached for entry in stage.present if entry in byes_had(stage))


@examples(40)
@given(st.integers(2, 30), SEEDS, st.sampled_from([0, 0.03, 0.15]), st.sampled_from([0, 0.1]))
def test_whatever_happens_nobody_meets_twice_or_has_two_byes_and_everyone_plays_on(n, seed, leave, void):
    most = n - 1 + n % 2
    options = {"rounds": random.Random(seed).randint(1, most)}
    stage, left_before = play("swiss", names(n), options, seed=seed, leave=leave, void=void)
    assert len(set(pairs_met(stage))) == len(pairs_met(stage))
    assert max(byes_had(stage).values(), default=0) <= 1
    for drawn, left in zip(stage.rounds, left_before, strict=True):
        assert {e for fixture in drawn for e in fixture.entries} == set(stage.entries) - left
    if len(stage.rounds) < options["rounds"]:
        assert not could_be_drawn(stage)


@examples(20)
@given(st.integers(2, 40), SEEDS)
@example(3, 1)
def test_the_usual_rounds_are_all_played_with_one_bye_a_round_and_sides_in_balance(n, seed):
    stage, _ = play("swiss", names(n), seed=seed)
    assert len(stage.rounds) == default_rounds(n)
    assert all(sum(f.is_bye for f in drawn) == n % 2 for drawn in stage.rounds)
    assert max(map(abs, first_less_second(stage).values())) <= 2


@examples(15)
@given(st.integers(4, 24), SEEDS)
def test_up_to_half_as_many_rounds_as_entries_are_always_possible(n, seed):
    rounds = (n + 1) // 2
    stage, _ = play("swiss", names(n), {"rounds": rounds}, seed=seed)
    assert len(stage.rounds) == rounds


def test_a_large_field_with_leavers_voids_and_owners_plays_to_the_end():
    rng = random.Random(7)
    owners = {entry: f"o{rng.randrange(20)}" for entry in names(121)}
    stage, _ = play("swiss", names(121), {"rounds": 6}, seed=5, leave=0.02, void=0.02, owners=owners)
    assert len(stage.rounds) == 6
    assert len(set(pairs_met(stage))) == len(pairs_met(stage))
    assert not any(owners[first] == owners[other] for first, other in pairs_met(stage))
    assert max(map(abs, first_less_second(stage).values())) <= 2


@examples(15)
@given(st.integers(2, 24), SEEDS)
def test_order_of_arrival_and_names_do_not_matter_and_the_same_input_gives_the_same_round(n, seed):
    stage, left_before = play("swiss", names(n), seed=seed, leave=0.05, void=0.05)
    last = up_to(stage, len(stage.rounds), left_before)
    drawn = SWISS.next_round(last)
    assert drawn == SWISS.next_round(shuffled(last, seed)) == tuple(f.entries for f in stage.rounds[-1])
    other_of = dict(zip(names(n), reversed(names(n)), strict=True))
    assert SWISS.next_round(renamed(last, other_of)) == tuple(
        tuple(other_of[entry] for entry in pairing) for pairing in drawn
    )


def test_the_first_round_brings_the_upper_half_against_the_lower_with_sides_in_turns():
    assert SWISS.next_round(StageState(tuple("abcdefgh"), {})) == (
        ("a", "e"),
        ("f", "b"),
        ("c", "g"),
        ("h", "d"),
    )


def won(*pairs):
    """A round in which the first of each pair won by 2."""
    return tuple(
        FixtureOutcome(tuple(p), {p[0]: Fraction(2), p[1]: Fraction(-2)})
        if len(p) == 2
        else FixtureOutcome(tuple(p))
        for p in pairs
    )


def test_winners_meet_winners():
    stage = StageState(tuple("abcdefgh"), {"rounds": 3}, (won("ae", "bf", "cg", "dh"),))
    assert {frozenset(p) for p in SWISS.next_round(stage)} == {frozenset(p) for p in ("ac", "bd", "eg", "fh")}


def test_board_scores_decide_who_is_near_where_the_stage_goes_by_them():
    totals = {"a": 9, "e": -9, "b": 1, "f": -1, "c": 8, "g": -8, "d": 2, "h": -2}
    drawn = tuple(
        FixtureOutcome(tuple(p), {entry: Fraction(totals[entry]) for entry in p})
        for p in ("ae", "bf", "cg", "dh")
    )
    stage = StageState(tuple("abcdefgh"), {"rounds": 3}, (drawn,), scoring="board_score")
    assert {frozenset(p) for p in SWISS.next_round(stage)} == {frozenset(p) for p in ("ac", "bd", "fh", "eg")}


def test_the_bye_goes_to_the_lowest_who_had_none_and_counts_as_a_win():
    stage = StageState(tuple("abcde"), {"rounds": 4}, (won("ac", "bd", "e"),))
    assert SWISS.next_round(stage)[-1] == ("d",)
    levels = {stage.entries[player.entry]: player.level for player in remaining_field(stage)[0]}
    assert levels == {"a": 0, "b": 0, "e": 0, "c": 1, "d": 1}


def test_a_void_fixture_counts_as_never_drawn():
    void = tuple(FixtureOutcome(tuple(p), is_void=True) for p in ("ac", "bd"))
    stage = StageState(tuple("abcd"), {"rounds": 3})
    assert SWISS.next_round(stage) == SWISS.next_round(stage._replace(rounds=(void,)))


@pytest.mark.parametrize(
    ("player", "other", "first"),
    [
        ({"first": 1, "last": 1}, {"first": 0, "last": -1}, 1),
        ({"first": -1, "last": -1}, {"first": 0, "last": 1}, 0),
        ({"first": 0, "last": 1}, {"first": 0, "last": -1}, 1),
        ({"first": 1, "last": 1}, {"first": 1, "last": 1}, 0),
    ],
)
def test_who_was_first_side_more_often_or_last_time_is_second(player, other, first):
    two = [
        PairingEntry(0, 0, 0, 0, False, None)._replace(**player),
        PairingEntry(1, 0, 0, 0, False, None)._replace(**other),
    ]
    assert pair_round(two, {}).pairs[0][0] == first


def test_the_field_shrinks_until_no_round_is_possible_and_then_the_stage_is_over():
    stage = StageState(tuple("abcd"), {"rounds": 3}, (won("ac", "bd"), won("ab", "cd")))
    three = stage._replace(left=frozenset("d"))
    assert set(map(frozenset, SWISS.next_round(three))) == {frozenset("bc"), frozenset("a")}
    two = stage._replace(left=frozenset("cd"))
    assert SWISS.next_round(two) is None
    assert SWISS.is_complete(two)
    assert SWISS.is_complete(stage._replace(left=frozenset("bcd")))
    going_on = two._replace(rounds=(two.rounds[0], (FixtureOutcome(("a", "b")),)))
    assert not SWISS.is_complete(going_on)


def test_more_than_one_may_have_a_first_bye_rather_than_anybody_meet_again():
    played = (won("ab", "cd", "ef"), won("ac", "be", "df"), won("ad"))
    stage = StageState(tuple("abcdef"), {"rounds": 5}, played, left=frozenset("ef"))
    assert SWISS.next_round(stage) == (("c", "b"), ("a",), ("d",))
    met_all = {0: frozenset((1, 2, 3)), 1: frozenset((0,)), 2: frozenset((0,)), 3: frozenset((0,))}
    assert pair_round(plain(4), met_all).byes == (0, 3)
    second_bye = [player._replace(had_bye=player.entry == 0) for player in plain(4)]
    assert pair_round(second_bye, met_all) is None


@examples(40)
@given(st.integers(2, 9), SEEDS)
def test_owners_meet_only_as_often_as_no_other_round_could_avoid(half, seed):
    """Against every way to pair a small field, by trying them all."""
    rng = random.Random(seed)
    count = min(2 * half, 8)
    entries = names(count)
    owners = {entry: rng.choice("xyz") for entry in entries}
    stage = StageState(entries, {"rounds": 2}, owners=owners)
    first = SWISS.next_round(stage)
    stage = stage._replace(rounds=(won(*first),))
    if (second := SWISS.next_round(stage)) is None:
        return
    allowed = [p for p in all_pairings(entries) if not set(p) & set(pairs_met(stage))]
    fewest = min(sum(len({owners[e] for e in two}) == 1 for two in pairing) for pairing in allowed)
    assert sum(owners[entry] == owners[other] for entry, other in second) == fewest


def all_pairings(entries):
    if not entries:
        yield []
        return
    head, *rest = entries
    for other in rest:
        for more in all_pairings([entry for entry in rest if entry != other]):
            yield [frozenset((head, other)), *more]


def test_owners_are_not_kept_apart_where_the_organiser_says_so():
    owners = dict(zip("abcd", "xyxz", strict=True))
    stage = StageState(tuple("abcd"), {}, owners=owners)
    assert not {("a", "c"), ("c", "a")} & set(SWISS.next_round(stage))
    assert SWISS.next_round(stage._replace(options={"owners_apart": False}))[0] == ("a", "c")


def test_an_owner_of_most_entries_meets_itself_as_rarely_as_can_be_in_a_large_field():
    entries = names(100)
    owners = {entry: "much" if number % 5 else entry for number, entry in enumerate(entries)}
    drawn = SWISS.next_round(StageState(entries, {}, owners=owners))
    assert sum(owners[first] == owners[other] for first, other in drawn) == (80 - 20) // 2


def plain(count, **fields):
    return [PairingEntry(number, 0, 0, 0, False, None)._replace(**fields) for number in range(count)]


def test_all_having_had_a_bye_an_odd_field_cannot_be_drawn():
    assert pair_round(plain(3), {}) is not None
    assert pair_round(plain(3, had_bye=True), {}) is None
    assert pair_round(plain(1), {}) is None


@given(st.integers(2, 12), SEEDS)
def test_what_is_called_surely_possible_is_possible(count, seed):
    rng = random.Random(seed)
    players = [player._replace(had_bye=rng.random() < 0.4) for player in plain(count)]
    opponents = {number: set() for number in range(count)}
    for first, other in combinations(range(count), 2):
        if rng.random() < 0.4:
            opponents[first].add(other)
            opponents[other].add(first)
    so_far = {number: frozenset(others) for number, others in opponents.items()}
    if is_round_guaranteed(players, so_far):
        drawn = pair_round(players, so_far)
        assert len(drawn.byes) == count % 2


def test_nobody_who_had_one_side_twice_more_has_it_again_while_others_can_take_it():
    players = [player._replace(first=2 if player.entry < 2 else 0) for player in plain(4)]
    drawn = pair_round(players, {})
    assert {frozenset(pair) for pair in drawn.pairs} != {frozenset((0, 1)), frozenset((2, 3))}
    assert all(second in (0, 1) for _, second in drawn.pairs)


def test_pairing_order_folds_every_level():
    levels = [0, 0, 0, 1, 1, 1, 1, 2]
    players = [PairingEntry(number, level, 0, 0, False, None) for number, level in enumerate(levels)]
    assert [player.entry for player in pairing_order(players)] == [0, 2, 1, 3, 5, 4, 6, 7]


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"rounds": 0}, {}, "rounds of swiss"),
        ({"rounds": 101}, {}, "not 101"),
        ({"rounds": True}, {}, "not True"),
        ({"owners_apart": 1}, {}, "owners_apart of swiss"),
        ({"cycles": 1}, {}, "'cycles'"),
        ({"rounds": 4}, {"entries": 4}, "rounds of swiss"),
        ({"rounds": 6}, {"entries": 5}, "1 to 5"),
        ({}, {"entries": 1}, "swiss takes"),
        ({}, {"entries": 1001}, "not 1001"),
        ({}, {"sides": 3}, "this game has 3"),
    ],
)
def test_what_cannot_be_played_is_refused(options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        SWISS.validate(options, **field)
