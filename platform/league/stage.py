"""The contract of a format: what a stage is to it, and what it must answer.

A format is one module in ``league/formats`` with a ``FORMAT``; adding one edits nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from league.scoring import FixtureOutcome

Pairing = tuple[str, ...]
"""Entries that meet, the first named on the first side of the first rotation, in a free-for-all each the
left neighbour of the next; a single one has a bye."""


class StageSoFar(NamedTuple):
    """All a format may know: who plays, by which options, and what came of the rounds so far."""

    entries: tuple[str, ...]
    """By seed, best first."""
    options: Mapping[str, object]
    rounds: tuple[tuple[FixtureOutcome, ...], ...] = ()
    """Every round opened so far, in order; the fixtures of the last ones may still be going on."""
    sides: int = 2
    """Sides of a table: entries that a fixture brings together."""


class Format(ABC):
    """How entries are brought together. Stateless; one instance a format."""

    key: ClassVar[str]
    """As stored with a stage, such as ``round_robin``."""
    title: ClassVar[str]
    needs_results: ClassVar[bool]
    """Whether a round can be drawn only when those before it are done."""

    @abstractmethod
    def validate(self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2) -> None:
        """Refuse what cannot be played: options, and where known the number of entries and of sides.

        Raises:
            FormatError: names the option or number and what is allowed.
        """

    @abstractmethod
    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int | None:
        """Rounds the stage will have, or None if that depends on results."""

    @abstractmethod
    def next_round(self, stage: StageSoFar) -> tuple[Pairing, ...] | None:
        """The pairings of the round after the last one opened; None if there is none, or none yet."""

    @abstractmethod
    def is_complete(self, stage: StageSoFar) -> bool:
        """Every round has been opened and every fixture is done."""
