"""Channels through the processor and time: caches, cores, slices, delays."""

import ctypes
import mmap
import os
import random
import time

from native import (
    CORE_AND_CYCLES,
    FLUSH,
    INITIAL_APIC,
    TIME_OF_CHASE,
    TIME_OF_LOAD,
    X86,
    call,
    code,
    libc,
    mapped,
    took_ns,
)
from pair import End

LINE, PAGE = 64, 4096


class SharedLines(End):
    """Touches or flushes lines of a library that all bots share; the receiver times its own loads of them."""

    path = "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"
    each = 4

    def __init__(self, round):
        super().__init__(round)
        path = next((path for path in libraries() if os.path.getsize(path) > 1 << 20), "/usr/bin/python3.11")
        self.size = os.path.getsize(path) & ~(PAGE - 1)
        self.page = mapped(path, length=self.size)
        self.load, self.flush = code(TIME_OF_LOAD, 1), code(FLUSH, 1)

    def close(self):
        libc.munmap(ctypes.c_void_p(self.page), ctypes.c_size_t(self.size))

    def lines(self, slot):
        choice = random.Random(f"{self.round}-{slot}")
        pages = self.size // PAGE
        return [
            self.page + PAGE * choice.randrange(pages) + LINE * choice.randrange(64) for _ in range(self.each)
        ]

    def prepare(self, slot):
        for line in self.lines(slot):
            self.load(line)
            self.flush(line)

    def send(self, slot, bit, until):
        for line in self.lines(slot):
            self.load(line)
            if not bit:
                self.flush(line)

    def receive(self, slot):
        lines = self.lines(slot)
        # The page's place in the tables must not count: another line of the page first.
        times = []
        for line in lines:
            self.load(line ^ 2048)
            times.append(self.load(line))
        return [min(times), sorted(times)[1], sum(min(each, 2000) for each in times)]


def libraries():
    """Return the shared libraries of the runtime, largest first."""
    found = []
    for where, folders, names in os.walk("/usr/lib"):
        folders.sort()
        found += [f"{where}/{name}" for name in names if ".so" in name]
    return sorted((path for path in found if not os.path.islink(path)), key=os.path.getsize, reverse=True)


def chain_of_lines(bytes, seed):
    """Return the start of memory in which the lines form one random cycle of addresses."""
    area = mmap.mmap(-1, bytes)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    order = list(range(0, bytes, LINE))
    random.Random(seed).shuffle(order)
    for here, there in zip(order, [*order[1:], order[0]], strict=True):
        area[here : here + 8] = (address + there).to_bytes(8, "little")
    return area, address + order[0]


