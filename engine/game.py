"""Contract of every game: Game, Ruleset, Board, State, Event, Outcome.

Resting pairs, seats that drop out, several plays in a turn and simultaneous answers all use the same calls;
docs/decisions/0002-engine-contract.md steps through one deal of each kind.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from engine.errors import EngineError, RulesetError
from engine.refusals import quoted

if TYPE_CHECKING:  # Hundreds of microseconds at the start of every bot.
    from random import Random

Seat = int
"""A seat, 1..n, numbered anticlockwise: seat i+1 is on the right of seat i."""

Action = str
"""A choice in the notation of the game; each choice has exactly one spelling."""

Side = tuple[Seat, ...]
"""The seats that win and lose together, ascending: a pair, or one seat in a free-for-all."""

Observation = dict[str, Any]
"""Everything that one seat may know, as JSON-compatible values (docs/bot-protocol.md)."""

Hands = Mapping[Seat, Sequence[str]]
"""Cards by seat. Key 0 has the cards that a game keeps aside, in order."""

BoardKind = Literal["deal", "game"]

Past = tuple[Any, ...] | None
"""History as a linked list that is extended without copying: ``(previous cell, contents...)``, or None.
A game defines the contents and converts cells to Events on request. Recursive, hence Any.
"""

# Made once: json.dumps with these options would make an encoder each time.
json_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""Encode plain values as one line of ASCII JSON without spaces, keys in their own order."""


DECK_SEED = "deck:"
"""Begins a match seed that spells the deck of the first deal, card by card, in the order dealt."""


def deck_seed(deck: Sequence[str]) -> str:
    """Return the match seed of a board on which this deck is dealt first.

    >>> deck_seed(("AS", "TD"))
    'deck:AS TD'
    """
    return DECK_SEED + " ".join(deck)


class Board(NamedTuple):
    """The cards and conditions of one deal, or of a whole game from one match seed."""

    kind: BoardKind
    number: int
    """From 1. On a deal board, it determines dealers, leaders and trump."""
    seed: str
    """Match seed, from which every deck of the board is derived (docs/rules/common.md#seeded-dealing)."""
    decks: tuple[tuple[str, ...], ...] = ()
    """Explicit decks of the first deals; further deals derive theirs from the seed."""

    @property
    def given_decks(self) -> tuple[tuple[str, ...], ...]:
        """``decks``, or the deck that the seed spells."""
        if self.decks or not self.seed.startswith(DECK_SEED):
            return self.decks
        return (tuple(self.seed.removeprefix(DECK_SEED).split(" ")),)


class Event(NamedTuple):
    """An event, with the parts that the record and each seat may see."""

    kind: str
    """Value of ``e`` in the record: deal, act, trick, turned, utazu, out, deal_end."""
    public: Mapping[str, Any]
    record: Mapping[str, Any] = {}
    """Additional fields for the record only, such as the whole deck."""
    private: Mapping[Seat, Mapping[str, Any]] = {}
    """Additional fields by seat, such as the hand dealt to it."""
    line: bytes | None = None
    """Precomputed record line, if the game has one: most lines are the same few hundred."""

    def seen_by(self, seat: Seat) -> dict[str, Any]:
        return {"e": self.kind, **self.public, **self.private.get(seat, {})}

    def recorded(self) -> dict[str, Any]:
        return {"e": self.kind, **self.public, **self.record}


