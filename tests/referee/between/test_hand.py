"""A whole hand at two real tables of one board: carried from a disk, not carried from memory."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import secrets
from pathlib import Path

import pytest

from referee.bundle import Bundle, import_archive
from referee.contract import Clock, SeatOrder, TableOrder
from referee.driver import Driver
from referee.execute import execute
from referee.inprocess import InProcessDriver
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver
from referee.staging import staged_bundle
from tests.referee.archives import zipped
from tests.referee.between import walls
from tests.referee.between.setting import Setting
from tests.referee.hostile.case import BOTS
from tests.referee.orders import Store, make_order, silent_progress
from tests.referee.speakers import Honest

HAND = Path(__file__).with_name("hand")
MOST_BY_CHANCE = 9
"""Of 13 cards of 52, guessed: more are right once in a million times."""


def bundle_of(entry_point: str, tag: str) -> Bundle:
    files = {path.name: path.read_bytes() for path in HAND.glob("*.py") if path.name != "__init__.py"}
    files |= {f"{name}.py": (BOTS / f"{name}.py").read_bytes() for name in ("attempts", "honest")}
    files["tag.txt"] = tag.encode()
    files["rensho.toml"] = (
        f'name = "{entry_point}"\nruntime = "python/1"\nentry_point = "{entry_point}.py"\n'.encode()
    )
    return import_archive(zipped(files), "hand.zip")


def setting_of(bundle: Bundle) -> Setting:
    return Setting(staged_bundle(bundle.sha256, lambda _: bundle.data), runtime_named("python/1"))


def played(setting: Setting, bundle: Bundle, seat: int) -> list[str]:
    """The cards that the bot's log tells of, after a table at which it had this seat."""
    order = make_order(boards=1, clock=Clock(start_wall_ms=20_000, bank_cpu_ms_per_deal_board=4000))
    order = dataclasses.replace(
        order,
        seats=tuple(
            SeatOrder(each.seat, bundle.sha256, "python/1", bundle.manifest.entry_point)
            for each in order.seats
        ),
    )

    def make_driver(order: TableOrder, each: SeatOrder, folder: Path, cpu_limit_s: int) -> Driver:
        if each.seat != seat:
            return InProcessDriver(Honest(), order.limits)
        return SandboxedDriver(
            setting.bundle,
            setting.runtime,
            each.entry_point,
            order.limits,
            cpu_limit_s=cpu_limit_s,
            label=f"seat {seat}",
        )

    store = Store()
    report = execute(order, lambda _: bundle.data, store.keep, silent_progress, make_driver)
    assert report.platform_fault is None
    found = report.seats[seat - 1]
    assert not found.faults
    lines = [json.loads(line) for line in store.blobs[found.log_sha256].splitlines()]
    assert len(lines) == 1
    return list(lines[0][1])


def guessed_right(*, on_disk: bool) -> int:
    """How many of a hand's cards the second table's bot knows."""
    tag = secrets.token_hex(8)
    tells, guesses = bundle_of("tells", tag), bundle_of("guesses", tag)
    setting = setting_of(tells)
    with walls.on_disk(setting) if on_disk else contextlib.nullcontext():
        held = set(played(setting, tells, 2))
        # The runtime is common to all tables, as it is in an event.
        setting.bundle = setting_of(guesses).bundle
        guessed = set(played(setting, guesses, 3))
    assert len(held) == len(guessed) == 13
    return len(held & guessed)


@pytest.mark.full
def test_a_hand_is_carried_to_the_next_table_where_bots_run_from_a_disk() -> None:
    assert guessed_right(on_disk=True) > MOST_BY_CHANCE


@pytest.mark.full
def test_no_hand_is_carried_where_bots_run_from_memory() -> None:
    assert guessed_right(on_disk=False) <= MOST_BY_CHANCE