class OwnLines(End):
    """Fills the caches or leaves them; the receiver times loads of its own lines (prime and probe)."""

    own_bytes, other_bytes = 256 << 10, 4 << 20
    areas = {}

    def __init__(self, round):
        super().__init__(round)
        self.chase = code(TIME_OF_CHASE, 2)

    def run(self, bytes):
        if bytes not in self.areas:
            self.areas[bytes] = chain_of_lines(bytes, "lines")
        return self.chase(self.areas[bytes][1], bytes // LINE)

    def prepare(self, slot):
        for _ in range(3):
            self.run(self.own_bytes)

    def send(self, slot, bit, until):
        while bit:
            self.run(self.other_bytes)
            if until is None or time.monotonic() > until:
                break

    def receive(self, slot):
        return min(self.run(self.own_bytes), 10**8)


class Bus(OwnLines):
    """Loads from memory continuously; the receiver times its own loads."""

    own_bytes = other_bytes = 8 << 20

    def __init__(self, round):
        super().__init__(round)
        if self.own_bytes not in self.areas:
            self.run(self.own_bytes)

    def prepare(self, slot):
        """Do nothing: the loaded lines are in no cache anyway."""

    def receive(self, slot):
        return min(self.chase(self.areas[self.own_bytes][1], 4000), 10**8)


class Slices(End):
    """Computes or rests; the receiver counts gaps in its own run time."""

    def send(self, slot, bit, until):
        end = time.monotonic() + 0.001 if until is None else until
        while bit and time.monotonic() < end:
            sum(range(50))

    def receive(self, slot):
        gap, last = 0, time.monotonic_ns()
        end = last + 15_000_000
        total = 0
        while last < end:
            now = time.monotonic_ns()
            gap = max(gap, now - last)
            if now - last > 20_000:
                total += now - last
            last = now
        return [gap, total]


class Delays(End):
    """Answers at once or late; the receiver reads the clock."""

    def send(self, slot, bit, until):
        if until is None:
            time.sleep(0.005 * bit)

    def prepare(self, slot):
        self.before = time.monotonic()

    def receive(self, slot):
        return time.monotonic() - getattr(self, "before", 0)


class Starts(End):
    """Ends at a chosen part of a second; the receiver reads the clock when it starts."""

    period_s, bits = 0.4, 2

    def __init__(self, round):
        super().__init__(round)
        self.began = time.monotonic()
        self.sent = {}

    def send(self, slot, bit, until):
        self.sent[slot] = bit
        if until is None and len(self.sent) == self.bits:
            phase = sum(bit << slot for slot, bit in self.sent.items()) * self.period_s / (1 << self.bits)
            time.sleep((phase - time.monotonic()) % self.period_s)

    def receive(self, slot):
        """The bit, for each time that may have passed on the way."""
        parts = 1 << self.bits
        return [
            int((self.began - used / 100) % self.period_s / self.period_s * parts) >> slot & 1
            for used in range(int(self.period_s * 100))
        ]


class Cores(End):
    """Moves, or works so that others are moved; the receiver reads the number of its core."""

    def __init__(self, round):
        super().__init__(round)
        self.core = code(CORE_AND_CYCLES, 0) if X86 else None
        self.apic = code(INITIAL_APIC, 0) if X86 else None

    def send(self, slot, bit, until):
        mask = (ctypes.c_ulong * 16)(1 << bit)
        call("sched_setaffinity", 0, 128, mask)
        end = time.monotonic() + 0.002 if until is None else until
        while time.monotonic() < end:
            sum(range(50))

    def receive(self, slot):
        time.sleep(0.0005)
        own = [self.core() & 0xFFF, self.apic() & 0xFF] if X86 else []
        return [*own, ctypes.CDLL(None).sched_getcpu(), len(os.sched_getaffinity(0))]


class Barriers(End):
    """Makes the kernel put a barrier into every running program; the receiver's own barriers take longer."""

    GLOBAL, GLOBAL_EXPEDITED, REGISTER = 1, 2, 4

    def __init__(self, round):
        super().__init__(round)
        call("membarrier", self.REGISTER, 0, 0)

    def send(self, slot, bit, until):
        for _ in range(200 * bit):
            call("membarrier", self.GLOBAL_EXPEDITED, 0, 0)
            if until is not None and time.monotonic() > until:
                break
        while bit and until is not None and time.monotonic() < until:
            call("membarrier", self.GLOBAL_EXPEDITED, 0, 0)

    def receive(self, slot):
        gaps, last = 0, time.monotonic_ns()
        for _ in range(400):
            now = time.monotonic_ns()
            gaps += now - last
            last = now
        return [gaps, took_ns(lambda: call("membarrier", self.GLOBAL_EXPEDITED, 0, 0))]


class Random(End):
    """Reads and adds random bytes; the receiver times its own reads."""

    def send(self, slot, bit, until):
        if bit:
            os.getrandom(4096)
            with open("/dev/urandom", "r+b", buffering=0) as device:
                device.write(bytes(512))

    def receive(self, slot):
        return took_ns(lambda: os.getrandom(32))


class Memory(End):
    """Takes as much memory as it may; the receiver times its own allocations and counts refusals."""

    def send(self, slot, bit, until):
        if bit:
            self.ballast = bytearray(b"x") * (48 << 20)

    def undo(self, slot):
        self.ballast = None

    def receive(self, slot):
        def take():
            try:
                area = mmap.mmap(-1, 1 << 20)
                for page in range(0, 1 << 20, PAGE):
                    area[page] = 1
                area.close()
            except OSError:
                pass

        return took_ns(take)

    def close(self):
        self.ballast = None


class OtherClocks(End):
    """Works or rests; the receiver reads the clocks of every process it can name."""

    def send(self, slot, bit, until):
        end = time.monotonic() + 0.002 if until is None else until
        while bit and time.monotonic() < end:
            sum(range(50))

    def clocks(self):
        found = []
        for pid in (1, *range(3, 12)):
            try:
                found.append(time.clock_gettime_ns((~pid << 3) | 2))
            except OSError:
                found.append(0)
        return sum(found)

    def prepare(self, slot):
        self.before = self.clocks()

    def receive(self, slot):
        return self.clocks() - getattr(self, "before", 0)
