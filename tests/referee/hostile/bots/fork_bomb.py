"""Starts processes that start processes, until it is refused."""

import os
import subprocess
import time

from attempts import attempt_all, tell
from honest import play

TRIES = {
    "os.fork()": "EAGAIN",
    "subprocess.run(['/usr/bin/sh', '-c', 'true'])": "EAGAIN",
    "os.posix_spawn('/usr/bin/sh', ['sh'], {})": "EAGAIN",
    "os.popen('true')": "EAGAIN",
}
ROUNDS = 200


def bomb():
    for started in range(ROUNDS):
        try:
            if os.fork() == 0:
                while True:
                    time.sleep(3600)
        except OSError:
            return started
    return ROUNDS


tell("started", f"{bomb()}")
attempt_all(TRIES, {"os": os, "subprocess": subprocess})
play()
