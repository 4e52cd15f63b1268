"""Orders for tests, a store for what a table leaves behind, and the shortest way to play one."""

from __future__ import annotations

import dataclasses
import hashlib
import json

from engine import preset_named
from referee.contract import BoardOrder, Clock, FaultPolicy, Limits, SeatOrder, TableOrder
from referee.inprocess import InProcessDriver
from referee.table import play_table

BUNDLES = {seat: f"{seat}" * 64 for seat in range(1, 9)}


class Store:
    """Keeps bytes by hash, as the platform's blob store does."""

    def __init__(self):
        self.blobs = {}

    def keep(self, data):
        sha256 = hashlib.sha256(data).hexdigest()
        self.blobs[sha256] = data
        return sha256

    def lines(self, sha256):
        return [json.loads(line) for line in self.blobs[sha256].splitlines()]


def make_order(*, preset="kakeya4", boards=2, kind="deal", options=None, **changes):
    game, _ = preset_named(preset)
    ruleset = game.ruleset(preset, options)
    order = TableOrder(
        table="t1",
        attempt=1,
        game=game.key,
        preset=preset,
        ruleset=ruleset.as_dict(),
        boards=tuple(BoardOrder(number, kind, f"seed-{number}") for number in range(1, boards + 1)),
        seats=tuple(
            SeatOrder(seat, BUNDLES[seat], "python/1", "bot.py") for seat in range(1, game.seats(ruleset) + 1)
        ),
        clock=Clock(),
        limits=Limits(),
        fault_policy=FaultPolicy.SUBSTITUTE,
        key="5a" * 32,
        wall_limit_s=600.0,
    )
    return dataclasses.replace(order, **changes)


def silent_progress(boards_done, decisions, machine_delay_s):
    """An ``on_progress`` that takes no interest."""


def play(speakers, store=None, **order):
    """Play in this process with these speakers by seat; gives the report and the store."""
    store = store or Store()
    table = make_order(**order)
    drivers = {seat: InProcessDriver(speak, table.limits) for seat, speak in speakers.items()}
    return play_table(table, drivers, silent_progress, store.keep), store


def acts(store, report, *, without=()):
    """The acts of a record, less the fields named."""
    lines = store.lines(report.record_sha256)
    return [
        {name: line[name] for name in line if name not in without} for line in lines if line["e"] == "act"
    ]
