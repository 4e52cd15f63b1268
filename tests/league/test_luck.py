"""How much luck duplicate play took out of an event: the factor, its interval, and when there is none."""

import random
from fractions import Fraction
from statistics import pvariance

import pytest

from league.errors import ScoresError
from league.luck import FixtureStones, Luck, TooFewBoards, luck_of_fixtures
from tests.league.stones import duel, event


def test_the_factor_worked_by_hand():
    # Tables: +2, -2 and so on by the cards, and one stone more on every fourth board at the first table.
    first, second = [3, -2, 2, -2] * 8, [-2, 2, -2, 2] * 8
    found = luck_of_fixtures([duel("f", "s", first, second)])
    both = [Fraction(a + b, 2) for a, b in zip(first, second, strict=True)]
    expected = Fraction(pvariance(first) + pvariance(second)) / 4 / pvariance(both)
    assert isinstance(found, Luck)
    assert found.factor == pytest.approx(float(expected))
    assert found.spread == pytest.approx(float(pvariance(both) * 32 / 31) ** 0.5)
    assert found.spread_without == pytest.approx(found.spread * found.factor**0.5)
    assert (found.fixtures, found.boards) == (1, 32)


def test_cards_of_their_own_at_every_table_give_a_factor_near_one():
    rng = random.Random(2)
    draw = [[rng.gauss(0, 3) for _ in range(400)] for _ in range(2)]
    found = luck_of_fixtures([duel("f", "s", *[[round(value) for value in values] for values in draw])])
    assert found.low < 1 < found.high
    assert found.factor == pytest.approx(1, abs=0.15)


def test_a_role_that_always_wins_is_no_luck():
    rng = random.Random(3)
    first, second = ([rng.randint(-2, 2) for _ in range(64)] for _ in range(2))
    plain = luck_of_fixtures([duel("f", "s", first, second)])
    leader = luck_of_fixtures(
        [duel("f", "s", [value + 5 for value in first], [value - 5 for value in second])]
    )
    assert leader.factor == plain.factor
    assert (leader.low, leader.high) == pytest.approx((plain.low, plain.high))


@pytest.mark.parametrize("sides", [2, 3, 4])
def test_an_event_is_its_fixtures_whatever_their_order(sides):
    rng = random.Random(4)
    played = event(rng, sides=sides)
    found = luck_of_fixtures(played)
    assert found == luck_of_fixtures(rng.sample(played, len(played)))
    without = duplicate = 0.0
    for one in played:
        for side in range(sides):
            tables = [[row[table][side] for row in one.stones] for table in range(sides)]
            without += sum(pvariance(values) for values in tables) / sides**2
            duplicate += pvariance([Fraction(sum(values), sides) for values in zip(*tables, strict=True)])
    assert found.factor == pytest.approx(float(without / duplicate))
    assert found.factor > 1.5


def test_fixtures_on_the_same_boards_are_not_as_much_as_on_boards_of_their_own():
    one = event(random.Random(5), fixtures=1, sets=6)
    copies = [half._replace(fixture=half.fixture + name) for half in one for name in "ab"]
    assert luck_of_fixtures(copies) == luck_of_fixtures(one)._replace(fixtures=12)
    apart = luck_of_fixtures([half._replace(board_set=half.board_set + half.fixture[-1]) for half in copies])
    assert apart.boards == 2 * 96
    assert apart.low > luck_of_fixtures(one).low * 1.02


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("fixtures", "sets", "boards"), [(4, 12, 4), (2, 24, 2), (4, 4, 16)])
def test_intervals_cover_the_factor(fixtures, sets, boards):
    rng = random.Random(6)
    truth = luck_of_fixtures(event(rng, sets=2, boards=2000)).factor
    found = [luck_of_fixtures(event(rng, fixtures=fixtures, sets=sets, boards=boards)) for _ in range(60)]
    assert 52 <= sum(one.low <= truth <= one.high for one in found) <= 60
    width = sorted(one.high / one.low for one in found)[30]
    assert 1.2 < width < 4


def test_too_few_boards_give_no_factor():
    first = [1, 0, -1, 2] * 8
    few = luck_of_fixtures([duel("f", "s", first[:31], first[:31])])
    assert few.boards == 31
    assert isinstance(luck_of_fixtures([duel("f", "s", first, first)]), Luck)
    assert luck_of_fixtures([]) == TooFewBoards(0, 32, 0, 12)
    # A set of one board says nothing about variance.
    assert luck_of_fixtures([duel(f"f{at}", f"s{at}", [1], [0]) for at in range(40)]).boards == 0


def test_sides_that_mostly_play_alike_give_no_factor():
    cards = [3, -1, 2, 0] * 12
    assert luck_of_fixtures([duel("f", "s", cards, [-value for value in cards])]) == TooFewBoards(
        48, 32, 0, 12
    )


@pytest.mark.parametrize(
    ("stones", "message"),
    [
        ([[(1, -1), (0, 0)], [(1, -1)]], "fixture f"),
        ([[(1, -1)], [(1, -1)]], "fixture f"),
        ([[(1, -1), (0, 0)], [(1, -1), (0, 0, 0)]], "fixture f"),
        ([[(1, -1), (0, 0)], [(1, -1), (1, 0)]], "fixture f"),
    ],
)
def test_what_is_no_fixture_is_refused(stones, message):
    with pytest.raises(ScoresError, match=message):
        luck_of_fixtures([FixtureStones("f", "s", stones)])


def test_fixtures_of_a_set_have_its_boards():
    with pytest.raises(ScoresError, match="board set s"):
        luck_of_fixtures([duel("f", "s", [1, 0], [0, 0]), duel("g", "s", [1, 0, 0], [0, 0, 0])])
