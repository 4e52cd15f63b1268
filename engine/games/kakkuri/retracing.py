"""Reconstruct the course of a deal from its last observation by search.

An observation lists plays, passes and cards turned up separately; the rules determine how they alternate.
Needed only if passes cost stones, since no other field shows who paid.
"""

from __future__ import annotations

from engine.errors import ObservationError
from engine.game import Action, Observation
from engine.games.kakkuri.deal import Deal
from engine.games.kakkuri.events import deal_cell
from engine.games.kakkuri.notation import DROP, PASS, SANSOKU, TURN
from engine.games.kakkuri.standing import Standing
from engine.games.kakkuri.state import KakkuriState


def retrace_deal(deal: Deal, observation: Observation) -> KakkuriState:
    """Return a state of this deal that matches the observation except for stones.

    Costs a few microseconds per action. Raise ``ObservationError`` if no course of the deal matches.
    """
    past = deal_cell(None, deal.number, deal.dealer, deal.deck, deal.box8)
    todo = [(KakkuriState.looked(deal, Standing.of(deal.hands), past), 0, 0)]
    plays, passes = observation["plays"], observation["passes"]
    tried = set()
    while todo:
        state, played, passed = todo.pop()
        standing = state.standing
        key = state.to_act, played, passed, standing, state.turn, state.last
        if not state.to_act or key in tried:
            continue
        tried.add(key)
        (seat,) = state.to_act
        if (played, passed) == (len(plays), len(passes)) and _matches(state, observation):
            return state
        following: list[tuple[Action, int, int]] = []
        if standing.turned < len(observation["turned"]):
            following.append((TURN, played, passed))
        if seat in observation["sansoku"]:
            following.append((SANSOKU, played, passed))
        if seat in observation["dropped"]:
            following.append((DROP, played, passed))
        if passed < len(passes) and [*passes[passed]] == [seat, state.follow]:
            following.append((PASS, played, passed + 1))
        if played < len(plays) and plays[played][0] == seat:
            following.append((plays[played][1], played + 1, passed))
        legal = state.legal(seat)
        for action, plays_made, passes_made in following:
            if action in legal:
                todo.append((state.apply(seat, action), plays_made, passes_made))
    raise ObservationError("no course of the deal leads to this observation; give it unchanged")


_SAME = (
    *("active", "to_act", "box_size", "follow", "last", "return_turn", "turned", "turned_this_turn"),
    *("played_this_turn", "sansoku", "dropped", "pot", "legal"),
)


def _matches(state: KakkuriState, observation: Observation) -> bool:
    observed = state.observe(observation["seat"])
    return all(observed[name] == observation[name] for name in _SAME)
