"""Opens the same file until it is refused, and asks for a higher limit."""

import os
import resource

from attempts import attempt_all
from honest import play

TRIES = {
    "[os.open('/dev/null', os.O_RDONLY) for _ in range(100)]": "EMFILE",
    "os.dup(0)": "EMFILE",
    "resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))": "ValueError",
    "os.closerange(3, 64)": "None",
    "os.dup2(0, 900)": "EBADF",
}
attempt_all(TRIES, {"os": os, "resource": resource})
play()
