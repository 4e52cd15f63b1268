"""The shapes of ``rensho-view/1`` in JSON; ``analysis.shapes`` has the shapes of notes.

A view contains everything visible of one table, so that rendering it needs no rules. Readers must ignore
unknown keys. Seats and sides as keys are decimal text. Source: docs/views.md.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

VIEW_FORMAT = "rensho-view/1"

Hands = dict[str, list[str]]


class ViewItem(TypedDict):
    """One entry of ``before`` or ``steps``. Its keys depend on ``k`` (docs/views.md#entries)."""

    k: str
    """Kind: ``trump``, ``lead``, ``deal``, ``fuwaru``, ``out``, ``utazu`` before the first card, then
    ``play`` or, in Kakkuri, ``turned``, ``meld``, ``pass``, ``drop``, ``turn``, ``sansoku``.
    """
    s: NotRequired[int]
    a: NotRequired[str]
    """Answer as in the record (``PREFER``, ``TH``, ``AC@7``), or the card turned up."""
    only: NotRequired[Literal[True]]
    """The answer was the only legal one."""
    us: NotRequired[int]
    """CPU time of the decision in microseconds, if recorded."""
    by: NotRequired[Literal["referee"]]
    """Author of the answer if not the bot."""
    verdict: NotRequired[str]
    """Verdict of the fault for which the referee answered."""
    hands: NotRequired[Hands]
    """After a ``SWAP``: the two exchanged hands."""
    t: NotRequired[int]
    p: NotRequired[int]
    """Position in the trick, from 0."""
    w: NotRequired[int]
    """Current winner of the trick."""
    e: NotRequired[list[int]]
    """Pictures captured by each of ``sides``, including this trick once it is full."""
    c: NotRequired[list[str]]
    """Cards of a meld."""
    f: NotRequired[int]
    """New value to follow."""
    may: NotRequired[list[int]]
    """Values that may follow now, ascending, if they may have changed; empty before a card is turned up."""
    turn: NotRequired[int]
    """Turn of the deal, from 1. A turn has one or more entries."""
    lap: NotRequired[int]
    """Round of turns, from 1."""
    left: NotRequired[int]
    """Remaining cards of the seat."""
    box: NotRequired[int]
    """Remaining cards of the box."""
    pot: NotRequired[int]
    """Stones in the pot; given if it grew."""
    back: NotRequired[Literal[True]]
    """The turn now returns to the last seat that played a card."""


class ViewEnd(TypedDict):
    """End of a deal. Kakeya and Etori have ``category`` and ``pictures``, and ``how`` is null."""

    winner: list[int]
    stones: dict[str, int]
    """Stones won or lost by each seat; both seats of a pair have the pair's."""
    how: str | None
    """Kakkuri: ``ordinary``, ``guri``, ``utazu``, ``lone``, ``dead``."""
    category: NotRequired[str | None]
    """Ace category of the winners (``N``, ``O``, ``R``), null if none decides the payment."""
    pictures: NotRequired[list[int]]
    """Pictures captured by each of ``sides``; 0 for a pair that rests."""


class ViewDeal(TypedDict):
    """One deal. Keys of single games come last."""

    deal: int
    """From 1; always 1 on a deal board."""
    stones: dict[str, int] | None
    """By seat before the deal; null on deal boards."""
    hands: Hands
    """Hands after any swaps. A resting seat is missing, a seat that is out has its cards."""
    before: list[ViewItem]
    steps: list[ViewItem]
    end: ViewEnd
    bank: NotRequired[dict[str, int]]
    """By seat: remaining CPU bank after the deal, in microseconds, if times were recorded."""
    dealer: NotRequired[int]
    """Dealing seat, if there is a single one."""
    dealers: NotRequired[list[int]]
    """Kakeya and Etori: the pair that deals."""
    leaders: NotRequired[list[int]]
    """Kakeya and Etori: the seats of which one leads to the first trick."""
    resting: NotRequired[list[int]]
    """Kakeya and Etori: seats that do not play this deal."""
    trump: NotRequired[str]
    """Kakeya and Etori: a suit, ``S``, ``H``, ``D`` or ``C``."""
    rensho: NotRequired[str]
    """Kakeya and Etori: the card that beats all others."""
    box: NotRequired[int]
    """Kakkuri: cards in the box before the first is turned up."""


class ViewBoard(TypedDict):
    board: int
    kind: Literal["deal", "game"]
    result: dict[str, int]
    """Stones won or lost on the board, by seat."""
    deals: list[ViewDeal]


class View(TypedDict):
    """One table, ``rensho-view/1``."""

    format: str
    record_sha256: str
    """Hash of the uncompressed record."""
    game: str
    preset: str
    options: dict[str, Any]
    """Options that differ from the preset, usually none."""
    seats: int
    sides: list[list[int]]
    """Seats of each side, ordered by lowest seat."""
    numbers: list[int]
    """All boards of the table; a partial view has one of them."""
    boards: list[ViewBoard]
    forfeited: list[int]
    """Seats whose conduct forfeited the table."""
