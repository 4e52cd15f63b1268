"""Types of command-line arguments with a range."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse ``type`` for integers from ``least`` to ``most``."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {least} to {most}")
        return int(text)

    return read


port_number = whole_number(0, 65535)
"""A port; 0 chooses a free one."""
