"""Channels through names, contents and attributes of files."""

import ctypes
import os
import random
import struct
import time

from native import call, libc, mapped, took_ns
from pair import End

EACH = 4
"""Names a slot, so that one late answer of the kernel does not decide."""
CELLS = 128


def timed_lookup(path):
    """Nanoseconds that asking for a name takes."""
    began = time.perf_counter_ns()
    libc.access(path, 0)
    return time.perf_counter_ns() - began


class Missing(End):
    folder = b"/bot"

    def names(self, slot):
        return [b"%s/%s-%d-%d" % (self.folder, self.round.encode(), slot, each) for each in range(EACH)]

    def send(self, slot, bit, until):
        if bit:
            for name in self.names(slot):
                libc.access(name, 0)

    def receive(self, slot):
        # The first of all also wakes what is asleep.
        libc.access(self.folder, 0)
        times = [timed_lookup(name) for name in self.names(slot)]
        return [sum(times), min(times), sorted(times)[1]]


class MissingUnderBot(Missing):
    """Looks up missing names below /bot; the receiver times the same names."""


class MissingUnderUsr(Missing):
    """Looks up missing names below /usr; the receiver times the same names."""

    folder = b"/usr/lib"


def cell(round, slot):
    """The path of a small file of the bundle, another for each slot of a round."""
    order = list(range(CELLS))
    random.Random(round).shuffle(order)
    return f"/bot/cells/{order[slot % CELLS]:03}"


class Existing(End):
    """Looks up existing names; the receiver's first lookup of the same names is faster."""

    def send(self, slot, bit, until):
        if bit:
            libc.access(cell(self.round, slot).encode(), 0)

    def receive(self, slot):
        libc.access(b"/bot/cells", 0)
        return timed_lookup(cell(self.round, slot).encode())


class Reads(End):
    """Reads files into memory; the receiver times its own reads."""

    def send(self, slot, bit, until):
        if bit:
            with open(cell(self.round, slot), "rb") as file:
                file.read(1)

    def receive(self, slot):
        with open(cell(self.round, slot), "rb", buffering=0) as file:
            return took_ns(lambda: os.pread(file.fileno(), 1, 0))


class Faults(Reads):
    """Reads files; the receiver counts its page faults that read from the disk."""

    def faults(self):
        usage = struct.pack("18q", *[0] * 18)
        usage = bytearray(usage)

        buffer = (ctypes.c_char * len(usage)).from_buffer(usage)
        refused = call("getrusage", 0, buffer)
        return refused or struct.unpack("18q", usage)[9]

    def receive(self, slot):

        page = mapped(cell(self.round, slot), private=True, length=4096)
        before = self.faults()
        ctypes.string_at(page, 1)
        return self.faults() - before


class Resident(Reads):
    """Reads files; the receiver asks the kernel which pages are in memory (mincore, preadv2)."""

    def receive(self, slot):

        path = cell(self.round, slot)
        page = mapped(path, length=4096)
        there = (ctypes.c_ubyte * 1)()
        refused = call("mincore", page, 4096, there)
        fd = os.open(path, os.O_RDONLY)
        try:
            nowait = os.preadv(fd, [bytearray(1)], 0, os.RWF_NOWAIT)
        except OSError as error:
            nowait = -error.errno
        finally:
            os.close(fd)
        return [refused or there[0] & 1, nowait]


class AccessTimes(End):
    """Reads files of the bundle; the receiver reads their access times."""

    def send(self, slot, bit, until):
        if bit:
            with open(cell(self.round, slot), "rb") as file:
                file.read(1)

    def receive(self, slot):
        found = os.stat(cell(self.round, slot))
        return float(found.st_atime_ns - found.st_mtime_ns)


