"""Channels through locks, leases and futexes on shared files."""

import ctypes
import fcntl
import os
import signal
import struct
import threading
import time

from native import call, mapped
from pair import End

FILE = "/usr/lib/rensho/launcher.py"
FUTEX_WAIT, FUTEX_WAKE = 0, 1
WORDS = 512


# So that many fit into the address space: those of ``ThreadEnds`` are never given back.
threading.stack_size(128 << 10)


class Held(End):
    """What both open once and one of them locks, by byte or whole."""

    def __init__(self, round):
        super().__init__(round)
        self.held = []

    def undo(self, slot):
        for fd in self.held:
            os.close(fd)
        self.held.clear()

    def close(self):
        self.undo(0)

    def attempt(self, lock):
        try:
            return lock() or 0
        except OSError as error:
            return -error.errno


class WholeFile(Held):
    """Locks a file that all bots share (flock); the receiver tries to lock it."""

    def send(self, slot, bit, until):
        if bit:
            self.held.append(os.open(FILE, os.O_RDONLY))
            self.attempt(lambda: fcntl.flock(self.held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB))

    def receive(self, slot):
        fd = os.open(FILE, os.O_RDONLY)
        try:
            return self.attempt(lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB))
        finally:
            os.close(fd)


class Bytes(Held):
    """Locks bytes of a file that all bots share (fcntl); the receiver queries the holder."""

    def send(self, slot, bit, until):
        if bit:
            self.held.append(os.open(FILE, os.O_RDONLY))
            lock = self.record(fcntl.F_RDLCK, slot)
            self.attempt(lambda: fcntl.fcntl(self.held[-1], fcntl.F_OFD_SETLK, lock) and 0)

    def receive(self, slot):
        fd = os.open(FILE, os.O_RDONLY)
        try:
            answer = fcntl.fcntl(fd, fcntl.F_OFD_GETLK, self.record(fcntl.F_WRLCK, slot))
            return int.from_bytes(answer[:2], "little")
        except OSError as error:
            return -error.errno
        finally:
            os.close(fd)

    def record(self, kind, slot):
        return struct.pack("hhqqi4x", kind, 0, slot, 1, 0)


class Leases(Held):
    """Holds a file open; the receiver requests a lease, which only a sole opener gets."""

    path = "/bot/cells/000"

    def __init__(self, round):
        super().__init__(round)
        # What the kernel sends to who has a lease when somebody opens the file; it would end the process.
        signal.signal(signal.SIGIO, signal.SIG_IGN)

    def send(self, slot, bit, until):
        if bit:
            self.held.append(os.open(self.path, os.O_RDONLY))

    def receive(self, slot):
        fd = os.open(self.path, os.O_RDONLY)
        try:
            return self.attempt(lambda: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK))
        finally:
            os.close(fd)


class Futexes(End):
    """Waits at a word of a file that both map shared; the receiver wakes and counts the waiters."""

    private = False

    def __init__(self, round):
        super().__init__(round)
        self.page = mapped(FILE, private=self.private, length=4096)
        self.waiting = []

    def word(self, slot):
        return self.page + 4 * (slot % WORDS)

    def wait(self, slot):
        value = ctypes.c_int.from_address(self.word(slot)).value
        patience = (ctypes.c_long * 2)(0, 200_000_000)
        return call("futex", self.word(slot), FUTEX_WAIT, value, patience)

    def send(self, slot, bit, until):
        if bit:
            thread = threading.Thread(target=self.wait, args=(slot,), daemon=True)
            thread.start()
            self.waiting.append(thread)
            time.sleep(0.0005)

    def undo(self, slot):
        call("futex", self.word(slot), FUTEX_WAKE, 1000)

    def receive(self, slot):
        return call("futex", self.word(slot), FUTEX_WAKE, 1000)

    def close(self):
        for slot in range(WORDS if self.waiting else 0):
            call("futex", self.word(slot), FUTEX_WAKE, 1000)


class FutexesOfPrivateMappings(Futexes):
    """Waits at a word of a file that both map privately; the receiver wakes and counts the waiters."""

    private = True


class FutexSleepers(Futexes):
    """Wakes a word of a file that both map; the receiver sleeps there."""

    def prepare(self, slot):
        self.woken = getattr(self, "woken", {})

        def sleep():
            value = ctypes.c_int.from_address(self.word(slot)).value
            patience = (ctypes.c_long * 2)(0, 100_000_000)
            self.woken[slot] = call("futex", self.word(slot), FUTEX_WAIT, value, patience)

        self.waiting.append(threading.Thread(target=sleep, daemon=True))
        self.waiting[-1].start()
        time.sleep(0.0003)

    def send(self, slot, bit, until):
        if bit:
            call("futex", self.word(slot), FUTEX_WAKE, 1000)

    def receive(self, slot):
        time.sleep(0.0003)
        result = getattr(self, "woken", {}).get(slot, 1)
        call("futex", self.word(slot), FUTEX_WAKE, 1000)
        return result


class ThreadEnds(FutexSleepers):
    """Ends a thread with its exit word on a shared page; the kernel wakes the receiver there."""

    def send(self, slot, bit, until):
        if bit:

            def end():
                call("set_tid_address", self.word(slot))
                call("exit", 0)

            # A thread of the C library's making would not be noticed to end; nobody waits for this one.
            threading.Thread(target=end, daemon=True).start()
            time.sleep(0.0005)
