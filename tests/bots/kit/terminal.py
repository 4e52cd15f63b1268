"""A command of the kit in a terminal of its own."""

import os
import pty
import re
import select
import subprocess
import sys
import time

PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""
END = b"q quit"


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, argv, columns):
        self.ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LINES": "24"}
        environment.update(PYTHONPATH=os.pathsep.join(sys.path), PYTHONIOENCODING="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bots.kit.cli", *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)

    def until(self, end):
        """What it writes until ``end`` has come, without colours; everything to its close for None."""
        said, deadline = b"", time.monotonic() + PATIENCE_S
        while end is None or end not in said:
            assert time.monotonic() < deadline, said
            if not select.select([self.ours], [], [], 1.0)[0]:
                continue
            try:
                piece = os.read(self.ours, 65536)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                assert end is None, said
                break
            said += piece
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said.decode())

    def press(self, key):
        """Press a key and give the screen it leads to."""
        os.write(self.ours, key.encode())
        return self.until(END)

    def close(self):
        """Quit and give the exit status."""
        os.write(self.ours, b"q")
        self.until(None)
        os.close(self.ours)
        return self.process.wait(PATIENCE_S)