class SetTimes(End):
    """Sets the times of a device that all bots share; the receiver reads them."""

    def send(self, slot, bit, until):
        if until is None:
            time.sleep(0.005)  # The kernel keeps times by its own slow clock.
        if bit:
            fd = os.open("/dev/null", os.O_WRONLY)
            call("utimensat", fd, 0, 0, 0)
            os.close(fd)

    def prepare(self, slot):
        self.before = os.stat("/dev/null").st_mtime_ns

    def receive(self, slot):
        now = os.stat("/dev/null").st_mtime_ns
        return float(now - getattr(self, "before", now))


class Notices(End):
    """Opens a file of the bundle; the receiver has asked the kernel for a notification."""

    def prepare(self, slot):
        self.fd = getattr(self, "fd", None) or call("inotify_init1", os.O_NONBLOCK)

        call("inotify_add_watch", self.fd, ctypes.c_char_p(cell(self.round, slot).encode()), 0x20)

    def send(self, slot, bit, until):
        if bit:
            os.close(os.open(cell(self.round, slot), os.O_RDONLY))

    def receive(self, slot):
        try:
            return len(os.read(getattr(self, "fd", -1), 4096))
        except OSError as error:
            return -error.errno

    def close(self):
        if getattr(self, "fd", 0) > 0:
            os.close(self.fd)


class Scratch(End):
    """Leaves files in /tmp; the receiver looks for them."""

    def send(self, slot, bit, until):
        if bit:
            os.close(os.open(f"/tmp/{self.round}-{slot}", os.O_CREAT | os.O_WRONLY, 0o666))

    def receive(self, slot):
        return float(os.path.exists(f"/tmp/{self.round}-{slot}"))

    def close(self):
        for name in os.listdir("/tmp"):
            try:
                os.unlink(f"/tmp/{name}")
            except OSError:
                continue


class FreeSpace(End):
    """Fills its scratch disk; the receiver queries the free space of every file system."""

    def free(self):
        found = []
        for path in ("/tmp", "/bot", "/usr", "/dev", "/"):
            try:
                numbers = os.statvfs(path)
            except OSError:
                found += [0, 0]
            else:
                found += [numbers.f_bfree, numbers.f_ffree]
        return found

    def prepare(self, slot):
        self.before = self.free()

    def send(self, slot, bit, until):
        try:
            if bit:
                with open(f"/tmp/{self.round}", "wb") as file:
                    file.write(bytes(2 << 20))
        except OSError:
            pass

    def undo(self, slot):
        try:
            os.unlink(f"/tmp/{self.round}")
        except OSError:
            pass

    def receive(self, slot):
        now = self.free()
        return [new - old for new, old in zip(now, getattr(self, "before", now), strict=True)]

    def close(self):
        self.undo(0)


class ScratchNumbers(End):
    """Creates files on its scratch disk; the receiver reads the number of its own next file."""

    def send(self, slot, bit, until):
        for number in range(8 * bit):
            path = f"/tmp/n{number}"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o666))
            os.unlink(path)

    def number(self):
        path = f"/tmp/own-{os.getpid()}-{time.monotonic_ns()}"
        fd = os.open(path, os.O_CREAT | os.O_WRONLY, 0o666)
        try:
            return os.fstat(fd).st_ino
        finally:
            os.close(fd)
            os.unlink(path)

    def prepare(self, slot):
        self.before = self.number()

    def receive(self, slot):
        return self.number() - getattr(self, "before", 0)


class Extents(End):
    """Queries the location of files on the disk; the same query of the receiver is faster."""

    def ask(self, slot):
        import fcntl

        fd = os.open(cell(self.round, slot), os.O_RDONLY)
        # FS_IOC_FIEMAP: start, length, flags, mapped extents, room for extents, reserved; one extent.
        question = bytearray(struct.pack("QQIIII", 0, 2**63, 0, 0, 1, 0) + bytes(56))
        try:
            return took_ns(lambda: fcntl.ioctl(fd, 0xC020660B, question))
        finally:
            os.close(fd)

    def send(self, slot, bit, until):
        if bit:
            self.ask(slot)

    def receive(self, slot):
        return self.ask(slot)
