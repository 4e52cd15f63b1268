"""What bots at two tables, or partners at one, can tell each other: nothing but what is declared."""

from __future__ import annotations

import doctest
import os
import random

import pytest

from tests.chance import EXHAUSTIVE
from tests.referee.between import figures, guesses
from tests.referee.between.channel import BOTS, Arrangement
from tests.referee.between.corpus import BY_NAME, CELLS, CHANNELS, problems
from tests.referee.between.guesses import Count, best_rule, carries, count_right, most_by_chance
from tests.referee.hostile import modes
from tests.referee.hostile.modes import MODES, Mode

GIVEN = [mode for mode in MODES if not modes.refusal(mode)]
SAMPLE = (
    "names.SetTimes",
    "names.Scratch",
    "locks.WholeFile",
    "locks.Leases",
    "locks.Futexes",
    "locks.ThreadEnds",
    "counters.FlyingDescriptors",
    "counters.PendingSignals",
)
"""Played in ``make check``; the others by ``make channels``."""
GUESSES = 1000 if EXHAUSTIVE else 60
MODE_WALL_S = 7200 if EXHAUSTIVE else 900
DROWNED = "without its wall"
AGAIN = 3
"""Times that what was not as declared is played once more."""


@pytest.mark.full
@pytest.mark.timeout(MODE_WALL_S + 60)
@pytest.mark.parametrize(
    "mode", [pytest.param(mode, id=mode.name) for mode in (GIVEN if EXHAUSTIVE else GIVEN[:1] + GIVEN[3:])]
)
def test_nothing_is_carried_but_what_is_declared(mode: Mode) -> None:
    is_first = mode == GIVEN[0]
    # What a channel carries differs little by mode: the other one shows half of them.
    names = () if EXHAUSTIVE else SAMPLE if is_first else SAMPLE[::2]
    # Without its wall a channel shows something only where it must carry.
    controls = "none" if not is_first else "also" if EXHAUSTIVE else "declared"
    words = [*names, "--guesses", str(GUESSES), "--controls", controls]
    outcome = modes.play_mode(mode, *words, module="tests.referee.between", wall_s=MODE_WALL_S)
    played = {(cell["channel"], cell["arrangement"], cell["walls"]) for cell in outcome.cases}
    for name in names:
        for arrangement in Arrangement:
            assert (name, arrangement, True) in played
            is_control = is_first and arrangement in BY_NAME[name].carries
            assert (name, arrangement, False) in played or not is_control
    found = problems(outcome.cases)
    for _ in range(AGAIN):
        # A busy machine breaks off a cell, or drowns what a channel carries without its wall. What walls let
        # through they let through again.
        names = sorted({problem.partition(":")[0].partition(",")[0] for problem in found})
        if names:
            words = [*names, "--guesses", str(GUESSES), "--controls", controls]
            found = problems(
                modes.play_mode(mode, *words, module="tests.referee.between", wall_s=MODE_WALL_S).cases
            )
    assert [problem for problem in found if DROWNED not in problem] == []
    if found and os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip(f"too busy a machine to show that the walls are needed: {found}")
    assert found == []


def test_what_is_not_as_declared_is_a_problem() -> None:
    cell = {"channel": "locks.Leases", "arrangement": "partners", "right": 90, "guesses": 100}
    assert problems([{**cell, "walls": True, "carries": True}])
    assert problems([{**cell, "walls": False, "carries": False}])
    assert not problems([{**cell, "walls": True, "carries": False}])
    assert not problems([{**cell, "walls": False, "carries": True}])
    at_once = {**cell, "arrangement": "at once", "walls": False, "carries": False}
    assert not problems([at_once, {**cell, "walls": False, "carries": True}])
    assert not problems([{**cell, "arrangement": "one after the other", "walls": False, "carries": False}])
    assert problems([{**cell, "walls": True, "problem": "the bot crashed"}])


def test_one_after_the_other_nothing_may_be_carried() -> None:
    """But for when a table starts, which the clock tells."""
    found = {channel.name for channel in CHANNELS if Arrangement.AFTER in channel.open}
    assert found == {"machine.Starts"}


def test_every_channel_is_declared_and_has_a_control() -> None:
    assert len(CHANNELS) == len(BY_NAME) >= 20
    for channel in CHANNELS:
        assert channel.does.endswith("."), channel.name
        assert bool(channel.without) != bool(channel.unremovable), channel.name
        assert bool(channel.without) == bool(channel.carries), channel.name
    modules = {path.stem for path in BOTS.glob("*.py")} - {"__init__", "native", "pair"}
    assert {channel.name.partition(".")[0] for channel in CHANNELS} == modules


def test_the_figures_are_of_channels_that_there_are() -> None:
    assert {cell["channel"] for cell in figures.read()} <= set(BY_NAME)
    assert problems(figures.read()) == []


def test_guesses_by_chance_stay_within_their_bounds() -> None:
    chance = random.Random(1)
    bits = [chance.randrange(2) for _ in range(1400)]
    readings = [[chance.random(), chance.randrange(5), 0] for _ in bits]
    assert not carries(count_right(readings, bits, 400), CELLS)


def test_a_bit_in_ten_that_is_told_is_seen() -> None:
    chance = random.Random(2)
    bits = [chance.randrange(2) for _ in range(1400)]
    readings = [[0, chance.random() + (bit if chance.random() < 0.25 else 0)] for bit in bits]
    assert carries(count_right(readings, bits, 400), CELLS)
    # Whichever way around.
    assert best_rule(readings, [1 - bit for bit in bits]).above != best_rule(readings, bits).above


def test_the_bound_is_the_binomials() -> None:
    # Of 10 tosses all are heads, or all tails, once in 512 times; with 5 cells that is within 1 %.
    assert most_by_chance(10, 1) == 9
    assert most_by_chance(10, 10) == 10
    assert not carries(Count(10, 10), 10)
    assert carries(Count(0, 10), 1)
    assert doctest.testmod(guesses).failed == 0
    assert (Count(50, 100).bits, Count(100, 100).bits) == (0, 1)
