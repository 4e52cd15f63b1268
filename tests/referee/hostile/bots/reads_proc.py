"""Looks for other processes in /proc: their memory, environment, descriptors, and the kernel's switches."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "os.listdir('/proc')": "ENOENT",
    "open('/proc/1/environ')": "ENOENT",
    "open('/proc/1/mem')": "ENOENT",
    "open('/proc/self/mem')": "ENOENT",
    "os.listdir('/proc/1/fd')": "ENOENT",
    "os.readlink('/proc/1/exe')": "ENOENT",
    "open('/proc/self/mountinfo')": "ENOENT",
    "open('/proc/self/oom_score_adj', 'w')": "ENOENT",
    "open('/proc/sys/kernel/core_pattern', 'w')": "ENOENT",
    "open('/proc/sysrq-trigger', 'w')": "ENOENT",
    "open('/proc/loadavg')": "ENOENT",
    "open('/dev/fd/0')": "ENOENT",
    "os.listdir('/dev/fd')": "ENOENT",
}
attempt_all(TRIES, {"os": os})
play()
