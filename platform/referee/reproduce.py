"""A fault once more: the bot put into the very position in which it failed."""

from __future__ import annotations

from referee.fault_file import FORMAT, FaultFile, Position, fault_file, read_fault_file, spent_by_decision

__all__ = ["FORMAT", "FaultFile", "Position", "fault_file", "read_fault_file", "spent_by_decision"]
