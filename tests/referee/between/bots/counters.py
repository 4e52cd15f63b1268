"""Channels through numbers and counters of the machine or of a user."""

import array
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import threading
import time

from native import call, kernel_pipe, kernel_sockets, number_of_a_new_thread
from pair import End

TURN = 1024
"""The kernel hands numbers to a core in lots of so many."""


class PipeNumbers(End):
    """Makes pipes until the last digits of their numbers encode bits; the receiver reads its own number."""

    bits = 3
    """At most, of which one number speaks."""

    near = 16
    """So close to its aim it stops."""

    def use(self):
        """Make one."""
        for end in kernel_pipe():
            os.close(end)

    def number(self):
        """Make one, and look at its number."""
        try:
            ends = kernel_pipe()
        except OSError as error:
            return -error.errno
        found = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return found

    def __init__(self, round):
        super().__init__(round)
        self.sent = {}
        self.found = None

    def send(self, slot, bit, until):
        self.sent[slot] = bit
        aim = sum(bit << slot for slot, bit in self.sent.items()) * TURN >> self.bits
        for used in range(2 * TURN):
            if used % 4:
                self.use()
                continue
            number = self.number()
            if number < 0 or 0 <= (number - aim) % TURN < self.near:
                return

    def receive(self, slot):
        """The bit, for each of the numbers that may have been used up on the way."""
        if self.found is None:
            self.found = self.number()
        parts = 1 << self.bits
        return [
            ((self.found - used) % TURN * parts // TURN) >> slot & 1
            for used in range(-TURN // parts, TURN // parts, 8)
        ]


class PipeNumbersOfOthers(PipeNumbers):
    """The same in binary/1 and node/1, whose bots may make pipes."""


class SocketNumbersOfOthers(PipeNumbers):
    """The same with pairs of sockets, which those bots may also make."""

    def use(self):
        for end in kernel_sockets():
            end.close()

    def number(self):
        pair = kernel_sockets()
        found = os.fstat(pair[0].fileno()).st_ino
        for end in pair:
            end.close()
        return found


class StreamNumbers(PipeNumbers):
    """Makes pipes; the receiver reads the numbers of its own standard streams."""

    def receive(self, slot):
        if self.found is None:
            self.found = [os.fstat(fd).st_ino for fd in range(3)]
        parts = 1 << self.bits
        return [
            ((number - used) % TURN * parts // TURN) >> slot & 1
            for number in self.found
            for used in range(-TURN // parts, TURN // parts, 16)
        ]


class ThreadNumbers(PipeNumbers):
    """Starts threads; the receiver reads the number of its own process descriptor (CLONE_PIDFD)."""

    def number(self):
        return number_of_a_new_thread()

    def use(self):
        self.number()


class SocketCookies(PipeNumbers):
    """Requests cookies for pairs of sockets; the receiver reads the cookie of its own."""

    def use(self):
        self.number()

    def number(self):
        try:
            pair = kernel_sockets()
        except OSError as error:
            return -error.errno
        try:
            return struct.unpack("Q", pair[0].getsockopt(socket.SOL_SOCKET, 57, 8))[0]
        except OSError as error:
            return -error.errno
        finally:
            for end in pair:
                end.close()


class OtherNumbers(End):
    """Makes eventfds, timers and epolls; the receiver reads the numbers of its own."""

    @staticmethod
    def numbers():
        made = (
            [os.eventfd(0), os.timerfd_create(1)]
            if hasattr(os, "timerfd_create")
            else [os.eventfd(0), os.eventfd(1)]
        )
        poller = select.epoll()
        found = [os.fstat(fd).st_ino for fd in (*made, poller.fileno())]
        for fd in made:
            os.close(fd)
        poller.close()
        return found

    def send(self, slot, bit, until):
        for _ in range(500 * bit):
            self.numbers()

    def prepare(self, slot):
        self.before = self.numbers()

    def receive(self, slot):
        now = self.numbers()
        return [new - old for new, old in zip(now, getattr(self, "before", now), strict=True)]


class Mounts(End):
    """Makes mount namespaces; the receiver reads the numbers of its own mounts and devices."""

    NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
    has_parted = False

    def part(self):
        """Make a namespace with copies of all mounts, which get new numbers; refused where the wall is up."""
        if not Mounts.has_parted:
            Mounts.has_parted = True
            call("unshare", self.NEW_USER)
        call("unshare", self.NEW_MOUNTS)

    def send(self, slot, bit, until):
        if bit:
            self.part()

    @staticmethod
    def number(path):
        found = ctypes.create_string_buffer(256)
        # STATX_MNT_ID_UNIQUE, at offset 0x90
        if call("statx", -100, ctypes.c_char_p(path.encode()), 0, 0x4000, found):
            return 0
        return struct.unpack_from("Q", found, 0x90)[0]

    def prepare(self, slot):
        self.before = self.read()

    def read(self):
        self.part()
        return [self.number("/tmp"), self.number("/bot"), os.stat("/tmp").st_dev]

    def receive(self, slot):
        now = self.read()
        return [new - old for new, old in zip(now, getattr(self, "before", now), strict=True)]


class FlyingDescriptors(End):
    """Sends descriptors and leaves them in flight; the receiver can send fewer."""

    def __init__(self, round):
        super().__init__(round)
        self.pairs = []

    def fly(self, most):
        """How many can be sent."""
        sent = 0
        try:
            pair = kernel_sockets()
        except OSError:
            return 0
        pair[0].setblocking(False)
        self.pairs.append(pair)
        descriptors = array.array("i", [0] * 10)
        try:
            while sent < most:
                pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
                sent += len(descriptors)
        except OSError:
            pass
        return sent

    def send(self, slot, bit, until):
        if len(self.pairs) > 8:
            self.undo(slot)
        if bit:
            self.fly(200)

    def undo(self, slot):
        for pair in self.pairs:
            for end in pair:
                end.close()
        self.pairs.clear()

    def receive(self, slot):
        before = len(self.pairs)
        found = self.fly(200)
        for pair in self.pairs[before:]:
            for end in pair:
                end.close()
        del self.pairs[before:]
        return found

    def close(self):
        self.undo(0)


class PendingSignals(End):
    """Queues signals to itself; the receiver can queue fewer."""

    number = signal.SIGRTMIN + 3

    def queue(self, most):
        signal.pthread_sigmask(signal.SIG_BLOCK, [self.number])
        info = ctypes.create_string_buffer(128)
        struct.pack_into("iii", info, 0, self.number, 0, -1)
        count = 0
        libc = ctypes.CDLL(None, use_errno=True)
        while count < most and libc.sigqueue(os.getpid(), self.number, ctypes.c_void_p(0)) == 0:
            count += 1
        return count

    def clear(self):
        while signal.sigtimedwait([self.number], 0) is not None:
            pass

    def send(self, slot, bit, until):
        if bit:
            self.queue(60)

    def undo(self, slot):
        signal.pthread_sigmask(signal.SIG_BLOCK, [self.number])
        self.clear()

    def receive(self, slot):
        found = self.queue(60)
        self.clear()
        return found

    def close(self):
        self.undo(0)


class Threads(End):
    """Starts threads; the receiver can start fewer."""

    def __init__(self, round):
        super().__init__(round)
        self.stop = threading.Event()
        self.running = []

    def start(self, most):
        try:
            for _ in range(most):
                thread = threading.Thread(target=self.stop.wait, daemon=True)
                thread.start()
                self.running.append(thread)
        except RuntimeError:
            pass
        return len(self.running)

    def send(self, slot, bit, until):
        if bit:
            self.start(24)

    def undo(self, slot):
        self.stop.set()
        for thread in self.running:
            thread.join()
        self.running.clear()
        self.stop.clear()

    def receive(self, slot):
        found = self.start(24)
        self.undo(slot)
        return found

    def close(self):
        self.undo(0)


class PipePages(End):
    """Holds as many and as large pipes as possible; the receiver reads the size of its own."""

    def __init__(self, round):
        super().__init__(round)
        self.held = []

    def send(self, slot, bit, until):
        try:
            while bit:
                self.held += kernel_pipe()
                fcntl.fcntl(self.held[-1], 1031, 1 << 20)  # F_SETPIPE_SZ
        except OSError:
            pass
        if bit:
            try:
                while True:
                    self.held += kernel_pipe()
            except OSError:
                pass

    def undo(self, slot):
        for fd in self.held:
            os.close(fd)
        self.held.clear()

    def receive(self, slot):
        try:
            ends = kernel_pipe()
        except OSError as error:
            return -error.errno
        try:
            return fcntl.fcntl(ends[0], fcntl.F_GETPIPE_SZ)
        finally:
            for end in ends:
                os.close(end)

    def close(self):
        self.undo(0)


class Totals(End):
    """Takes memory and threads; the receiver reads the machine's totals (sysinfo)."""

    def __init__(self, round):
        super().__init__(round)
        self.ballast = None
        self.threads = Threads(round)

    def send(self, slot, bit, until):
        if bit:
            self.threads.start(20)
            self.ballast = bytearray(b"x") * (16 << 20)

    def undo(self, slot):
        self.threads.undo(slot)
        self.ballast = None

    @staticmethod
    def totals():
        found = ctypes.create_string_buffer(128)
        refused = call("sysinfo", found)
        words = struct.unpack_from("10qH", found)
        return [refused, words[5], words[10]]

    def prepare(self, slot):
        self.before = self.totals()

    def receive(self, slot):
        now = self.totals()
        return [new - old for new, old in zip(now, getattr(self, "before", now), strict=True)]

    def close(self):
        self.undo(0)


class OwnUsage(End):
    """Works or rests; the receiver reads every kernel counter of its own process."""

    def send(self, slot, bit, until):
        end = time.monotonic() + 0.001 if until is None else until
        while bit and time.monotonic() < end:
            sum(range(100))

    def counts(self):
        usage = (ctypes.c_long * 18)()
        refused = call("getrusage", 0, usage)
        # Page faults, blocks read, switches of context: not the times, which any program has a clock for.
        return [0 if refused else usage[word] for word in (6, 7, 8, 11, 12, 16, 17)]

    def prepare(self, slot):
        self.before = self.counts()

    def receive(self, slot):
        # Only who runs can be interrupted.
        end = time.monotonic() + 0.003
        while time.monotonic() < end:
            sum(range(100))
        now = self.counts()
        return [new - old for new, old in zip(now, getattr(self, "before", now), strict=True)]


class Priorities(End):
    """Changes its priority; the receiver queries the priorities of all processes of its user."""

    def send(self, slot, bit, until):
        try:
            os.setpriority(os.PRIO_USER, 0, 10 * bit)
        except OSError:
            pass

    def receive(self, slot):
        found = []
        for which in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER):
            try:
                found.append(os.getpriority(which, 0))
            except OSError as error:
                found.append(-error.errno)
        return found


class Signals(End):
    """Signals every process that it can name; the receiver counts signals and looks for processes."""

    caught = 0

    def prepare(self, slot):
        signal.signal(signal.SIGUSR1, self.catch)
        self.before = Signals.caught

    @staticmethod
    def catch(*_):
        Signals.caught += 1

    def send(self, slot, bit, until):
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        for pid in (-1, 0, 1, *range(3, 40)) if bit else ():
            try:
                os.kill(pid, signal.SIGUSR1)
            except OSError:
                continue

    def receive(self, slot):
        there = 0
        for pid in range(3, 40):
            try:
                os.kill(pid, 0)
                there += 1
            except OSError:
                continue
        return [Signals.caught - getattr(self, "before", 0), there]
