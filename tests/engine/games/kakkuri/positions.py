"""Positions in the middle of a deal, built from a few cards a seat."""

from __future__ import annotations

from engine import Board
from engine.cards import KAKKURI_PACK
from engine.games.kakkuri.deal import Deal, Setting
from engine.games.kakkuri.standing import Standing
from engine.games.kakkuri.state import TURNS, KakkuriState
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE


def cards_of(text):
    return KAKKURI_PACK.mask(text.split())


def deck_for(hands, dealer, box=""):
    """The deck that gives each seat the cards named (text), the box those of ``box`` on top."""
    given = {seat: text.split() for seat, text in hands.items()}
    named = [card for cards in given.values() for card in cards] + box.split()
    rest = [card for card in KAKKURI_PACK.cards if card not in named]
    for cards in given.values():
        while len(cards) < 6:
            cards.append(rest.pop(0))
    seats = len(given)
    order = [(dealer + i) % seats + 1 for i in range(seats)]
    deck = [card for seat in order for card in given[seat][:3]]
    deck += [card for seat in order for card in given[seat][3:]]
    return (*deck, *box.split(), *rest)


def board_with(hands, number=1, box="", kind="deal", seed="position"):
    """A board whose first deal gives these hands; on a deal board dealt by seat ``number``."""
    return Board(kind, number, seed, (deck_for(hands, number, box),))


def position(
    hands, follow, *, to_act=1, last=1, turn=0, before=None, box=None, dropped=(), sansoku=(), options=None
):
    """Seats hold just these cards (text) and ``to_act`` begins a turn, as ``turn`` says of it.

    ``before``: cards seats have played earlier in the deal; ``box``: what is left of it, else plenty.
    Seat 1 deals, and was the last to play unless ``last`` says otherwise.
    """
    before = before or {}
    ruleset = LEAGUE.replace(seats=max(len(hands), 2), **(options or {}))
    hands = {seat: hands.get(seat, "") for seat in range(1, ruleset.seats + 1)}
    deal = Deal(Setting.of(ruleset, Board("deal", 1, "position")), 1, 1, (0, *(20,) * ruleset.seats), ())
    if box is not None:
        deal.box = tuple(box.split())
    dealt = {seat: cards_of(text) | cards_of(before.get(seat, "")) for seat, text in hands.items()}
    standing = Standing.of((0, *dealt.values()))
    for seat in dropped:
        standing = standing.paying(seat).without(seat)
    if standing.out:
        standing = standing.without(standing.out)
    standing = standing._replace(sansoku=sum(1 << seat for seat in sansoku))
    played = cards_of(" ".join(before.values()))
    return KakkuriState(deal, TURNS, (to_act,), None, standing, follow, last, played, played, turn)


def play_out(state, actions):
    """The state after ``actions``, "seat:action" separated by spaces."""
    for text in actions.split():
        seat, action = text.split(":")
        state = state.apply(int(seat), action)
    return state


def melds(state):
    """What the seat to act may lay down."""
    return [action for action in state.legal(state.to_act[0]) if "@" in action]


def first_seed(ruleset, dealer):
    """A seed under which this seat deals first."""
    return next(
        str(n)
        for n in range(1000)
        if KAKKURI.start(ruleset.replace(fuwaru=True), Board("game", 1, str(n))).observe(1)["dealer"]
        == dealer
    )
