"""The contract of a format: the stage it is given, and what it returns.

A format is one module in ``league/formats`` with a ``FORMAT``; adding one edits nothing else.
docs/formats.md shows how.
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
"""Entries that meet, the first named on the first side of the first rotation, in a free-for-all each the
left neighbour of the next; a single one has a bye. Where partners are mixed, ``per_side`` entries a side,
side after side."""

_NO_OWNERS: Mapping[str, str] = MappingProxyType({})
_NO_ORIGINS: Mapping[str, int] = MappingProxyType({})


class StageState(NamedTuple):
    """All a format may know: who plays, by which options, and what came of the rounds so far."""

    entries: tuple[str, ...]
    """By seed, best first; those who left stay in it, so that no schedule shifts."""
    options: Mapping[str, object]
    rounds: tuple[tuple[FixtureOutcome, ...], ...] = ()
    """Every round opened so far, in order; the fixtures of the last ones may still be going on. Where the
    schedule is played in several passes: the rounds of the present pass."""
    sides: int = 2
    """Sides of a table: what a fixture brings together."""
    left: frozenset[str] = frozenset()
    """Entries that withdrew: no part in any round to come."""
    owners: Mapping[str, str] = _NO_OWNERS
    """Whose an entry is; equal values are one owner, and nothing else is read from them."""
    origins: Mapping[str, int] = _NO_ORIGINS
    """The group, from 1, that an entry came from in the stage before."""
    per_side: int = 1
    """Seats of a side."""
    scoring: str = "match_points"
    """What the standings go by: ``match_points`` or ``board_score``."""

    @property
    def present(self) -> tuple[str, ...]:
        """The entries still in, by seed, best first."""
        return tuple(entry for entry in self.entries if entry not in self.left)

    @property
    def all_done(self) -> bool:
        """Every fixture drawn so far is done."""
        return all(fixture.is_done for drawn in self.rounds for fixture in drawn)


class Caption(NamedTuple):
    """A heading or note as a code and what it is about; whoever shows it makes the text.

    ``arena.standings.captions`` has the texts. The key of a format is a code too.
    """

    code: str
    n: int = 0
    m: int = 0
    of: Caption | None = None
    """What it refers to, such as the match that a winner comes from."""


class DisplaySlot(NamedTuple):
    """One place of a bracket or round, played or to come."""

    round: int | None
    """From 1 among the stage's rounds (of this pass); None if it is not drawn yet, or never will be."""
    fixture: int | None
    """From 1 in the order of the round's pairings; None as above."""
    entries: tuple[str | None, ...]
    """None: not known yet, or nobody; ``notes`` say which."""
    winner: str | None
    """Of a side of several entries the one named first."""
    notes: tuple[Caption, ...]
    """Such as ``bye``, ``void``, ``draw``, ``playing``; may be empty."""


class DisplayColumn(NamedTuple):
    """What is shown below one heading, such as a round."""

    title: Caption
    slots: tuple[DisplaySlot, ...]


class DisplaySection(NamedTuple):
    """One group, bracket or table of rounds."""

    title: Caption
    columns: tuple[DisplayColumn, ...]


class StageLayout(NamedTuple):
    """How a stage looks, in plain values; names are left to the edges."""

    kind: Literal["table", "groups", "bracket", "heats", "movement"]
    sections: tuple[DisplaySection, ...]


class Format(ABC):
    """How entries are brought together. Stateless; one instance a format.

    Every result depends only on the arguments, and on names only by their order.
    """

    key: ClassVar[str]
    """As stored with a stage, such as ``round_robin``."""
    title: ClassVar[str]
    summary: ClassVar[str] = ""
    """One sentence for whoever chooses a format."""
    options: ClassVar[Options]
    needs_results: ClassVar[bool]
    """Whether a round can be drawn only when those before it are done."""
    mixes_partners: ClassVar[bool] = False
    """Every entry holds one seat; a pairing is a flat tuple, ``per_side`` entries a side."""
    repeats: ClassVar[bool] = False
    """The whole schedule can be played again as another pass; ``round_count`` is that of one pass."""
    is_offered: ClassVar[bool] = True
    """Whether organisers may choose it."""

    @abstractmethod
    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Refuse what cannot be played: options, and where known the number of entries and of sides.

        Raises:
            FormatError: names the option or number and what is allowed.
        """

    @abstractmethod
    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int | None:
        """Rounds of one pass of the stage, or None if that depends on results.

        Fewer are played where so many leave that nobody would meet.
        """

    def require_duels(self, sides: int, entries: int | None, most: int) -> None:
        """Raises FormatError unless two sides meet, and 2 to ``most`` entries play, if that is known."""
        if sides != 2:
            raise FormatError(f"{self.key} brings two sides together; this game has {sides}: take heats")
        if entries is not None and not 2 <= entries <= most:
            raise FormatError(f"{self.key} takes 2 to {most} entries, not {entries}")

    @abstractmethod
    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """The most fixtures of one pass, byes not counted."""

    @abstractmethod
    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """The pairings of the round after the last one opened; None if there is none, or none yet."""

    @abstractmethod
    def is_complete(self, stage: StageState) -> bool:
        """Every round has been opened and every fixture is done."""

    @abstractmethod
    def display(self, stage: StageState) -> StageLayout:
        """What was drawn and, where it is known, what is to come."""

    def option_descriptions(self) -> list[OptionDescription]:
        """Every option there is."""
        return self.options.describe()

    def groups(self, stage: StageState) -> tuple[tuple[str, ...], ...]:
        """The entries of each group, by seed; empty if all play in one table."""
        return ()

    def replayed(self, stage: StageState) -> Mapping[tuple[int, int], tuple[tuple[int, int], ...]]:
        """The earlier fixtures of each match that was replayed, by its last one: rounds and places from 1."""
        return {}

    def progress(self, stage: StageState) -> Mapping[str, int] | None:
        """How far each entry got, higher is better; None: only scores count."""
        return None
