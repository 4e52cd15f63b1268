"""Makes every system call by number that the table does not allow, including numbers no kernel has yet."""

import ctypes
import json
from pathlib import Path

from attempts import attempt_all
from honest import play

libc = ctypes.CDLL(None, use_errno=True)
ALLOWED = set(json.loads(Path("/bot/allowed.json").read_text()))
"""Numbers of the allowed calls, put beside this file by whoever plays it."""
ALLOWED |= {
    335,
    336,
}  # For the kernel's own trampolines: no filter sees them, and called by others they kill.
TRIES = {
    "[number for number in range(451) if number not in ALLOWED and came_of(number) != 1]": "[]",
    "[number for number in range(451, 1024) if came_of(number) != 38]": "[]",
    "came_of(1 << 20), came_of(0x3fffffff)": "(38, 38)",
}


def came_of(number):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0) == -1 else "done"


attempt_all(TRIES, {"ALLOWED": ALLOWED, "came_of": came_of})
play()
