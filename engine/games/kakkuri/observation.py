"""Observations of Kakkuri: public events of the deal and the seat's own cards.

``observation_of`` defines the content; ``observation_text`` produces the same as JSON in a fraction of the
time. Source: docs/rules/common.md#what-a-player-sees.
"""

from __future__ import annotations

from operator import sub

from engine.cards import KAKKURI_PACK
from engine.game import Action, Observation, Seat, json_text
from engine.games.kakkuri.deal_history import DealHistory
from engine.games.kakkuri.position import KakkuriPosition
from engine.games.kakkuri.ruleset import GAME_KEY, RULES_VERSION
from engine.games.kakkuri.standing import seats_of
from engine.games.kakkuri.turns import RETURN, TURNED, melds_made


def observation_of(state: KakkuriPosition, seat: Seat) -> Observation:
    """Return the observation of ``seat``; docs/bot-protocol.md describes every field."""
    deal = state.deal
    ruleset, standing = deal.setting.ruleset, state.standing
    has_looked = state.phase in ("turn", "over")
    history = deal.texts.history.until(state.past) if has_looked else DealHistory()
    active = seats_of(standing.active)
    out = standing.out if has_looked else 0
    hands = [hand & ~state.played if s in active else 0 for s, hand in enumerate(standing.hands)]
    if state.ended:
        stones, pot = deal.stones_after(state.ended.stones), 0
    else:
        stones, pot = tuple(map(sub, deal.stones, standing.paid)), sum(standing.paid)
    seats = range(1, ruleset.seats + 1)
    return {
        "game": GAME_KEY,
        "preset": ruleset.preset,
        "rules_version": RULES_VERSION,
        "seat": seat,
        "seats": ruleset.seats,
        "active": list(active),
        "to_act": list(state.to_act),
        "phase": state.phase,
        "deal": deal.number,
        "stones": {str(s): stones[s] for s in seats},
        "legal": list(state.legal(seat)),
        "hand": list(KAKKURI_PACK.listed(hands[seat])) if has_looked else [],
        "hand_sizes": {str(s): hands[s].bit_count() for s in seats},
        # The box of eight seats is made at the look.
        "box_size": len(deal.box) - standing.turned if has_looked or not deal.box8 else 0,
        "follow": state.follow or None,
        "last": state.last or None,
        "return_turn": bool(state.turn & RETURN),
        "turned": list(history.turned),
        "turned_this_turn": bool(state.turn & TURNED),
        "played_this_turn": melds_made(state.turn),
        "plays": [[s, meld] for s, meld in history.plays],
        "passes": [[s, follow] for s, follow in history.passes],
        "dropped": [s for s in seats if s not in active and s != out],
        "out": [out] if out else [],
        "sansoku": list(seats_of(standing.sansoku)),
        "pot": pot,
        "dealer": deal.dealer,
    }


def observation_text(state: KakkuriPosition, seat: Seat, legal: tuple[Action, ...]) -> str:
    """Return ``json_text(observation_of(state, seat))``; ``legal`` is the result of ``state.legal(seat)``."""
    if state.phase != "turn":
        return json_text(observation_of(state, seat))
    texts = state.deal.texts
    standing, played, turn = state.standing, state.played, state.turn
    active = standing.active
    key = active, standing.paid, standing.sansoku, standing.hands
    if key != texts.standing:
        texts.standing, texts.frames, texts.sizes = key, {}, (-1, "")
    frame = texts.frames.get(seat)
    if frame is None:
        frame = texts.frames[seat] = _frame(state, seat)
    start, after_to_act, after_legal, after_hand, end = frame
    if texts.sizes[0] != played:
        sizes = [
            f'"{s}":{(hand & ~played).bit_count() if active >> s & 1 else 0}'
            for s, hand in enumerate(standing.hands)
        ]
        texts.sizes = played, ",".join(sizes[1:])
    history = texts.history.until(state.past)
    actions = '","'.join(legal)
    hand = '","'.join(KAKKURI_PACK.listed(standing.hands[seat] & ~played)) if active >> seat & 1 else ""
    return (
        f"{start}[{state.to_act[0]}]{after_to_act}{_listed(actions)}{after_legal}{_listed(hand)}{after_hand}"
        f'"hand_sizes":{{{texts.sizes[1]}}},"box_size":{len(state.deal.box) - standing.turned},'
        f'"follow":{state.follow},"last":{state.last},"return_turn":{_TRUTH[turn & RETURN > 0]},'
        f'"turned":[{history.turned_text}],"turned_this_turn":{_TRUTH[turn & TURNED > 0]},'
        f'"played_this_turn":{melds_made(turn)},"plays":[{history.plays_text}],'
        f'"passes":[{history.passes_text}]{end}'
    )


_TRUTH = ("false", "true")
_GAP = "?"
_GAP_TEXT = json_text(_GAP)
_CHANGING = ("to_act", "legal", "hand")
_WRITTEN = (
    *("hand_sizes", "box_size", "follow", "last", "return_turn", "turned", "turned_this_turn"),
    *("played_this_turn", "plays", "passes"),
)
"""Adjacent fields of the observation that change with nearly every action."""


def _frame(state: KakkuriPosition, seat: Seat) -> list[str]:
    """Build the fragments of a seat's text that are constant while the standing is."""
    shape = observation_of(state, seat) | dict.fromkeys(_CHANGING, _GAP)
    for name in _WRITTEN[1:]:
        del shape[name]
    shape[_WRITTEN[0]] = _GAP
    *pieces, before, end = json_text(shape).split(_GAP_TEXT)
    return [*pieces, before.removesuffix(f'"{_WRITTEN[0]}":'), end]


def _listed(joined: str) -> str:
    """Return words joined by '","' as a JSON list; the words need no escaping."""
    return f'["{joined}"]' if joined else "[]"
