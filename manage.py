#!/usr/bin/env python3
"""Django's door. Adds the source root ``platform/`` to the import path; no traceback if it is interrupted."""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent / "platform"))

if __name__ == "__main__":
    # As arena.settings.private has it: files of an installation are its user's alone.
    os.umask(0o077)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
    # Text from bots, files and strangers reaches the terminal through these, so styles of our own cannot.
    os.environ.setdefault("DJANGO_COLORS", "nocolor")
    from django.core.management import execute_from_command_line

    from engine.printable import PrintableStream

    sys.stdout, sys.stderr = PrintableStream(sys.stdout), PrintableStream(sys.stderr)
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        # The reader closed the pipe. Flushing the remaining output at exit must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
