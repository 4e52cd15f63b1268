"""Tries to gain privileges: user and group ids, capabilities, setuid files, attributes, personalities."""

import ctypes
import os

from attempts import attempt_all, call
from honest import play

prctl = ctypes.CDLL(None, use_errno=True).prctl

TRIES = {
    "os.setuid(0)": "EPERM",
    "os.setgid(0)": "EPERM",
    "os.setgroups([0])": "EPERM",
    "os.setresuid(0, 0, 0)": "EPERM",
    "os.setreuid(0, 0)": "EPERM",
    "call('capset', None, None)": "EPERM",
    "prctl(38, 0, 0, 0, 0), prctl(39, 0, 0, 0, 0)": "(-1, -1)",
    "[prctl(23, cap, 0, 0, 0) for cap in range(64) if prctl(23, cap, 0, 0, 0) == 1]": "[]",
    "prctl(47, 2, 21, 0, 0)": "-1",
    "open('/tmp/tool', 'wb').write(open('/usr/bin/sh', 'rb').read()) > 0": "True",
    "os.chmod('/tmp/tool', 0o6755) or os.getuid()": "65534",
    "os.setxattr('/tmp/tool', 'security.capability', b'x')": "EPERM",
    "os.chown('/tmp/tool', 0, 0)": "EPERM",
    "ctypes.CDLL(None).personality(0x0040000)": "-1",
    "ctypes.CDLL(None).personality(0xffffffff)": "0",
}
attempt_all(TRIES, {"ctypes": ctypes, "os": os, "call": call, "prctl": prctl})
play()
