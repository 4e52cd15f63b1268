"""Notes on deals of Kakeya and Etori."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.games import GameNotes
from analysis.games.kakeya.double_dummy import declaration_notes, lead_values, step_values
from analysis.games.kakeya.plays import DealPlays, deals_played
from analysis.shapes import DealNotes, StepNote
from analysis.work import Work
from engine import Replay, ReplayedBoard


def deal_notes(replayed: Replay, board: ReplayedBoard, work: Work) -> Iterator[DealNotes]:
    for played in deals_played(replayed, board):
        yield _notes(board.board.number, played, work)


def _notes(board: int, played: DealPlays, work: Work) -> DealNotes:
    values = step_values(played, work)
    first = min(values, default=None)
    leads = lead_values(played, values, work)
    steps: dict[str, StepNote] = {}
    for index in sorted(values):
        play, by_card = played.plays[index], values[index]
        if len(set(by_card.values())) > 1:
            steps[str(index)] = _step_note(by_card, play.card, play.sign)
    return {
        "board": board,
        "deal": played.deal,
        "from": first,
        "value": None if first is None else played.plays[first].best(values[first]),
        "leads": {str(seat): value for seat, value in sorted(leads.items())},
        "declarations": declaration_notes(played, leads),
        "steps": steps,
    }


def _step_note(by_card: dict[str, int], card: str, sign: int) -> StepNote:
    groups: dict[str, list[str]] = {}
    for other, value in by_card.items():
        groups.setdefault(str(value), []).append(other)
    note: StepNote = {"values": groups}
    cost = max(sign * value for value in by_card.values()) - sign * by_card[card]
    if cost:
        note["cost"] = cost
    return note


NOTES = GameNotes(limits={"nodes": 20_000_000, "deals": 64}, deals=deal_notes)
