"""Where ``rensho`` begins: a word to those whose system cannot run it, before anything is loaded."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command; the status it ends with."""
    if os.name != "posix":
        print(
            "rensho: this needs Linux, or another system like Unix for play with --no-sandbox; "
            "on Windows use WSL: https://learn.microsoft.com/windows/wsl/install",
            file=sys.stderr,
        )
        return 3
    try:
        # Not before: on other systems the imports themselves would fail.
        from bots.kit.cli import main as run

        return run()
    except KeyboardInterrupt:
        # Pressed while the command was loaded; after that the command itself says so.
        print("rensho: interrupted", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
