"""Given fixtures: exactly those listed, in one round, and nothing else."""

import json

import pytest

from league.errors import FormatError
from league.export_values import OPTION
from league.formats import all_formats, format_named, offered_formats
from league.scoring import FixtureOutcome
from league.stage import StageState
from tests.refusals import refusal

GIVEN = format_named("given")
FIXTURES = [[1, 2], [3, 1], [2, 3]]


def stage(fixtures=FIXTURES, entries="abc", **fields):
    return StageState(tuple(entries), {"fixtures": fixtures}, **fields)


def played(of):
    drawn = GIVEN.next_round(of)
    return of._replace(rounds=(tuple(FixtureOutcome(met, {met[0]: 1, met[1]: -1}) for met in drawn),))


def test_exactly_what_is_listed_is_played_in_one_round():
    drawn = GIVEN.next_round(stage())
    assert drawn == (("a", "b"), ("c", "a"), ("b", "c"))
    assert not GIVEN.is_complete(stage())
    over = played(stage())
    assert GIVEN.next_round(over) is None
    assert GIVEN.is_complete(over)
    open_ = over._replace(rounds=((FixtureOutcome(("a", "b")), *over.rounds[0][1:]),))
    assert not GIVEN.is_complete(open_)
    for so_far in (stage(), over):
        display = GIVEN.display(so_far)
        assert json.loads(json.dumps(display))
        assert [slot.entries for slot in display.sections[0].columns[0].slots] == list(drawn)


def test_fixtures_of_who_left_are_not_played_and_nobody_has_a_bye():
    assert GIVEN.next_round(stage(left=frozenset("a"))) == (("b", "c"),)
    nobody = stage(left=frozenset("ab"))
    assert GIVEN.next_round(nobody) is None
    assert GIVEN.is_complete(nobody)


def test_tables_of_more_sides_keep_the_order_round_the_table():
    fixtures = [[1, 2, 3], [1, 3, 2], [4, 1, 2]]
    assert GIVEN.next_round(stage(fixtures, "abcd", sides=3))[1] == ("a", "c", "b")
    assert GIVEN.max_fixtures(4, {"fixtures": fixtures}, sides=3) == 3


@pytest.mark.parametrize(
    ("fixtures", "words"),
    [
        (None, "fixtures of given"),
        ([], "fixtures of given"),
        ([[1, 2], "3-1"], "fixtures of given"),
        ([[1, 2], [True, 3]], "fixtures of given"),
        ([[0, 2]], "fixtures of given"),
        ([[1, 2, 3]], "3 seeds"),
        ([[1, 1]], "seed twice"),
        ([[1, 2], [2, 1]], "twice"),
        ([[1, 2], [2, 4]], "seed 3"),
        ([[1, 2]], "seed 3"),
    ],
)
def test_what_cannot_be_played_is_named(fixtures, words):
    with pytest.raises(FormatError, match=words):
        GIVEN.validate({"fixtures": fixtures}, entries=3)


def test_its_fixtures_must_be_given_and_fit_the_field():
    assert "option fixtures" in str(refusal(FormatError, GIVEN.validate, {}))
    GIVEN.validate({"fixtures": FIXTURES})
    assert "seed 3" in str(refusal(FormatError, GIVEN.validate, {"fixtures": FIXTURES}, entries=2))


def test_it_is_not_on_offer_and_no_list_names_it():
    assert "given" in all_formats()
    assert "given" not in offered_formats()
    assert "given" not in str(refusal(FormatError, format_named, "gibben"))


def test_an_export_may_have_its_option():
    assert OPTION.allows(FIXTURES)
    assert not OPTION.allows([[1, "2"]])
    assert not OPTION.allows([[1, [2]]])
