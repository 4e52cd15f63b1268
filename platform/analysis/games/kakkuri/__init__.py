"""Notes on deals of Kakkuri: costs if all seats continue by the house rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from analysis.games import GameNotes
from analysis.games.kakkuri.comparing import Comparison, compared
from analysis.games.kakkuri.decisions import DealDecisions, deals_decided
from analysis.games.kakkuri.hints import hint
from analysis.shapes import AverageLoss, DealNotes, StepNote
from analysis.work import Work
from engine import Replay, ReplayedBoard, Ruleset


def deal_notes(replayed: Replay, board: ReplayedBoard, work: Work) -> Iterator[DealNotes]:
    for decided in deals_decided(replayed, board):
        yield _notes(board.board.number, decided, replayed.ruleset, work)


def _notes(board: int, decided: DealDecisions, ruleset: Ruleset, work: Work) -> DealNotes:
    judged = decided.decisions if work.limits["deals"] else []
    steps: dict[str, StepNote] = {}
    for decision in judged:
        rng = work.rng(board, decided.deal, decision.step)
        comparison = compared(decision, ruleset, rng, work)
        if comparison is not None and comparison.is_named:
            steps[str(decision.step)] = {
                "seat": decision.seat,
                "action": decision.action,
                "average": _average(comparison),
                "kind": "mistake",
            }
    counts = Counter(decision.seat for decision in judged)
    return {
        "board": board,
        "deal": decided.deal,
        "from": min((decision.step for decision in judged), default=None),
        "value": None,
        "leads": {},
        "declarations": {},
        "steps": steps,
        "judged": {str(seat): counts[seat] for seat in sorted(counts)},
    }


def _average(comparison: Comparison) -> AverageLoss:
    return {
        "loss": round(comparison.loss, 3),
        "error": round(comparison.error, 3),
        "deals": comparison.deals,
        "best": comparison.best,
    }


NOTES = GameNotes(limits={"nodes": None, "deals": 4000}, deals=deal_notes, hint=hint)
