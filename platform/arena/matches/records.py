"""Replaying stored records by the rules."""

from __future__ import annotations

from engine.played import PlayedTable, played_table

__all__ = ["PlayedTable", "played_table"]
