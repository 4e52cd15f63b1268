import contextlib
import os
import signal

print("ready")
input()
for pid in (1, -1):
    for number in (signal.SIGSTOP, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
print("still here")
