"""Looks for a terminal to type into, or tries to create one."""

import fcntl
import os

from attempts import attempt_all
from honest import play

TRIES = {
    "fcntl.ioctl(0, 0x5412, b'x')": "EPERM",
    "fcntl.ioctl(1, 0x541c, b'\\3')": "EPERM",
    "fcntl.ioctl(0, 0x1_0000_5412 - 0x1_0000_0000, b'x')": "EPERM",
    "open('/dev/tty')": "ENOENT",
    "open('/dev/console')": "ENOENT",
    "open('/dev/ptmx')": "ENOENT",
    "os.openpty()": "ENOENT",
    "os.isatty(0), os.isatty(1), os.isatty(2)": "(False, False, False)",
    "fcntl.ioctl(0, 0x540e, 0)": "EPERM",
    "fcntl.ioctl(0, 0x5401, bytes(64))": "ENOTTY",
}
attempt_all(TRIES, {"fcntl": fcntl, "os": os})
play()
