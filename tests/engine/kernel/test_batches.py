"""Batches of playouts: which numbers they take, and how they end before the last."""

import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from engine.kernel import (
    KernelError,
    Limits,
    Playouts,
    SheddingPlayouts,
    playing,
    playout_line,
    playouts,
    playouts_by_card,
    shedding,
    shedding_legal,
    shedding_line,
    shedding_playouts,
    shedding_playouts_by_action,
    shedding_search,
)
from engine.kernel.shedding import deal_of
from engine.kernel.shedding_walk import DealWalk
from tests.engine.kernel.batches import BATCHES, CARDS, SEATS
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]
of_every_batch = pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
LONG = 2 * playing.SLICE_SIZE + 5
"""Two whole slices and a part."""


class AtLook:
    """Cancels at the look of this number."""

    def __init__(self, number):
        self.left = number

    def is_set(self):
        self.left -= 1
        return self.left <= 0


def results_of(batch):
    """What a batch found, of each card or action, or the only one."""
    return list(batch.values()) if isinstance(batch, dict) else [batch]


def test_slices_add_up_to_the_playouts_of_each_number():
    ones = [playouts(CARDS, 1, 7, number) for number in range(LONG)]
    assert playouts(CARDS, LONG, 7) == Playouts(*map(sum, zip(*ones, strict=True)))
    ones = [shedding_playouts(SEATS, 1, 7, number) for number in range(LONG)]
    assert shedding_playouts(SEATS, LONG, 7) == SheddingPlayouts(
        LONG,
        tuple(map(sum, zip(*(found.totals for found in ones), strict=True))),
        tuple(map(sum, zip(*(found.squares for found in ones), strict=True))),
    )


def test_a_search_in_slices_is_one_walk_of_each_round():
    found = shedding_search([SEATS], LONG, 7)
    own = shedding_legal(SEATS).index(next(iter(found)))
    second = [index for index, action in enumerate(shedding_legal(SEATS)) if action in list(found)[1:]]
    rounds = (len(found) - 1).bit_length()
    walk = DealWalk(deal_of(SEATS))
    edges = [LONG * number // rounds for number in range(rounds + 1)]
    for start, end in pairwise(edges):
        walk.load(SEATS, [])
        walk.run(own, sum(1 << index for index in (own, *second)), start, end - start, 7)
    assert walk.result_of(own) == found[shedding_legal(SEATS)[own]][1:]
    to_the_end = [index for index in second if found[shedding_legal(SEATS)[index]].n == LONG]
    assert to_the_end
    for index in to_the_end:
        assert walk.result_of(index) == found[shedding_legal(SEATS)[index]][1:]


@of_every_batch
def test_limits_that_do_not_bind_change_nothing(batch):
    assert batch(LONG, limits=Limits(seconds=1e9, cancel=threading.Event())) == batch(LONG)
    assert batch(LONG, limits=None) == batch(LONG)


@of_every_batch
@pytest.mark.parametrize("looks", [1, 2])
def test_a_batch_that_is_cancelled_has_what_was_done(batch, looks):
    found = results_of(batch(1 << 30, limits=Limits(cancel=AtLook(looks))))
    (n,) = {results.n for results in found}
    assert 0 < n <= looks * playing.SLICE_SIZE
    if len(found) == 1:
        assert n == looks * playing.SLICE_SIZE
        assert found == results_of(batch(n))


def test_after_a_cancel_between_worlds_every_card_has_as_many():
    for found, whole in (
        (
            playouts_by_card([CARDS] * 9, 10, 1, limits=Limits(cancel=AtLook(3))),
            playouts_by_card([CARDS] * 3, 10, 1),
        ),
        (
            shedding_playouts_by_action([SEATS] * 9, 10, 1, limits=Limits(cancel=AtLook(3))),
            shedding_playouts_by_action([SEATS] * 3, 10, 1),
        ),
    ):
        assert found == whole


@of_every_batch
def test_a_batch_has_its_time(batch):
    found = results_of(batch(1 << 30, limits=Limits(seconds=0.01)))
    assert all(0 < results.n < 1 << 30 for results in found)


@of_every_batch
def test_limits_of_a_batch_are_checked(batch):
    for limits, message in (
        (Limits(nodes=5), r"nodes of 5 limit no playouts"),
        (Limits(nodes=10**5000), "nodes of a huge int limit no playouts"),
        (Limits(seconds=0), "a limit of 0 seconds is none"),
        (7, "not Limits: 7"),
    ):
        with pytest.raises(KernelError, match=message):
            batch(1, limits=limits)


@pytest.mark.parametrize("name", ["playouts", "shedding", "search"])
def test_a_signal_interrupts_a_batch(name):
    script = f"""
import signal
from tests.engine.kernel.batches import BATCHES

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    BATCHES[{name!r}](1 << 40)
except KeyboardInterrupt:
    print("interrupted")
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.stdout, ended.stderr) == ("interrupted\n", "")


@of_every_batch
@pytest.mark.parametrize("wrong", [1.5, True, "3", None])
def test_numbers_that_are_not_whole_are_refused_by_name(batch, wrong):
    with pytest.raises(KernelError, match=f"n.*{wrong!r}"):
        batch(wrong)
    with pytest.raises(KernelError, match=f"seed.*{wrong!r}"):
        batch(1, wrong)


@pytest.mark.parametrize("wrong", [0.5, False, "0", None])
def test_a_first_playout_that_is_not_whole_is_refused_by_name(wrong):
    message = f"first.*{wrong!r}"
    with pytest.raises(KernelError, match=message):
        playouts(CARDS, 1, 1, wrong)
    with pytest.raises(KernelError, match=message):
        shedding_playouts(SEATS, 1, 1, wrong)
    message = f"number.*{wrong!r}"
    with pytest.raises(KernelError, match=message):
        playout_line(CARDS, 1, wrong)
    with pytest.raises(KernelError, match=message):
        shedding_line(SEATS, 1, wrong)


def test_all_playouts_of_a_call_fit_the_numbers_there_are():
    assert playing.SLICE_SIZE == shedding.SLICE_SIZE
    assert "549755813889" in str(refusal(KernelError, playouts_by_card, [CARDS] * 2, (1 << 39) + 1, 1))
