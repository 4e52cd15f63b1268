"""An event with two played rounds and an open one."""

from __future__ import annotations

from tests.arena.features.analysis.conftest import event, rows_of_the_event, table

__all__ = ["event", "rows_of_the_event", "table"]
