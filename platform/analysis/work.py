"""Limits, cancellation and random draws of an analysis."""

from __future__ import annotations

import hashlib
from random import Random
from typing import NamedTuple

from analysis.shapes import Limits
from engine.kernel import Cancel
from engine.kernel import Limits as SolverLimits


class AnalysisError(Exception):
    """A record or position cannot be analysed; the message says why."""


class Cancelled(Exception):
    """The caller cancelled the analysis."""


class Work(NamedTuple):
    """Conditions of the analysis of one record."""

    record_sha256: str
    limits: Limits
    cancel: Cancel | None = None

    def check(self) -> None:
        """Raise ``Cancelled`` if the caller has cancelled. Call it at least every 50 ms."""
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled

    @property
    def solver_limits(self) -> SolverLimits:
        return SolverLimits(nodes=self.limits["nodes"], cancel=self.cancel)

    def rng(self, *purpose: int | str) -> Random:
        """Return a generator that depends only on the record and the purpose, such as board, deal, step."""
        label = "/".join(map(str, (self.record_sha256, *purpose)))
        return Random(int.from_bytes(hashlib.sha256(label.encode()).digest()))
