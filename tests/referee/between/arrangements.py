"""Plays a pair of bots: the one is told bits, the other says what it notices."""

from __future__ import annotations

import contextlib
import json
import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from referee.driver import DriverFault
from referee.sandbox import SandboxedDriver
from tests.referee.between.channel import Arrangement, Channel
from tests.referee.between.guesses import Reading
from tests.referee.between.setting import Setting

PATIENCE_MS = 120_000.0
AHEAD_S = 0.02
"""At once: from now to the first slot."""


class Carried(NamedTuple):
    """Bits that were sent, and what was noticed in the slot of each."""

    bits: list[int]
    readings: list[Reading]
    took_s: float
    exchanges: int


class End:
    """One bot of a pair. Close it from the thread that has made it."""

    def __init__(self, setting: Setting, channel: str, label: str) -> None:
        self._driver: SandboxedDriver = setting.driver(label)
        self._channel = channel
        self._driver.start()
        try:
            self._answer()
            for core in os.sched_getaffinity(0) if len(os.sched_getaffinity(0)) == 1 else ():
                self._driver.pin(core)
        except BaseException:
            self.close()
            raise

    def ask(self, round: str, do: str, **more: object) -> Any:
        """What it answers; see ``bots/pair.py``."""
        order = {"channel": self._channel, "round": round, "do": do, **more}
        return self._answer(json.dumps(order).encode())

    def _answer(self, line: bytes | None = None) -> Any:
        try:
            if line is not None:
                self._driver.post(line)
            reply = self._driver.collect(cpu_limit_ms=PATIENCE_MS, wall_limit_ms=PATIENCE_MS)
        except DriverFault as fault:
            words = self._driver.close().log.decode(errors="replace").strip()
            raise RuntimeError(f"{self._channel}: {fault}: {words[-2000:]}") from fault
        return json.loads(reply.line)

    def close(self) -> None:
        """End it."""
        self._driver.close()


def carry(channel: Channel, arrangement: Arrangement, setting: Setting, count: int, seed: str) -> Carried:
    """Send so many bits, or a few more, that follow from a seed."""
    chance = random.Random(f"{seed} {channel.name} {arrangement}")
    # What others have asked for before must not be in memory still.
    prefix = os.urandom(4).hex()
    bits: list[int] = []
    readings: list[Reading] = []
    slots = channel.slots
    if arrangement is Arrangement.AFTER and channel.slots_after is not None:
        slots = channel.slots_after
    if arrangement is Arrangement.AT_ONCE and not channel.fresh:
        slots = 128
    began = time.monotonic()
    exchanges = 0
    pairs = {
        Arrangement.AFTER: _one_after_the_other,
        Arrangement.AT_ONCE: _at_once,
        Arrangement.PARTNERS: _partners,
    }
    with pairs[arrangement](channel, setting) as exchange:
        while len(bits) < count:
            sent = [chance.randrange(2) for _ in range(slots)]
            noticed = exchange(f"{prefix}{exchanges:x}", sent)
            readings += [each if isinstance(each, list) else [each] for each in noticed]
            bits += sent
            exchanges += 1
    return Carried(bits, readings, time.monotonic() - began, exchanges)


@contextlib.contextmanager
def _on_core(core: int | None) -> Iterator[None]:
    """Keep this thread, and the bots it starts, to one core, as a table does."""
    before = os.sched_getaffinity(0)
    try:
        if core is not None:
            os.sched_setaffinity(0, {core})
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _one_after_the_other(channel: Channel, setting: Setting) -> Iterator[Any]:
    def exchange(round: str, bits: list[int]) -> Any:
        setting.refresh()
        with contextlib.closing(End(setting, channel.name, "sender")) as sender:
            sender.ask(round, "send", bits=bits)
        with contextlib.closing(End(setting, channel.name, "receiver")) as receiver:
            return receiver.ask(round, "receive", slots=len(bits))

    with _on_core(max(os.sched_getaffinity(0))):
        yield exchange


@contextlib.contextmanager
def _partners(channel: Channel, setting: Setting) -> Iterator[Any]:
    def talk(sender: End, receiver: End, round: str, bits: list[int]) -> Any:
        receiver.ask(round, "prepare", slots=len(bits))
        sender.ask(round, "send", bits=bits)
        return receiver.ask(round, "receive", slots=len(bits))

    with _on_core(max(os.sched_getaffinity(0))), contextlib.ExitStack() as stack:
        if channel.fresh:
            yield _with_fresh_ends(channel, setting, talk)
            return
        ends = [
            stack.enter_context(contextlib.closing(End(setting, channel.name, label)))
            for label in ("sender", "receiver")
        ]
        yield lambda round, bits: talk(*ends, round, bits)


def _with_fresh_ends(channel: Channel, setting: Setting, talk: Any) -> Any:
    def exchange(round: str, bits: list[int]) -> Any:
        setting.refresh()
        with (
            contextlib.closing(End(setting, channel.name, "sender")) as sender,
            contextlib.closing(End(setting, channel.name, "receiver")) as receiver,
        ):
            return talk(sender, receiver, round, bits)

    return exchange


class Table:
    """A thread with one bot, on a core, as a table is."""

    def __init__(self, setting: Setting, channel: str, core: int | None, label: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._setting, self._channel, self._core, self._label = setting, channel, core, label
        self._thread.submit(self._settle).result()
        self.end: End
        self.open()

    def _settle(self) -> None:
        if self._core is not None:
            os.sched_setaffinity(0, {self._core})

    def open(self) -> None:
        """Start the bot."""
        self.end = self._thread.submit(End, self._setting, self._channel, self._label).result()

    def ask(self, round: str, do: str, **more: object) -> Future[Any]:
        """See ``End.ask``."""
        return self._thread.submit(self.end.ask, round, do, **more)

    def shut(self) -> None:
        """End the bot."""
        self._thread.submit(self.end.close).result()

    def close(self) -> None:
        """End the bot and the thread."""
        self.shut()
        self._thread.shutdown()


@contextlib.contextmanager
def _at_once(channel: Channel, setting: Setting) -> Iterator[Any]:
    cores = sorted(os.sched_getaffinity(0))
    places = [cores[-1], cores[-1] if setting.shares_core else cores[0]]
    with contextlib.ExitStack() as stack:
        if channel.fresh:
            setting.refresh()
        tables = [
            stack.enter_context(contextlib.closing(Table(setting, channel.name, core, label)))
            for core, label in zip(places, ("sender", "receiver"), strict=True)
        ]
        exchanges = 0

        def exchange(round: str, bits: list[int]) -> Any:
            nonlocal exchanges
            if channel.fresh and exchanges:
                for table in tables:
                    table.shut()
                setting.refresh()
                for table in tables:
                    table.open()
            exchanges += 1
            at = [time.monotonic() + AHEAD_S, channel.slot_s]
            sent = tables[0].ask(round, "send", bits=bits, at=at)
            noticed = tables[1].ask(round, "receive", slots=len(bits), at=at)
            sent.result()
            return noticed.result()

        yield exchange
