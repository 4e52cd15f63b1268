"""The contract of every game: Game, Ruleset, Board, State, Event, Outcome.

A caller needs nothing else: it starts a state, asks who is to act, offers the legal actions,
applies the answers and reads the outcome. Resting pairs, seats that drop, several plays in a
turn and simultaneous answers all pass through the same few calls
(docs/decisions/0002-engine-contract.md walks through one deal of each).
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
"""A place at the table, 1..n, numbered anticlockwise: seat i+1 sits on the right of seat i."""

Action = str
"""One choice in the notation of the game; every choice has exactly one spelling."""

Side = tuple[Seat, ...]
"""The seats that win and lose together, ascending: a pair, or one seat in a free-for-all."""

Observation = dict[str, Any]
"""What one seat may see: a plain mapping that survives JSON unchanged (docs/bot-protocol.md)."""

Hands = Mapping[Seat, Sequence[str]]
"""Cards by seat. Games that keep cards aside have them under 0, in the order in which they come."""

BoardKind = Literal["deal", "game"]

Past = tuple[Any, ...] | None
"""A past that grows without being copied: each state holds its newest cell, ``(the past before, what
happened...)``, or None: nothing yet. Games decide what a cell carries, and turn cells into Events only when
asked. The type nests, so Any."""

# Made once: json.dumps with these options would make an encoder each time.
json_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
"""Plain values as one line of JSON: ASCII, no spaces, keys in their own order."""


class Board(NamedTuple):
    """The cards dealt and the conditions: one deal, or a whole game from one match seed."""

    kind: BoardKind
    number: int
    """From 1. On a deal board dealers, leaders and trump follow from it."""
    seed: str
    """The match seed (docs/rules/common.md#seeded-dealing): every deck of the board derives from it."""
    decks: tuple[tuple[str, ...], ...] = ()
    """Explicit decks by deal, from the first; deals past the last one derive from the seed."""


class Event(NamedTuple):
    """One event, with what the record and each seat may see of it."""

    kind: str
    """The ``e`` of the record line: deal, act, trick, turned, utazu, out, deal_end."""
    public: Mapping[str, Any]
    """The public fields."""
    record: Mapping[str, Any] = {}
    """Further fields for the record only, such as the whole deck."""
    private: Mapping[Seat, Mapping[str, Any]] = {}
    """Further fields for single seats, such as a hand dealt to it."""
    line: bytes | None = None
    """The record's line of the event, if a game has it at hand: most are the same few hundred."""

    def seen_by(self, seat: Seat) -> dict[str, Any]:
        """The event as ``seat`` may see it; a new dictionary."""
        return {"e": self.kind, **self.public, **self.private.get(seat, {})}

    def recorded(self) -> dict[str, Any]:
        """The event as the record's line; a new dictionary."""
        return {"e": self.kind, **self.public, **self.record}


class Outcome(NamedTuple):
    """How a board ended, in stones."""

    stones: Mapping[Seat, int]
    """Result by seat: won (+) or lost (-) on the board. The seats of a pair each show what their
    pair won; the sum over all seats is 0."""
    deals: tuple[Mapping[Seat, int], ...]
    """The same for each deal, in order."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ruleset:
    """The options of one game. Each game derives its own frozen dataclass with a default for every field."""

    preset: str
    """The name of the preset these options started from."""

    def as_dict(self) -> dict[str, Any]:
        """Every option by name except the preset, plain JSON values, null where one does not apply."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "preset"}

    def replace(self, /, **options: Any) -> Self:
        """The same rules with some options changed.

        Raises:
            RulesetError: an option does not exist or cannot take its value.
        """
        known = {f.name for f in dataclasses.fields(self)} - {"preset"}
        unknown = sorted(set(options) - known)
        if unknown:
            raise RulesetError(
                f"unknown option {quoted(unknown[0])} for {self.preset}; options: {', '.join(sorted(known))}"
            )
        return dataclasses.replace(self, **options)


class State(ABC):
    """The complete state of a board at one moment. A value: nothing changes after construction."""

    __slots__ = ()

    @property
    @abstractmethod
    def phase(self) -> str:
        """The current decision, as in records and requests (``trump``, ``lead``, ``play``, ...)."""

    @property
    @abstractmethod
    def to_act(self) -> tuple[Seat, ...]:
        """Seats that owe an answer, ascending. Empty when the board is over; more than one when the
        decision is simultaneous: then no answer shows before all are in. The same seat may stand here
        several times running, and a seat that does not play the deal may still be asked about it."""

    @property
    @abstractmethod
    def situation(self) -> str:
        """Preset, deal and phase in words, for messages; reveals nothing hidden."""

    @abstractmethod
    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Legal actions in canonical order; never empty for a seat in ``to_act``, empty for others."""

    @abstractmethod
    def apply(self, seat: Seat, action: Action) -> Self:
        """The state after ``seat`` answers ``action``.

        One answer may end a deal and begin the next, or several; ``happened_since`` returns all the events.

        Raises:
            NotationError: the text is no action of this game.
            IllegalAction: not allowed now, or not this seat's turn.
        """

    @abstractmethod
    def fallback(self, seat: Seat) -> Action:
        """The legal action that replaces a missing or faulty answer.

        Source: docs/rules/kakeya.md#fallback-actions; docs/rules/etori.md#fallback-actions;
        docs/rules/kakkuri.md#fallback-actions.
        """

    @abstractmethod
    def observe(self, seat: Seat) -> Observation:
        """What ``seat`` may see, ``legal`` included; a new mapping. Nothing else leaves the referee.

        Complete: whoever decides needs no event and no earlier observation. While a simultaneous
        decision is open its ``to_act`` holds every seat asked, so that nobody sees who has answered.
        """

    def observe_text(self, seat: Seat, legal: tuple[Action, ...] | None = None) -> str:
        """``observe`` as ``json_text`` writes it. A game may know a faster way to the same text.

        ``legal``: what ``legal(seat)`` gave, if it is known, so that it is not worked out twice.
        """
        return json_text(self.observe(seat))

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The result, or None while somebody is still to act."""

    @abstractmethod
    def happened_since(self, previous: State | None) -> list[Event]:
        """Events between an earlier state of the same board and this one, oldest first.

        With ``None``, every event from the start. Costs as many steps as it returns.
        """

    def events_since(self, previous: State | None, seat: Seat) -> list[dict[str, Any]]:
        """What ``seat`` may see of ``happened_since(previous)``, as plain mappings."""
        return [event.seen_by(seat) for event in self.happened_since(previous)]


class Worlds(ABC):
    """The ways in which the cards hidden in one observation may lie. Read once, drawn from many times."""

    __slots__ = ()

    @abstractmethod
    def draw(self, rng: Random) -> dict[Seat, tuple[str, ...]]:
        """Hands of all seats, drawn uniformly from every deal that what the seat may know leaves possible.

        Its own hand is among them. The cards of a hand are in no order; those under 0 are in theirs.
        """

    @abstractmethod
    def state(self, hands: Hands) -> State:
        """The state that the seat observes if these are the hands; the seat's own may be left out.

        Its ``observe`` gives the observation. What came before is no longer told: ``happened_since(None)``
        begins with the deal. The state is over with this deal: ``outcome().deals`` holds this deal alone,
        ``outcome().stones`` what the board has brought so far, this deal included.

        Raises:
            ObservationError: the hands contradict the observation, or it contradicts itself.
        """


class Game(ABC):
    """One family of games: its presets and how a board starts. Stateless; one instance a family."""

    key: ClassVar[str]
    """``kakeya`` or ``kakkuri``; also part of the labels of docs/rules/common.md#seeded-dealing."""
    rules_version: ClassVar[int]
    """Raised whenever a change of the rules changes any result."""
    presets: Mapping[str, Ruleset]
    """By name."""

    @abstractmethod
    def seats(self, ruleset: Ruleset) -> int:
        """Number of seats at the table."""

    @abstractmethod
    def sides(self, ruleset: Ruleset) -> tuple[Side, ...]:
        """Who plays with whom, in the order of their lowest seats; every seat once."""

    @abstractmethod
    def start(self, ruleset: Ruleset, board: Board) -> State:
        """The first state of a board. It may be the last one too: a deal can be won before any play.

        Raises:
            RulesetError: the ruleset does not fit this game or this kind of board.
            NotationError: an explicit deck is not a permutation of the pack.
        """

    @abstractmethod
    def decisions_bound(self, ruleset: Ruleset, kind: BoardKind) -> int | None:
        """The maximum number of decisions of a seat on a board, or None if there is no bound."""

    @abstractmethod
    def starting_stones(self, ruleset: Ruleset) -> int:
        """Stones of a seat (of a pair) before the first deal; 0 where a game counts points from 0."""

    def forfeit_stones(self, ruleset: Ruleset) -> int:
        """What a forfeit of a game board costs: the starting stones, unless the game says otherwise."""
        return self.starting_stones(ruleset)

    @abstractmethod
    def parse_action(self, text: str) -> Action:
        """The action this text spells.

        Raises:
            NotationError: no action of this game is spelt so.
        """

    def worlds(self, ruleset: Ruleset, observation: Observation) -> Worlds:
        """What the observation of a seat that is asked leaves open, for searches; a game may lack it.

        Raises:
            ObservationError: the rules contradict the observation.
            EngineError: the game makes no states of observations.
        """
        raise EngineError(f"{self.key} makes no states of observations")

    def ruleset(self, preset: str, options: Mapping[str, Any] | None = None) -> Ruleset:
        """A preset, with some options changed.

        Raises:
            RulesetError: unknown preset, option or value.
        """
        if preset not in self.presets:
            raise RulesetError(
                f"unknown preset {quoted(preset)} of {self.key}; presets: {', '.join(self.presets)}"
            )
        return self.presets[preset].replace(**(options or {}))


def partner_of(sides: Sequence[Side], seat: Seat) -> Seat | None:
    """The other member of the seat's pair, or None in a free-for-all."""
    for side in sides:
        if seat in side and len(side) == 2:
            return side[0] if side[1] == seat else side[1]
    return None


def cells_since(past: Past, earlier: Past) -> list[tuple[Any, ...]]:
    """The cells of ``past`` that came after ``earlier``, oldest first.

    Costs as many steps as it returns, if ``earlier`` is part of ``past``; else all of it is returned.
    """
    if past is not None and past[0] is earlier:  # Nearly always.
        return [past]
    cells = []
    while past is not None and past is not earlier:
        cells.append(past)
        past = past[0]
    cells.reverse()
    return cells


class Rules(NamedTuple):
    """What is played: a game, its options, and what a board is."""

    game: Game
    ruleset: Ruleset
    kind: BoardKind

    @property
    def sides(self) -> tuple[Side, ...]:
        """See ``Game.sides``."""
        return self.game.sides(self.ruleset)

    @property
    def decisions_bound(self) -> int | None:
        """See ``Game.decisions_bound``."""
        return self.game.decisions_bound(self.ruleset, self.kind)

    @property
    def forfeit_stones(self) -> int:
        """See ``Game.forfeit_stones``."""
        return self.game.forfeit_stones(self.ruleset)
