"""The shapes of ``rensho-view/1`` and ``rensho-notes/1``, as they are in JSON.

A view has all there is to see of one table, so that whoever draws it needs no rules: hands, each play with
the winner so far, what may follow, results. Keys are short, since a large table has thousands of them;
readers ignore keys they do not know. Seats and sides that are keys are decimal text, as JSON wants it.

Source: docs/views.md.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

VIEW_FORMAT = "rensho-view/1"

Hands = dict[str, list[str]]
"""Cards by seat, in the order in which a hand is shown."""


class ViewItem(TypedDict):
    """One entry of ``before`` or ``steps``. Which keys it has depends on ``k`` (docs/views.md#entries)."""

    k: str
    """What happened. Before the first card: ``trump``, ``lead``, ``deal``, ``fuwaru``, ``out``, ``utazu``;
    afterwards ``play`` or, in Kakkuri, ``turned``, ``meld``, ``pass``, ``drop``, ``turn``, ``sansoku``."""
    s: NotRequired[int]
    """The seat; missing for ``turned``."""
    a: NotRequired[str]
    """The answer as in the record (``PREFER``, ``TH``, ``AC@7``), or the card that was turned up."""
    us: NotRequired[int]
    """CPU time of the decision in microseconds, where it was kept."""
    by: NotRequired[Literal["referee"]]
    """Who answered, if not the bot."""
    verdict: NotRequired[str]
    """Of the fault for which the referee answered."""
    hands: NotRequired[Hands]
    """After a ``SWAP``: the two hands that were exchanged, as they are now."""
    t: NotRequired[int]
    """Trick, from 1."""
    p: NotRequired[int]
    """Place in the trick, from 0."""
    w: NotRequired[int]
    """The seat that wins the trick so far."""
    e: NotRequired[list[int]]
    """Pictures captured, one number for each of ``sides``, this trick's included once it is full."""
    c: NotRequired[list[str]]
    """The cards of a meld."""
    f: NotRequired[int]
    """The value that now lies there to be followed."""
    may: NotRequired[list[int]]
    """The values that may follow now, ascending; given where they may have changed. Empty: none before a
    card is turned up."""
    turn: NotRequired[int]
    """Turn of the deal, from 1. A turn has one entry or several."""
    lap: NotRequired[int]
    """How often the turns have gone round, from 1."""
    left: NotRequired[int]
    """Cards the seat has left."""
    box: NotRequired[int]
    """Cards left in the box."""
    pot: NotRequired[int]
    """Stones in the pot; given where it grew."""
    back: NotRequired[Literal[True]]
    """The turn now comes back to the last seat that played a card."""


class ViewEnd(TypedDict):
    """How a deal ended. Kakeya and Etori have ``category`` and ``pictures``; ``how`` is null there."""

    winner: list[int]
    """The winning seats: a pair, one seat, or none."""
    stones: dict[str, int]
    """Won or lost by each seat; both of a pair show the pair's."""
    how: str | None
    """Kakkuri: ``ordinary``, ``guri``, ``utazu``, ``lone``, ``dead``."""
    category: NotRequired[str | None]
    """Ace category of the winners (``N``, ``O``, ``R``), null where none decides the payment."""
    pictures: NotRequired[list[int]]
    """Pictures captured, one number for each of ``sides``; 0 for a pair that rests."""


class ViewDeal(TypedDict):
    """One deal. Keys that only some games have come last."""

    deal: int
    """From 1; on a deal board always 1."""
    stones: dict[str, int] | None
    """By seat before the deal; null on deal boards."""
    hands: Hands
    """As played with: after any swaps. A seat that rests is missing, one that is out has its cards."""
    before: list[ViewItem]
    """What was said and seen before the first card."""
    steps: list[ViewItem]
    """What was played, in order."""
    end: ViewEnd
    bank: NotRequired[dict[str, int]]
    """By seat: what is left of its CPU bank after the deal, in microseconds, where times were kept."""
    dealer: NotRequired[int]
    """The seat that deals, where a single one does."""
    dealers: NotRequired[list[int]]
    """Kakeya and Etori: the pair that deals."""
    leaders: NotRequired[list[int]]
    """Kakeya and Etori: the seats one of which leads to the first trick."""
    resting: NotRequired[list[int]]
    """Kakeya and Etori: seats that do not play this deal."""
    trump: NotRequired[str]
    """Kakeya and Etori: a suit, ``S``, ``H``, ``D`` or ``C``."""
    rensho: NotRequired[str]
    """Kakeya and Etori: the card that beats everything."""
    box: NotRequired[int]
    """Kakkuri: cards in the box before the first is turned up."""


class ViewBoard(TypedDict):
    """One board of the table."""

    board: int
    kind: Literal["deal", "game"]
    result: dict[str, int]
    """Stones won or lost on the board, by seat."""
    deals: list[ViewDeal]


class View(TypedDict):
    """One table, ``rensho-view/1``."""

    format: str
    record_sha256: str
    """Of the record it was made from, uncompressed."""
    game: str
    preset: str
    options: dict[str, Any]
    """The options that differ from the preset's; mostly none."""
    seats: int
    sides: list[list[int]]
    """Who plays with whom, in the order of their lowest seats."""
    numbers: list[int]
    """All boards of the table, of which a part of the view may hold one."""
    boards: list[ViewBoard]
    forfeited: list[int]
    """The seats whose conduct forfeited the table."""


class NotedStep(TypedDict):
    """What the solver found about one step. If the step cost nothing, ``v`` alone."""

    v: int
    """Stones to the first of ``sides`` that plays if everybody plays best after this step."""
    c: NotRequired[int]
    """Stones the step cost the side of its player, 1 or more."""
    best: NotRequired[list[str]]
    """The cards that would have cost nothing."""
    all: NotRequired[dict[str, list[int]]]
    """By legal card: ``v`` after it, and the pictures the first side would end with."""


class NotedBoard(TypedDict):
    """The solver's notes on one deal board."""

    par: int | None
    """``v`` before the first card; null where the solver did not get there."""
    steps: dict[str, NotedStep]
    """By index in the ``steps`` of the view, from 0."""


NotedFrom = TypedDict("NotedFrom", {"from": int})
"""The first index that was solved; earlier steps have no notes."""


class BoardNotes(NotedBoard, NotedFrom):
    """All keys of the notes on one board."""


class Notes(TypedDict):
    """A solver's notes on one table, ``rensho-notes/1``."""

    format: str
    record_sha256: str
    solver: str
    """Name and version of the method, such as ``kakeya-dd/1``."""
    boards: dict[str, BoardNotes]
    """By board; boards without notes are missing."""
