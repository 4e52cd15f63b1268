"""Every fixture of an elimination belongs to one match, every match is played, and its winner wins it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import pytest

from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import StageState
from league.verify.brackets import PlayedElimination, disagreements, elimination_disagreements
from tests.chance import at_most
from tests.league.formats.random_eliminations import RandomElimination, RuledFixture

PARTS = 20
IN_ALL, IN_CHECK = 100_000, 1_000
SINGLE, DOUBLE = format_named("single_elimination"), format_named("double_elimination")


def check(seed: int) -> None:
    made = RandomElimination(seed)
    stage = made.stage()
    course = made.format.bracket_state(stage)
    assert made.format.is_complete(stage)
    owned = Counter((number, place) for state in course.states for number, place, _ in state.drawn)
    for number, drawn in enumerate(stage.rounds, 1):
        for place, fixture in enumerate(drawn, 1):
            if not fixture.is_bye:
                assert owned[number, place] == 1, (seed, number, place)
    for state in course.states:
        for _, _, fixture in state.drawn:
            assert set(fixture.entries) <= set(state.entrants), seed
        if state.is_needed and None not in state.entrants and not state.drawn:
            assert set(state.entrants) & set(made.left), (seed, state.match.name)
    for number, fixtures in enumerate(made.rounds, 1):
        drawn_again = made.format.next_round(made.stage(number))
        assert drawn_again == tuple(fixture.pairing for fixture in fixtures), (seed, number)
    assert list(disagreements(made.played())) == [], seed


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_happens_every_match_is_played_by_fixtures_of_its_own(part: int) -> None:
    size = at_most(IN_ALL, IN_CHECK) // PARTS
    for seed in range(part * size, (part + 1) * size):
        check(seed)


def level(pair: str) -> FixtureOutcome:
    return FixtureOutcome(tuple(pair), dict.fromkeys(pair, Fraction()))


def won(pair: str, *, earlier: tuple[tuple[int, FixtureOutcome], ...] = ()) -> FixtureOutcome:
    """The first of the two won."""
    return FixtureOutcome(tuple(pair), {pair[0]: Fraction(1), pair[1]: Fraction(-1)}, earlier=earlier)


def test_a_ruling_on_a_replayed_fixture_leaves_the_match_to_its_replay() -> None:
    rounds = ((level("ad"), won("bc")), (won("da"),), (won("bd"),))
    stage = StageState(tuple("abcd"), {}, rounds)
    for ruled in (won("ad"), won("da"), FixtureOutcome(tuple("ad"), is_void=True)):
        after = stage._replace(rounds=((ruled, won("bc")), *rounds[1:]))
        assert SINGLE.is_complete(after)
        assert SINGLE.progress(after) == SINGLE.progress(stage)
        assert SINGLE.replayed(after) == {(2, 1): ((1, 1),)}
        still_open = after._replace(rounds=(after.rounds[0], (FixtureOutcome(tuple("da")),)))
        assert SINGLE.next_round(still_open) is None
        assert not SINGLE.is_complete(still_open)
        assert SINGLE.next_round(after._replace(rounds=after.rounds[:2])) == (("b", "d"),)


def test_a_ruling_on_the_last_fixture_decides_until_a_later_step_is_drawn() -> None:
    """While another match of the step is replayed: also a ruling after which the match is level."""
    rounds = ((won("ad", earlier=((2, won("da")),)), level("bc")), (won("bc"),))
    stage = StageState(tuple("abcd"), {}, rounds)
    assert SINGLE.next_round(stage) == (("a", "b"),)
    ruled_level = level("ad")._replace(earlier=((2, won("ad")),))
    stage = stage._replace(rounds=((ruled_level, level("bc")), (won("bc"),)))
    assert SINGLE.next_round(stage) == (("a", "d"),)
    stage = stage._replace(rounds=(*stage.rounds, (won("da"),)))
    assert SINGLE.next_round(stage) == (("b", "d"),)


def test_a_grand_final_is_told_from_its_replay_by_what_counted_when_it_was_drawn() -> None:
    begun = (
        (won("ad"), won("bc")),
        (won("ab"), won("dc")),
        (won("db"),),
    )
    replayed = won("da", earlier=((5, level("ad")),))
    stage = StageState(tuple("abcd"), {}, (*begun, (replayed,), (won("da"),)))
    assert DOUBLE.next_round(stage) == (("a", "d"),), "d won the replay: the second grand final follows"
    second = stage._replace(rounds=(*begun, (won("da"),), (won("da"),)))
    assert DOUBLE.is_complete(second), "d won the grand final, and the second one"
    assert DOUBLE.progress(second)["d"] > DOUBLE.progress(second)["a"]
    ruled = level("ad")._replace(earlier=((5, won("da")),))
    second = stage._replace(rounds=(*begun, (ruled,), (won("da"),)))
    assert DOUBLE.is_complete(second), "a ruling after the second grand final was drawn"


def test_without_the_history_of_outcomes_rounds_are_explained_by_who_met() -> None:
    """A level match that counts as won by now, in any stage: it keeps its champion."""
    changed = 0
    for seed in range(300):
        made = RandomElimination(seed)
        stage = made.stage()
        if made.rules or made.left or made.key != "single_elimination":
            continue
        for (last, place), earlier in SINGLE.replayed(stage).items():
            for number, at in earlier:
                changed += 1
                drawn = list(stage.rounds[number - 1])
                entries = drawn[at - 1].entries
                drawn[at - 1] = RuledFixture(entries).win(entries[1])
                rounds = (*stage.rounds[: number - 1], tuple(drawn), *stage.rounds[number:])
                after = stage._replace(rounds=rounds)
                assert SINGLE.is_complete(after), (seed, last, place)
                assert SINGLE.progress(after) == SINGLE.progress(stage), (seed, last, place)
    assert changed > 20


# --- planted errors: the checker finds each kind


def decided() -> RandomElimination:
    """A single elimination of eight without leavers, rulings or level matches."""
    for seed in range(10_000):
        made = RandomElimination(seed)
        is_plain = not (made.left or made.rules or made.levels)
        if is_plain and made.key == "single_elimination" and len(made.entries) == 8:
            return made
    raise AssertionError("no such stage")


def test_the_stage_without_a_planted_error_has_none() -> None:
    assert list(disagreements(decided().played())) == []


def test_a_fixture_that_belongs_to_no_match_is_found() -> None:
    made = decided()
    pairing = made.rounds[0][0].pairing
    extra = RuledFixture(pairing)
    extra.played = extra.win(pairing[0])
    found = list(disagreements(made.played(rounds=[*made.rounds[:1], [extra], *made.rounds[1:]])))
    assert any(sentence.startswith(", round 2: ") for sentence in found)


def test_a_match_that_was_decided_without_a_fixture_is_found() -> None:
    made = decided()
    (final,) = (f.pairing for f in made.rounds[-1][:1])
    found = list(disagreements(made.played(rounds=made.rounds[:-1])))
    assert any(sentence.startswith(": it ended") for sentence in found)
    assert list(disagreements(made.played(rounds=made.rounds[:-1], is_complete=False))) == []
    gone = {final[1]: len(made.rounds) - 1}
    left = made.played(rounds=made.rounds[:-1], left=gone, champion=final[0], third_place=False)
    assert list(disagreements(left)) == []


def test_a_level_match_that_was_not_replayed_is_found() -> None:
    made = decided()
    fixture = made.rounds[0][0]
    fixture.played = made.level(fixture)
    found = list(disagreements(made.played(replays=1)))
    assert any("replayed" in sentence for sentence in found)


def test_a_champion_that_did_not_win_the_final_is_found() -> None:
    made = decided()
    for entry in made.entries:
        found = list(disagreements(made.played(champion=entry)))
        assert bool(found) == (entry != made.played().champion)


def test_a_missing_match_for_the_third_place_is_found() -> None:
    made = decided()
    rounds = [*made.rounds[:-1], made.rounds[-1][:1]]
    assert list(disagreements(made.played(rounds=rounds, third_place=False))) == []
    assert list(disagreements(made.played(rounds=rounds, third_place=True)))


def of(rounds: list[list[FixtureOutcome]], entries: str, **changes: object) -> list[str]:
    """What is found in a double elimination of these rounds."""
    fixtures = [[as_played(outcome) for outcome in drawn] for drawn in rounds]
    asked = PlayedElimination(2, 1, False, True, tuple(entries), fixtures, {}, True)
    return list(disagreements(asked._replace(**changes)))


def test_in_a_double_elimination_a_final_that_was_left_out_or_not_due_is_found() -> None:
    begun = [[won("ad"), won("bc")], [won("ab"), won("dc")], [won("db")]]
    assert of([*begun, [won("ad")]], "abcd", champion="a") == []
    assert of([*begun, [won("da")], [won("ad")]], "abcd", champion="a") == []
    assert of(begun, "abcd", champion="a"), "no grand final"
    assert of([*begun, [won("da")]], "abcd", champion="d"), "no second grand final"
    assert of([*begun, [won("da")]], "abcd", champion="d", reset=False) == []
    assert of([*begun, [won("ad")], [won("ad")]], "abcd", champion="a"), "a second one that was not due"
    assert of([*begun[:2], [won("da")], [won("ab")]], "abcd", champion="a"), "an unbeaten one among losers"


@pytest.mark.parametrize(("left_at", "found"), [((1, 2), 1), ((1, 1), 0), ((2, 0), 1)])
def test_a_level_match_is_replayed_unless_an_entry_left_before(left_at: tuple[int, int], found: int) -> None:
    """Entry a leaves after two rounds of the stage, after one, or in a later stage."""
    options = {"format": "single_elimination", "options": {}, "state": "running", "closed_early": False}
    check = SimpleNamespace(
        stage={**options, "standings": []},
        number=1,
        where="stage 1",
        order=tuple("abcd"),
        fixtures=[[as_played(level("ad")), as_played(won("bc"))], [as_played(won("ab"))]],
        left_at={"a": left_at},
    )
    assert len([*elimination_disagreements(check)]) == found


def as_played(outcome: FixtureOutcome) -> RuledFixture:
    fixture = RuledFixture(outcome.entries)
    fixture.played = outcome
    return fixture
