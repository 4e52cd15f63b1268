"""Entry point of ``rensho``: reports unsupported systems before other modules are imported."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> int:
    if os.name != "posix":
        print(
            "rensho: requires Linux; other Unix systems support play with --no-sandbox; "
            "on Windows, use WSL: https://learn.microsoft.com/windows/wsl/install",
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
