"""Opponents in the order of results, with what the ratings predict, and which of them are left out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.competition.entries.names import ListedBot, ListedEntry
from arena.features.ratings.current import RatedOpponent
from arena.features.ratings.models import Rating, RatingList
from arena.roster.models import BotVersion
from arena.standings.board_record import NO_RECORD, OpponentRecord
from arena.web.bots.board_records import (
    MAX_AT_EACH_END,
    MAX_WITHOUT_INTERVAL,
    OpponentTable,
    opponent_table,
    opposing_bots,
)
from league.intervals import mean_interval

LINE = Rating(
    list=RatingList(public_id="list1"), version=BotVersion(public_id="own1"), partner=Rating.Partner.SELF
)


def opponent(number: int, *stones: int, times: int = 1, share: float = 1.0, bots: int = 1) -> OpponentRecord:
    """An opponent against whom the boards had these scores, repeated."""
    met = tuple(ListedBot(10 * number + place, 1, f"bot {number}", "") for place in range(bots))
    entry = ListedEntry(number, f"entry{number}", f"player{number}", False, None, met)
    scores = [Fraction(stone) for stone in stones] * times
    return OpponentRecord(entry, "kakeya", 1, 1, 0, 0, mean_interval(scores), share)


def table_of(*opponents: OpponentRecord, **ratings: RatedOpponent) -> OpponentTable:
    """The table of these opponents, highest mean first, as a record has them."""
    ordered = sorted(opponents, key=lambda each: -each.interval.mean)
    rated = {int(bot.removeprefix("bot")): rating for bot, rating in ratings.items()}
    return opponent_table(NO_RECORD._replace(opponents=tuple(ordered)), LINE, rated)


def players(table: OpponentTable) -> list[str]:
    return [line.label.player for line in table.lines]


def test_clear_results_are_named_and_few_boards_are_never_clear() -> None:
    table = table_of(
        opponent(1, 1, 2, times=10),
        opponent(2, -1, 1, times=10),
        opponent(3, -2, -1, times=10),
        opponent(4, 3, 3, times=2),
        opponent(5, -3, -3, times=4),
    )
    assert players(table) == ["player1", "player2", "player3", "player5", "player4"]
    assert [line.label.player for line in table.wins] == ["player1"]
    assert [line.label.player for line in table.losses] == ["player3"]
    assert [bool(line.interval) for line in table.lines] == [True, True, True, False, False]
    assert [line.result for line in table.lines] == ["win", "", "loss", "", ""]


def test_of_many_opponents_those_at_both_ends_are_listed() -> None:
    known = [opponent(number, number, number + 1, times=5) for number in range(20)]
    few = [opponent(100 + number, 1, times=1 + number % 9) for number in range(10)]
    table = table_of(*known, *few)
    assert len(table.lines) == 2 * MAX_AT_EACH_END + MAX_WITHOUT_INTERVAL
    assert table.more == 30 - len(table.lines)
    ends = [f"player{number}" for number in (*range(19, 11, -1), *range(7, -1, -1))]
    assert players(table)[: 2 * MAX_AT_EACH_END] == ends
    boards = [line.record.boards for line in table.lines[2 * MAX_AT_EACH_END :]]
    assert boards == sorted(boards, reverse=True)


def test_the_prediction_depends_on_the_number_of_sides_and_pairs_have_none() -> None:
    rating = RatedOpponent("other1", 0.4)
    duel, three, pair = opponent(1, 1), opponent(2, 1, share=0.75), opponent(3, 1, bots=2)
    table = table_of(duel, three, pair, bot10=rating, bot20=rating, bot30=rating)
    assert {line.label.player: line.expected for line in table.lines} == {
        "player1": "+0.40",
        "player2": "+0.30",
        "player3": "",
    }
    assert table.has_expected
    assert table.lines[0].comparison == "/ratings/list1?a=own1&b=other1#compare"
    assert opposing_bots(NO_RECORD._replace(opponents=(duel, three, pair))) == {10, 20}


@pytest.mark.parametrize("opponents", [(), (opponent(1, 1),)])
def test_without_ratings_there_is_no_prediction(opponents: tuple[OpponentRecord, ...]) -> None:
    table = table_of(*opponents)
    assert len(table.lines) == len(opponents)
    assert not table.has_expected
