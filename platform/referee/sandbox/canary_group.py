"""The second canary: a bot with several processes that tries to exceed the limits of its control group.

Starts processes until one is refused, reports their number, keeps some of them busy. After one line of input
it allocates memory until it is killed, and reports if it is not. Imports only the standard library.
"""

import json
import os
import signal
import sys

THREADS = 6
MEMORY_BYTES = 48 << 20
BUSY = 2
SURVIVED = "survived"


def start_all() -> list[int]:
    """Start processes until one is refused or there are far too many; return their pids."""
    started: list[int] = []
    for number in range(THREADS * 4):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            while number < BUSY:
                pass
            signal.pause()
        started.append(child)
    return started


def main() -> None:
    started = start_all()
    print(json.dumps({"processes": len(started) + 1}), flush=True)
    sys.stdin.readline()
    for child in started:  # No longer needed.
        os.kill(child, signal.SIGTERM)
    taken: list[bytes] = []
    while len(taken) << 20 < MEMORY_BYTES * 4:
        taken.append(b"x" * (1 << 20))
    print(SURVIVED, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
