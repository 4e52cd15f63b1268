"""A match as it is planned: who sits where on which boards."""

from collections import Counter
from pathlib import Path

import pytest

from bots.house import house_folders
from bots.kit.local.match import LocalMatch, board_batches, match_tables
from bots.kit.local.rules import rules_named
from bots.kit.local.sides import contenders_from
from engine import all_games
from league.fairness import local_board_seed
from league.rotation import TABLE_CPU_MS, circular_orders
from referee.clocks import decisions_bound
from referee.contract import BoardOrder

HOUSED = {name.partition("_")[0] for name in house_folders()}
PRESETS = [preset for key, game in all_games().items() if key in HOUSED for preset in game.presets]
"""Of the games there are house bots for, which fill the seats here."""


def planned(preset, boards, *options, kind="deal", seed="s"):
    rules = rules_named(preset, options, kind)
    sides = ["house:greedy", *["house:random"] * (len(rules.sides) - 1)]
    return LocalMatch(rules, tuple(contenders_from(sides, rules)), boards, seed)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_board_is_played_once_a_rotation_by_its_own_seed(preset):
    match = planned(preset, 40)
    sides = len(match.rules.sides)
    found = Counter()
    for table in match_tables(match):
        for board in table.order.boards:
            assert board.seed == local_board_seed("s", board.number)
            found[board.number, table.rotation] += 1
    assert found == {(board, rotation): 1 for board in range(1, 41) for rotation in range(sides)}


@pytest.mark.parametrize("preset", ["kakeya4", "kakeya6", "kakkuri"])
def test_everybody_has_every_side_once_a_batch(preset):
    match = planned(preset, 40)
    sides = match.rules.sides
    held = Counter()
    for table in match_tables(match):
        for side in sides:
            (position,) = {table.seating[seat] for seat in side}
            held[table.batch.number, position, side] += 1
    assert set(held.values()) == {1}
    assert len(held) == len(board_batches(match)) * len(sides) ** 2


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7, 8])
def test_neighbours_change_with_the_batches_until_all_have_met_equally_often(seats):
    cycle = len(circular_orders(seats))
    match = planned("kakkuri", 1000, f"seats={seats}")
    followed = Counter()
    for table in match_tables(match, board_batches(match)[:cycle]):
        seating = table.seating
        followed.update((seating[seat], seating[seat % seats + 1]) for seat in seating)
    assert len(followed) == seats * (seats - 1)
    assert len(set(followed.values())) == 1


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("boards", [1, 9, 19, 25, 100, 501])
def test_batches_hold_ten_deals_and_otherwise_no_more_than_a_table_of_the_server(preset, boards):
    match = planned(preset, boards)
    cut = board_batches(match)
    assert sum(batch.boards for batch in cut) == boards
    rules = match.rules
    bound = decisions_bound(rules.game, rules.ruleset, [BoardOrder(1, "deal", "")])
    a_board_ms = match.clock.bank_cpu_ms(["deal"]) + match.clock.increment_cpu_ms * bound
    most = (TABLE_CPU_MS - 1) // (a_board_ms * rules.game.seats(rules.ruleset))
    cycle = len(circular_orders(len(rules.sides)))
    for batch in cut:
        assert batch.boards >= min(10, boards)
        # Whole cycles of orders may take somewhat longer batches.
        assert batch.boards <= max(most, 19) * 2
    assert len(cut) < cycle or len(cut) % cycle == 0


def test_whole_games_are_played_by_themselves_if_they_are_long():
    cut = board_batches(planned("kakeya4.league", 10, kind="game"))
    assert [batch.boards for batch in cut] == [1] * 10


def test_keys_of_bots_follow_from_the_seed_and_differ_between_tables():
    keys = [table.order.key for table in match_tables(planned("kakeya4", 40))]
    assert keys == [table.order.key for table in match_tables(planned("kakeya4", 40))]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {table.order.key for table in match_tables(planned("kakeya4", 40, seed="other"))}


def test_a_single_file_without_a_manifest_is_a_bot(tmp_path):
    path = Path(tmp_path, "mine.py")
    path.write_text("pass\n")
    (contender, _) = contenders_from([str(path), "house:rules"], rules_named("kakeya4"))
    assert contender.bundles[0].manifest.entry_point == "mine.py"
