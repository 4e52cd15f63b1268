"""Asks what its descriptors are, in every honest and dishonest way; evaluates what the request says."""

import ctypes
import errno
import os
import struct
import sys
import threading
import time

NUMBERS = {
    "x86_64": {"fstat": 5, "newfstatat": 262, "statx": 332},
    "aarch64": {"fstat": 80, "newfstatat": 79, "statx": 291},
}[os.uname().machine]
EMPTY, MASK, FOLDER = 0x1000, 0xFFF, -100
UNMAPPED, KERNELS = 0x10000, 0xFFFF_8000_0000_0000
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """0, or the name of the error."""
    words = [each if isinstance(each, bytes | ctypes.Array) else ctypes.c_long(each) for each in arguments]
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *words)
    return errno.errorcode[ctypes.get_errno()] if result == -1 else result


def raw(name, *arguments, at):
    """What the call writes, where argument ``at`` is the place for it; 0xA5 is what it left alone."""
    found = ctypes.create_string_buffer(b"\xa5" * 512, 512)
    came = call(name, *arguments[:at], found, *arguments[at:])
    return came or found.raw


def by_name_and_by_descriptor(path, flags=os.O_RDONLY):
    """Where the two differ, by each call; the flags of a call must not matter otherwise."""
    fd = os.open(path, flags | os.O_NONBLOCK)
    name = path.encode()
    pairs = {
        "fstat": (raw("newfstatat", FOLDER, name, 0, at=2), raw("fstat", fd, at=1)),
        "newfstatat": (raw("newfstatat", FOLDER, name, 0, at=2), raw("newfstatat", fd, b"", EMPTY, at=2)),
        "statx": (raw("statx", FOLDER, name, 0, MASK, at=4), raw("statx", fd, b"", EMPTY, MASK, at=4)),
        "no name": (raw("statx", FOLDER, name, 0, MASK, at=4), raw("statx", fd, 0, EMPTY, MASK, at=4)),
    }
    os.close(fd)
    return [call for call, (named, asked) in pairs.items() if named != asked]


def folder_by_itself():
    """Whether the working folder is the same by its name and by none."""
    return raw("newfstatat", FOLDER, b".", 0, at=2) == raw("newfstatat", FOLDER, b"", EMPTY, at=2)


def refusals():
    """Bad arguments, and what comes of them."""
    ends, place = os.pipe(), ctypes.create_string_buffer(512)
    return [
        *(call("fstat", fd, place) for fd in (900, -1, -100, 2**31)),
        *(call("fstat", ends[0], address) for address in (0, UNMAPPED, KERNELS, 2**63 - 8)),
        *(call("newfstatat", ends[0], address, place, EMPTY) for address in (UNMAPPED, KERNELS)),
        call("newfstatat", ends[0], b"/bot", place, EMPTY),
        call("newfstatat", ends[0], b"", place, EMPTY | 0x4000),
        call("newfstatat", ends[0], b"", place, 0),
        call("statx", ends[0], b"", EMPTY, 0x8000_0000, place),
        call("statx", ends[0], b"", EMPTY | 0x1, MASK, place),
        call("statx", ends[0], b"", EMPTY, MASK, UNMAPPED),
        place.raw == bytes(512),
    ]


def numbers():
    """Of two pipes, each by both ends, and of the standard streams."""
    first, second = os.pipe(), os.pipe()
    return [os.fstat(fd).st_ino for fd in (*first, *second, 0, 1, 2)]


def hide():
    """Forbid others to look at this process."""
    return libc.prctl(4, 0, 0, 0, 0), os.fstat(os.pipe()[0]).st_ino


def flood(threads, seconds):
    """Ask from many threads at once; how many questions were answered in vain."""
    ends = os.pipe()
    true, until, wrong = os.fstat(ends[0]).st_ino, time.monotonic() + seconds, []

    def ask():
        while time.monotonic() < until:
            if os.fstat(ends[0]).st_ino != true:
                wrong.append(1)

    started = [threading.Thread(target=ask) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return len(wrong)


def flood_on():
    """Ask from threads that never end."""
    ends = os.pipe()

    def ask():
        while True:
            call("fstat", ends[0], ctypes.create_string_buffer(512))

    for _ in range(8):
        threading.Thread(target=ask, daemon=True).start()


def swap(seconds):
    """One thread exchanges a descriptor, a file and a pipe in turn; another asks what it is. All it saw."""
    file, ends = os.open(__file__, os.O_RDONLY), os.pipe()
    shown, until, seen = os.dup(file), time.monotonic() + seconds, set()

    def exchange():
        while time.monotonic() < until:
            libc.dup2(ends[0], shown)
            libc.dup2(file, shown)

    thread = threading.Thread(target=exchange)
    thread.start()
    asked = 0
    while time.monotonic() < until:
        asked += 1
        seen.add(os.fstat(shown).st_ino)
        seen.add(struct.unpack_from("<Q", raw("statx", shown, b"", EMPTY, MASK, at=4), 32)[0])
    thread.join()
    return sorted(seen - {os.fstat(file).st_ino, os.fstat(ends[0]).st_ino}), asked > 0


def rename(seconds):
    """Another thread writes a name where there was none: only a refusal may come of it."""
    ends, name = os.pipe(), ctypes.create_string_buffer(16)
    until, seen, told = time.monotonic() + seconds, set(), os.fstat(ends[0]).st_ino

    def write():
        while time.monotonic() < until:
            name.value = b"/bot"
            name.value = b""

    thread = threading.Thread(target=write)
    thread.start()
    while time.monotonic() < until:
        found = raw("newfstatat", ends[0], name, EMPTY, at=2)
        seen.add(found if isinstance(found, str) else struct.unpack_from("<Q", found, 8)[0])
    thread.join()
    return sorted(map(str, seen - {told, "EINVAL"}))


def unmap(seconds):
    """Another thread takes away the memory that the answer goes to."""
    import mmap

    ends, until, came = os.pipe(), time.monotonic() + seconds, set()
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    place = libc.mmap(None, mmap.PAGESIZE, 3, 0x22, -1, 0)

    def take_away():
        while time.monotonic() < until:
            libc.munmap(place, mmap.PAGESIZE)
            libc.mmap(place, mmap.PAGESIZE, 3, 0x32, -1, 0)

    thread = threading.Thread(target=take_away)
    thread.start()
    while time.monotonic() < until:
        came.add(call("fstat", ends[0], place))
    thread.join()
    return sorted(came - {0, "EFAULT"})


def replace_itself():
    """A thread asks without end while another starts this program anew."""
    flood_on()
    time.sleep(0.05)
    os.execv("/usr/bin/python3.11", ["python", "-S", __file__])


def forks(count):
    """Children ask for the same pipe while this process does; how many saw another number."""
    ends = os.pipe()
    true = os.fstat(ends[0]).st_ino
    flood_on()
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            os._exit(sum(os.fstat(ends[0]).st_ino != true for _ in range(50)) > 0)
        children.append(child)
    return sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            answer = repr(eval(line))
        except BaseException as error:
            answer = repr(error)
        print(answer, flush=True)
