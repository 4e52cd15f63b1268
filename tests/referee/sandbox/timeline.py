"""A machine, a bot and others, millisecond by millisecond: what the kernel would tell, and the truth."""

from __future__ import annotations

import dataclasses
import random

from referee.sandbox.run_delay import Thread, ThreadSample

BOOKED_EVERY_MS = 4
"""The kernel books the time of a thread that stays on its core so often."""


@dataclasses.dataclass
class Actor:
    """A thread of the bot."""

    is_modest: bool = False
    cpu_ms: float = 0.0
    booked_ms: float = 0.0
    waited_ms: float = 0.0
    arrivals: int = 0
    queued_at: float | None = None
    core: int | None = None

    @property
    def is_ready(self) -> bool:
        return self.queued_at is not None or self.core is not None


class Machine:
    """Steps of a millisecond. ``true_ms`` is how long the bot was held up in its turns so far."""

    def __init__(self, cores: int = 1) -> None:
        self.now = 0.0
        self.cores = cores
        self.actors: dict[int, Actor] = {}
        self.true_ms = 0.0
        self.ended_cpu_ms = 0.0

    def add(self, number: int, *, is_modest: bool = False) -> None:
        self.actors[number] = Actor(is_modest, arrivals=1)

    def end(self, number: int) -> None:
        self.ended_cpu_ms += self.actors.pop(number).cpu_ms

    def wake(self, number: int) -> None:
        actor = self.actors[number]
        if not actor.is_ready:
            actor.queued_at = self.now

    def sleep(self, number: int) -> None:
        """It can only fall asleep, or be stopped, while it is on a core."""
        actor = self.actors[number]
        if actor.core is not None:
            actor.booked_ms, actor.core = actor.cpu_ms, None

    def step(self, running: dict[int, int], *, is_turn: bool = True) -> None:
        """A millisecond with these threads on these cores; on the others are others, or nobody."""
        for number, actor in self.actors.items():
            if actor.core is not None and running.get(number) != actor.core:
                actor.booked_ms, actor.core, actor.queued_at = actor.cpu_ms, None, self.now
        for number, core in running.items():
            actor = self.actors[number]
            if actor.core is None:
                assert actor.queued_at is not None, "only who is ready can run"
                actor.waited_ms += self.now - actor.queued_at
                actor.arrivals += 1
                actor.queued_at, actor.core = None, core
        self.now += 1
        for number in running:
            actor = self.actors[number]
            actor.cpu_ms += 1
            if self.now % BOOKED_EVERY_MS == 0:
                actor.booked_ms = actor.cpu_ms
        does_wait = any(actor.is_ready and not actor.is_modest for actor in self.actors.values())
        if is_turn and not running and does_wait:
            self.true_ms += 1

    def sample(self) -> ThreadSample:
        """What the kernel tells. On the only core there is whoever looks, and the thread there waits."""
        if self.cores == 1:
            for actor in self.actors.values():
                if actor.core is not None:
                    actor.booked_ms, actor.core, actor.queued_at = actor.cpu_ms, None, self.now
        threads = {
            number: Thread(a.booked_ms, a.waited_ms, a.arrivals, a.is_ready, a.is_modest)
            for number, a in self.actors.items()
        }
        cpu_ms = self.ended_cpu_ms + sum(actor.cpu_ms for actor in self.actors.values())
        return ThreadSample(self.now, cpu_ms, 0.0, threads)


def live(machine: Machine, rng: random.Random, wall_ms: int, *, is_turn: bool) -> None:
    """Some milliseconds in which threads come and go, wake and sleep, run and wait as it happens."""
    appetite = rng.random()
    for _ in range(wall_ms):
        for number, actor in list(machine.actors.items()):
            draw = rng.random()
            if draw < 0.02 and number != 1 and actor.core is not None:
                machine.end(number)
            elif draw < 0.1:
                machine.sleep(number)
            elif draw < 0.2 and is_turn:
                machine.wake(number)
        number = rng.randrange(2, 5)  # Numbers are used again.
        if rng.random() < 0.05 and number not in machine.actors:
            machine.add(number)
        ready = [number for number, actor in machine.actors.items() if actor.is_ready]
        rng.shuffle(ready)
        free = [core for core in range(machine.cores) if rng.random() < appetite]
        stay = {n: machine.actors[n].core for n in ready if machine.actors[n].core in free}
        running = {n: core for n, core in stay.items() if core is not None and rng.random() < 0.7}
        left = [core for core in free if core not in running.values()]
        running |= dict(zip([n for n in ready if n not in running], left, strict=False))
        machine.step(running if is_turn else {}, is_turn=is_turn)
