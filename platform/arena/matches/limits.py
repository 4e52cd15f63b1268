"""What a bot's process may use at a table, as plain values for whoever wants to know."""

from __future__ import annotations

import dataclasses

from referee.contract import Limits


def process_limits() -> dict[str, int]:
    """The limits every table is ordered with; the name of each says its unit."""
    return dataclasses.asdict(Limits())
