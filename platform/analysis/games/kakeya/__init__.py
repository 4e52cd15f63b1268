"""Notes on deals of Kakeya and Etori."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analysis.games import GameNotes
from analysis.games.kakeya.averages import ALWAYS_FROM, Average, average_of
from analysis.games.kakeya.double_dummy import declaration_notes, lead_values, step_values
from analysis.games.kakeya.hints import hint
from analysis.games.kakeya.plays import DealPlays, Play, deals_played
from analysis.shapes import DealNotes, StepNote
from analysis.work import Work
from engine import Game, Replay, ReplayedBoard
from engine.cards import Card


def deal_notes(replayed: Replay, board: ReplayedBoard, work: Work) -> Iterator[DealNotes]:
    for played in deals_played(replayed, board):
        yield _notes(replayed.game, board.board.number, played, work)


def _notes(game: Game, board: int, played: DealPlays, work: Work) -> DealNotes:
    values = step_values(played, work)
    first = min(values, default=None)
    leads = lead_values(played, values, work)
    steps: dict[str, StepNote] = {}
    for index in sorted(values):
        by_card = values[index]
        play = played.plays[index]
        cost = play.cost(by_card)
        average = None
        is_asked = len(by_card) > 1 and not play.is_of_referee and (cost or play.trick >= ALWAYS_FROM)
        if is_asked and work.limits["deals"]:
            average = average_of(game, play, work, (board, played.deal, index))
        note = _step_note(play, by_card, cost, average)
        if "values" in note or "average" in note:
            steps[str(index)] = note
    return {
        "board": board,
        "deal": played.deal,
        "from": first,
        "value": None if first is None else played.plays[first].best(values[first]),
        "leads": {str(seat): value for seat, value in sorted(leads.items())},
        "declarations": declaration_notes(played, leads),
        "steps": steps,
    }


def _step_note(play: Play, by_card: Mapping[Card, int], cost: int, average: Average | None) -> StepNote:
    note: StepNote = {"seat": play.seat}
    if play.is_of_referee:
        note["by"] = "referee"
    groups: dict[str, list[Card]] = {}
    for card, value in by_card.items():
        groups.setdefault(str(value), []).append(card)
    if len(groups) > 1:
        note["values"] = groups
    if cost:
        note["action"], note["cost"] = play.card, cost
    if average is not None and (cost or average.is_significant):
        note["action"] = play.card
        note["average"] = {
            "loss": round(average.loss, 2),
            "error": round(average.error, 2),
            "deals": average.deals,
            "best": list(average.best),
        }
        if cost:
            note["kind"] = "mistake" if average.is_significant else "unlucky"
    return note


NOTES = GameNotes(limits={"nodes": 20_000_000, "deals": 64}, deals=deal_notes, hint=hint)
