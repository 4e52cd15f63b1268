"""Exact values with all hands open: of each card that could be played, and of each declaration."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.games.kakeya.plays import DealPlays
from analysis.shapes import DeclarationNote
from analysis.work import Work
from engine import Seat
from engine.cards import KAKEYA_PACK, Card
from engine.games.kakeya.state import KakeyaState
from engine.kernel import places_of, position_of, solve, solve_play


def step_values(played: DealPlays, work: Work) -> dict[int, dict[Card, int]]:
    """Return the value of each legal card by index of the play, in stones to the first playing side.

    The deal is solved from its last play back to the first that the limit allows.
    """
    work.check()
    cards = [KAKEYA_PACK.cards.index(play.card) for play in played.plays]
    solved = solve_play(position_of(played.plays[0].state), cards, limits=work.solver_limits)
    values: dict[int, dict[Card, int]] = {}
    for index in reversed(range(len(solved))):
        answers = solved[index].answers
        if any(answer.state != "exact" for _, answer in answers):
            work.check()
            break
        values[index] = {KAKEYA_PACK.cards[card]: answer.low for card, answer in answers}
    return values


def lead_values(played: DealPlays, values: Mapping[int, Mapping[Card, int]], work: Work) -> dict[Seat, int]:
    """Return the value of the deal by each seat that could have led; empty if the limit stopped it."""
    if 0 not in values:
        return {}
    first = played.plays[0]
    leads = {first.seat: first.best(values[0])}
    if played.lead is None:
        return leads
    position, places = position_of(first.state), places_of(first.state.deal)
    for seat in first.state.deal.roles.leaders:
        if seat not in leads:
            answer = solve(position._replace(turn=places.index(seat)), limits=work.solver_limits)
            if answer.state != "exact":
                work.check()
                return {}
            leads[seat] = answer.low
    return leads


def declaration_notes(played: DealPlays, leads: Mapping[Seat, int]) -> dict[str, DeclarationNote]:
    """Return notes on the declarations that could have changed the value, by index in ``before``."""
    notes: dict[str, DeclarationNote] = {}
    if played.lead is None or not leads:
        return notes
    given = {act.seat: act.action for act in played.declarations.values()}
    for index, (seat, declared, verdict) in played.declarations.items():
        values = {
            answer: leads[_leader(played.lead, {**given, seat: answer})] for answer in played.lead.legal(seat)
        }
        if len(set(values.values())) == 1:
            continue
        note: DeclarationNote = {"seat": seat, "action": declared, "values": values}
        if verdict is not None:
            note["by"] = "referee"
        sign = played.plays[0].sign
        cost = max(sign * value for value in values.values()) - sign * values[declared]
        if cost:
            note["cost"] = cost
        notes[str(index)] = note
    return notes


def _leader(state: KakeyaState, answers: Mapping[Seat, str]) -> Seat:
    """Return the seat that leads after these declarations."""
    for seat in state.to_act:
        state = state.apply(seat, answers[seat])
    return state.to_act[0]
