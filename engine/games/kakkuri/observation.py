"""What a seat of Kakkuri may see: public events of the deal and its own cards. Source: RULES.md 1.6.

The shape is told by ``observed``; ``DealTexts`` writes the same as JSON, remembering what does not change.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from engine.cards import KAKKURI_PACK, Card
from engine.game import Action, Observation, Seat, json_text
from engine.games.kakkuri.events import act_event, deal_event, turned_event
from engine.games.kakkuri.notation import PASS, WORDS
from engine.games.kakkuri.ruleset import GAME_KEY, RULES_VERSION
from engine.games.kakkuri.standing import seats_of
from engine.games.kakkuri.turns import RETURN, TURNED, melds_made
from engine.history import Past

if TYPE_CHECKING:
    from engine.games.kakkuri.melds import MeldTable
    from engine.games.kakkuri.state import KakkuriState


class Story(NamedTuple):
    """What has happened in a deal since its start card."""

    turned: tuple[Card, ...]
    """Cards turned up from the box, the start card first."""
    plays: tuple[tuple[Seat, Action], ...]
    """Melds in order."""
    passes: tuple[tuple[Seat, int], ...]
    """Who passed, with the value then to follow, in order."""


def deal_story(past: Past, melds: MeldTable) -> Story:
    """The story of the newest deal of a past; costs a step for each of its events."""
    cells = []
    while past is not None and past[1] is not deal_event:
        cells.append(past)
        past = past[0]
    turned: list[Card] = []
    plays: list[tuple[Seat, Action]] = []
    passes: list[tuple[Seat, int]] = []
    follow = 0
    for cell in reversed(cells):
        if cell[1] is act_event:
            _, _, _, seat, action = cell
            if action not in WORDS:
                plays.append((seat, action))
                follow = melds.by_text[action].value
            elif action == PASS:
                passes.append((seat, follow))
        elif cell[1] is turned_event:
            turned.append(cell[2])
            follow = melds.values[cell[2]]
    return Story(tuple(turned), tuple(plays), tuple(passes))


def observed(state: KakkuriState, seat: Seat) -> Observation:
    """What ``seat`` may see, as ``State.observe`` says; every field is described in docs/bot-protocol.md."""
    deal = state.deal
    ruleset, standing = deal.setting.ruleset, state.standing
    has_looked = state.phase in ("turn", "over")
    story = deal_story(state.past, deal.melds) if has_looked else Story((), (), ())
    active = seats_of(standing.active)
    out = standing.out if has_looked else 0
    held = [hand & ~state.played if s in active else 0 for s, hand in enumerate(standing.hands)]
    if state.ended:
        stones, pot = deal.stones_after(state.ended.stones), 0
    else:
        stones = tuple(map(sub, deal.stones, standing.paid))
        pot = sum(standing.paid)
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
        "hand": list(KAKKURI_PACK.listed(held[seat])) if has_looked else [],
        "hand_sizes": {str(s): held[s].bit_count() for s in seats},
        # The box of eight seats is made when everybody looks.
        "box_size": len(deal.box) - standing.turned if has_looked or not deal.box8 else 0,
        "follow": state.follow or None,
        "last": state.last or None,
        "return_turn": bool(state.turn & RETURN),
        "turned": list(story.turned),
        "turned_this_turn": bool(state.turn & TURNED),
        "played_this_turn": melds_made(state.turn),
        "plays": [[s, meld] for s, meld in story.plays],
        "passes": [[s, follow] for s, follow in story.passes],
        "dropped": [s for s in seats if s not in active and s != out],
        "out": [out] if out else [],
        "sansoku": list(seats_of(standing.sansoku)),
        "pot": pot,
        "dealer": deal.dealer,
    }


class DealTexts:
    """Remembers, for one deal, the text that its observations share. Nobody can see it from outside."""

    __slots__ = ()

    def observed(self, state: KakkuriState, seat: Seat) -> str:
        """What ``json_text(state.observe(seat))`` gives."""
        return json_text(observed(state, seat))
