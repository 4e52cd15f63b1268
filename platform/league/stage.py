"""The contract of a format: the stage it gets, and its results.

A format is one module in ``league/formats`` with a ``FORMAT``; docs/formats.md describes how to add one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

from league.errors import FormatError
from league.options import OptionDescription, Options
from league.scoring import FixtureOutcome

Pairing = tuple[str, ...]
"""Entries that meet, the first on the first side of the first rotation, each the left neighbour of the next.

A single one has a bye. With mixed partners, ``per_side`` entries per side, side by side.
"""

_NO_OWNERS: Mapping[str, str] = MappingProxyType({})
_NO_ORIGINS: Mapping[str, int] = MappingProxyType({})


class StageState(NamedTuple):
    """Input of a format: the entries, the options, and the outcomes so far."""

    entries: tuple[str, ...]
    """By seed, best first; entries that left remain in it, so that no schedule shifts."""
    options: Mapping[str, object]
    rounds: tuple[tuple[FixtureOutcome, ...], ...] = ()
    """Every round opened so far (of the current pass), in order; the last fixtures may still be running."""
    sides: int = 2
    """Sides of a table and of a fixture."""
    left: frozenset[str] = frozenset()
    """Entries that withdrew, and take no part in future rounds."""
    owners: Mapping[str, str] = _NO_OWNERS
    """Owner of each entry, compared for equality only."""
    origins: Mapping[str, int] = _NO_ORIGINS
    """Group, from 1, of an entry in the previous stage."""
    per_side: int = 1
    """Seats per side."""
    scoring: str = "match_points"
    """Score of the standings: ``match_points`` or ``board_score``."""

    @property
    def present(self) -> tuple[str, ...]:
        """Entries that have not left, by seed, best first."""
        return tuple(entry for entry in self.entries if entry not in self.left)

    @property
    def all_done(self) -> bool:
        return all(fixture.is_done for drawn in self.rounds for fixture in drawn)


class Caption(NamedTuple):
    """A heading or note as a code with parameters, with texts in ``arena.standings.captions``."""

    code: str
    n: int = 0
    m: int = 0
    of: Caption | None = None
    """Subject, such as the match that a winner comes from."""


class DisplaySlot(NamedTuple):
    """One position of a bracket or round, played or future."""

    round: int | None
    """From 1 among the stage's rounds (of this pass); None if it is not drawn yet, or never will be."""
    fixture: int | None
    """From 1 in the order of the round's pairings; None likewise."""
    entries: tuple[str | None, ...]
    """None: not known yet, or no entry, as ``notes`` say."""
    winner: str | None
    """First entry of the winning side."""
    notes: tuple[Caption, ...]
    """Notes such as ``bye``, ``void``, ``draw``, ``playing``; may be empty."""


class DisplayColumn(NamedTuple):
    title: Caption
    slots: tuple[DisplaySlot, ...]


class DisplaySection(NamedTuple):
    title: Caption
    columns: tuple[DisplayColumn, ...]


class StageLayout(NamedTuple):
    """Layout of a stage in plain values, with ids instead of names."""

    kind: Literal["table", "groups", "bracket", "heats", "movement"]
    sections: tuple[DisplaySection, ...]


class Format(ABC):
    """A tournament format. Stateless; results depend only on the arguments, on names only by their order."""

    key: ClassVar[str]
    """As stored with a stage, such as ``round_robin``."""
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    """One sentence for organisers who choose a format."""
    options: ClassVar[Options]
    needs_results: ClassVar[bool]
    """Whether a round can be drawn only after the previous ones are done."""
    mixes_partners: ClassVar[bool] = False
    """Whether every entry holds one seat; a pairing is a flat tuple, ``per_side`` entries per side."""
    repeats: ClassVar[bool] = False
    """Whether the whole schedule can be repeated as another pass; ``round_count`` is for one pass."""
    is_offered: ClassVar[bool] = True
    """Whether organisers may choose it."""

    @abstractmethod
    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Raise ``FormatError`` for options, or numbers of entries and sides, that cannot be played."""

    @abstractmethod
    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int | None:
        """Return the rounds of one pass without departures, or None if that depends on results."""

    def require_duels(self, sides: int, entries: int | None, most: int) -> None:
        """Raise FormatError unless there are two sides, and 2 to ``most`` entries if that is known."""
        if sides != 2:
            raise FormatError(f"{self.key} brings two sides together; this game has {sides}: take heats")
        if entries is not None and not 2 <= entries <= most:
            raise FormatError(f"{self.key} takes 2 to {most} entries, not {entries}")

    @abstractmethod
    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """Return the maximum fixtures of one pass, without byes."""

    @abstractmethod
    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the pairings of the next round; None if there is none, or none yet."""

    @abstractmethod
    def is_complete(self, stage: StageState) -> bool:
        """Return whether every round has been opened and every fixture is done."""

    @abstractmethod
    def display(self, stage: StageState) -> StageLayout:
        """Return the drawn rounds and, if known, the future ones."""

    def option_descriptions(self) -> list[OptionDescription]:
        return self.options.describe()

    def groups(self, stage: StageState) -> tuple[tuple[str, ...], ...]:
        """Return the entries of each group, by seed; empty if all play in one table."""
        return ()

    def replayed(self, stage: StageState) -> Mapping[tuple[int, int], tuple[tuple[int, int], ...]]:
        """Return the earlier fixtures of each replayed match by its last one: rounds and positions from 1."""
        return {}

    def progress(self, stage: StageState) -> Mapping[str, int] | None:
        """Return the progress of each entry, higher is better; None if only scores count."""
        return None
