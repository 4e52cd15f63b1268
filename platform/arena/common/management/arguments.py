"""Arguments of commands that have a range: a wrong one is refused with the range, before anything starts."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """A ``type`` of argparse: whole numbers from ``least`` to ``most``."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number from {least} to {most}")
        return int(text)

    return read


port_number = whole_number(0, 65535)
"""0: any that is free."""
