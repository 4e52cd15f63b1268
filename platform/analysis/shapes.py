"""The shapes of ``rensho-notes/2`` in JSON. Readers must ignore unknown keys. Source: docs/views.md."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

NOTES_FORMAT = "rensho-notes/2"


class AverageLoss(TypedDict):
    """Loss of the played action against the best one, on average over possible deals."""

    loss: float
    """Stones, measured on other deals than those that selected the best action; two decimals (Kakkuri:
    three).
    """
    error: float
    """Standard error of ``loss``, as many decimals."""
    deals: int
    """Possible deals that measured the loss."""
    best: list[str]
    """Action that is best on average, and actions equivalent to it."""


class StepNote(TypedDict):
    """One decision whose possible actions differ in value, or that cost stones on average."""

    seat: int
    by: NotRequired[Literal["referee"]]
    """Set if the referee answered for the bot; such a decision has no average and no part in accuracy."""
    action: NotRequired[str]
    """The action taken, if ``cost`` or ``average`` exists."""
    values: NotRequired[dict[str, list[str]]]
    """Kakeya and Etori: legal cards by their double-dummy value, in stones to the first playing side."""
    cost: NotRequired[int]
    """Kakeya and Etori: double-dummy cost of the played card to its side, 1 stone or more."""
    average: NotRequired[AverageLoss]
    """Of a costly play, and of any play whose average loss is above two standard errors."""
    kind: NotRequired[Literal["mistake", "unlucky"]]
    """Of a costly play for which ``average`` exists."""


class DeclarationNote(TypedDict):
    seat: int
    by: NotRequired[Literal["referee"]]
    action: str
    values: dict[str, int]
    """Double-dummy value of the lead that results, by answer, in stones to the first playing side."""
    cost: NotRequired[int]
    """Stones that the answer cost its side, 1 or more."""


NotedFrom = TypedDict("NotedFrom", {"from": int | None})
"""Index in ``steps`` of the first solved play; null if none is solved."""


class DealNotes(NotedFrom):
    """Notes on one deal. Keys of ``declarations`` and ``steps`` are indices in the view's lists."""

    board: int
    deal: int
    value: int | None
    """Double-dummy value before step ``from``, in stones to the first playing side; null if not solved."""
    leads: dict[str, int]
    """Kakeya and Etori: double-dummy value of the deal by seat that may lead first; empty if not solved."""
    declarations: dict[str, DeclarationNote]
    steps: dict[str, StepNote]
    judged: NotRequired[dict[str, int]]
    """Kakkuri: by seat, decisions between actions that differ in more than suits."""


class Limits(TypedDict):
    nodes: int | None
    """Maximum nodes per solved position."""
    deals: int
    """Possible deals per average; 0 for no averages."""


class Notes(TypedDict):
    """Analysis of one table."""

    format: str
    record_sha256: str
    game: str
    preset: str
    solver: str
    """Version of all methods together: ``rensho-analysis/1``."""
    limits: Limits
    deals: list[DealNotes]
    """In the order of play."""
