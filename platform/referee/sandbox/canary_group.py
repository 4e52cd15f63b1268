"""The second canary: a bot of several processes that tries what its control group must stop.

Staged beside the first and run as an entry point inside the sandbox; imports the standard library only.
Starts processes until it is refused, tells how many, keeps some of them busy; after one line of input it
takes memory until it is ended, and says so if it is not.
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
    """Start processes until refused or far too many; returns those started."""
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
    """Try both, report, stay."""
    started = start_all()
    print(json.dumps({"processes": len(started) + 1}), flush=True)
    sys.stdin.readline()
    for child in started:  # They would only be in the way from here on.
        os.kill(child, signal.SIGTERM)
    taken: list[bytes] = []
    while len(taken) << 20 < MEMORY_BYTES * 4:
        taken.append(b"x" * (1 << 20))
    print(SURVIVED, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