class Outcome(NamedTuple):
    """Result of a board, in stones."""

    stones: Mapping[Seat, int]
    """Stones won (+) or lost (-) by seat; both seats of a pair have the pair's result. Adds up to 0."""
    deals: tuple[Mapping[Seat, int], ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ruleset:
    """Options of one game. Each game derives a frozen dataclass with a default for every field."""

    preset: str
    """Preset from which the options were taken."""

    def as_dict(self) -> dict[str, Any]:
        """Return all options except the preset as JSON values, null for options that do not apply."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "preset"}

    def replace(self, /, **options: Any) -> Self:
        """Return a copy with some options changed. Raise ``RulesetError`` for unknown names or values."""
        known = {f.name for f in dataclasses.fields(self)} - {"preset"}
        unknown = sorted(set(options) - known)
        if unknown:
            raise RulesetError(
                f"unknown option {quoted(unknown[0])} for {self.preset}; options: {', '.join(sorted(known))}"
            )
        return dataclasses.replace(self, **options)


class State(ABC):
    """Complete, immutable state of a board at one moment."""

    __slots__ = ()

    @property
    @abstractmethod
    def phase(self) -> str:
        """Current decision, as in records and requests (``trump``, ``lead``, ``play``, ...)."""

    @property
    @abstractmethod
    def to_act(self) -> tuple[Seat, ...]:
        """Seats that have to answer, ascending; empty when the board is over.

        A simultaneous decision has several seats; no answer is visible before all are given. A seat may act
        several times in a row, and a resting seat may still have to decide about the deal.
        """

    @property
    @abstractmethod
    def situation(self) -> str:
        """Preset, deal and phase for messages; contains nothing hidden."""

    @abstractmethod
    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Return legal actions in canonical order; empty only for seats that are not in ``to_act``."""

    @abstractmethod
    def apply(self, seat: Seat, action: Action) -> Self:
        """Return the state after ``seat`` answers ``action``. One answer may end several deals.

        Raise ``NotationError`` if the text is no action of this game, ``IllegalAction`` if the action is not
        allowed now or another seat has to act.
        """

    @abstractmethod
    def fallback(self, seat: Seat) -> Action:
        """Return the legal action that replaces a missing or faulty answer (docs/contracts.md#engine)."""

    @abstractmethod
    def observe(self, seat: Seat) -> Observation:
        """Return everything that ``seat`` may know, ``legal`` included, as a new mapping.

        Complete: a decision needs no event and no earlier observation. Nothing else leaves the referee.
        During a simultaneous decision, ``to_act`` does not show which seats have answered.
        """

    def observe_text(self, seat: Seat, legal: tuple[Action, ...] | None = None) -> str:
        """Return ``json_text(observe(seat))``, possibly faster; ``legal`` is ``legal(seat)``, if known."""
        return json_text(self.observe(seat))

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the result, or None while a seat has to act."""

    @abstractmethod
    def happened_since(self, previous: State | None) -> list[Event]:
        """Return the events since an earlier state of the same board (None: all), oldest first.

        The cost is proportional to the number of events returned.
        """

    def events_since(self, previous: State | None, seat: Seat) -> list[dict[str, Any]]:
        """Return what ``seat`` may see of ``happened_since(previous)``."""
        return [event.seen_by(seat) for event in self.happened_since(previous)]


class Worlds(ABC):
    """Possible locations of the cards that an observation hides. Parses once, draws many times."""

    __slots__ = ()

    @abstractmethod
    def draw(self, rng: Random) -> dict[Seat, tuple[str, ...]]:
        """Return hands of all seats, the observer's included, drawn uniformly from the deals that are
        possible.

        Hands are unordered; cards under key 0 are in order.
        """

    @abstractmethod
    def state(self, hands: Hands) -> State:
        """Return the state that the seat observes if these are the hands; its own hand may be omitted.

        The state has no earlier history: ``happened_since(None)`` begins with the current deal, and the state
        ends with it. ``outcome().deals`` has this deal only; ``outcome().stones`` the result of the board up
        to and including it. Raise ``ObservationError`` if hands and observation contradict each other.
        """


class Game(ABC):
    """A family of games: its presets and the start of a board. Stateless, one instance per family."""

    key: ClassVar[str]
    """``kakeya`` or ``kakkuri``; part of the labels of docs/rules/common.md#seeded-dealing."""
    rules_version: ClassVar[int]
    """Increased by every change of the rules that changes a result."""
    presets: Mapping[str, Ruleset]

    @abstractmethod
    def seats(self, ruleset: Ruleset) -> int:
        """Return the number of seats at the table."""

    @abstractmethod
    def sides(self, ruleset: Ruleset) -> tuple[Side, ...]:
        """Return the sides in the order of their lowest seats; each seat is in one side."""

    @abstractmethod
    def start(self, ruleset: Ruleset, board: Board) -> State:
        """Return the first state of a board. It may be terminal: a deal can be won before any play.

        Raise ``RulesetError`` if the ruleset does not fit the game or the kind of board, ``NotationError`` if
        an explicit deck is not a permutation of the pack.
        """

    @abstractmethod
    def decisions_bound(self, ruleset: Ruleset, kind: BoardKind) -> int | None:
        """Return the maximum number of decisions per seat on a board, or None if unbounded."""

    @abstractmethod
    def starting_stones(self, ruleset: Ruleset) -> int:
        """Return the stones of a seat (or pair) before the first deal; 0 for games that count points."""

    def forfeit_stones(self, ruleset: Ruleset) -> int:
        """Return the cost of a forfeited game board: the starting stones, unless the game overrides it."""
        return self.starting_stones(ruleset)

    @abstractmethod
    def parse_action(self, text: str) -> Action:
        """Return the action that this text spells, or raise ``NotationError``."""

    def worlds(self, ruleset: Ruleset, observation: Observation) -> Worlds:
        """Return the possible hidden cards of an observation, for search. Optional for a game.

        Raise ``ObservationError`` if the observation contradicts the rules, ``EngineError`` without support.
        """
        raise EngineError(f"{self.key} makes no states of observations")

    def is_decided(self, ruleset: Ruleset, observation: Observation) -> bool:
        """Return whether public information alone fixes the result of the current deal, whatever is played.

        False is always safe.
        """
        return False

    def ruleset(self, preset: str, options: Mapping[str, Any] | None = None) -> Ruleset:
        """Return a preset with some options changed. Raise ``RulesetError`` for unknown names or values."""
        if preset not in self.presets:
            raise RulesetError(
                f"unknown preset {quoted(preset)} of {self.key}; presets: {', '.join(self.presets)}"
            )
        return self.presets[preset].replace(**(options or {}))


def partner_of(sides: Sequence[Side], seat: Seat) -> Seat | None:
    """Return the other seat of the pair, or None in a free-for-all."""
    for side in sides:
        if seat in side and len(side) == 2:
            return side[0] if side[1] == seat else side[1]
    return None


def cells_since(past: Past, earlier: Past) -> list[tuple[Any, ...]]:
    """Return the cells of ``past`` after ``earlier``, oldest first; all if ``earlier`` is not part of it."""
    if past is not None and past[0] is earlier:  # Nearly always.
        return [past]
    cells = []
    while past is not None and past is not earlier:
        cells.append(past)
        past = past[0]
    cells.reverse()
    return cells


class Rules(NamedTuple):
    """A game, its options and the kind of board."""

    game: Game
    ruleset: Ruleset
    kind: BoardKind

    @property
    def sides(self) -> tuple[Side, ...]:
        return self.game.sides(self.ruleset)

    @property
    def decisions_bound(self) -> int | None:
        return self.game.decisions_bound(self.ruleset, self.kind)

    @property
    def forfeit_stones(self) -> int:
        return self.game.forfeit_stones(self.ruleset)
