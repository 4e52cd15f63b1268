"""Reference implementation of the rules of play over positions, one card at a time.

Playouts and the solver have compiled copies; tests compare the copies with this module, and it with the
engine. Source: docs/rules/kakeya.md#play; docs/rules/etori.md#meiji-etori.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import TRICKS
from engine.games.kakeya.scoring import PICTURE_MASK
from engine.kernel.position import PLAYERS, SUIT_MASKS, KernelError, Position, check_is_position
from engine.refusals import quoted


def legal_mask(position: Position) -> int:
    """Return the mask of cards that the player to move may play; 0 if no card is left."""
    hand = position.hands[position.turn]
    if position.trick:
        follow = hand & SUIT_MASKS[position.trick[0] // TRICKS]
        if follow:
            return follow | hand & (1 << position.rensho) if position.is_free else follow
    return hand


def legal_cards(position: Position) -> tuple[int, ...]:
    """Return the numbers of the cards that the player to move may play, ascending as in ``State.legal``."""
    check_is_position(position)
    mask, cards = legal_mask(position), []
    while mask:
        cards.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return tuple(cards)


def winning_index(position: Position, trick: tuple[int, ...]) -> int:
    def power(index: int) -> int:
        card = trick[index]
        if card == position.rensho:
            return 200
        if card // TRICKS == position.trump:
            return 100 + card % TRICKS
        return 1 + card % TRICKS if card // TRICKS == trick[0] // TRICKS else 0

    return max(range(len(trick)), key=power)


def play(position: Position, card: int) -> Position:
    """Return the position after the player to move plays ``card``, which must be legal (``KernelError``)."""
    legal = legal_cards(position)
    if type(card) is not int or card not in legal:
        allowed = ", ".join(map(str, legal)) or "none, no card is left"
        is_card = type(card) is int and 0 <= card < len(KAKEYA_PACK)
        name = KAKEYA_PACK.cards[card] if is_card else "no card"
        raise KernelError(f"player {position.turn} cannot play {quoted(card)} ({name}); allowed: {allowed}")
    turn = position.turn
    first, second, third, fourth = (
        hand ^ (1 << card) if player == turn else hand for player, hand in enumerate(position.hands)
    )
    hands = (first, second, third, fourth)
    trick = (*position.trick, card)
    if len(trick) < PLAYERS:
        return position._replace(hands=hands, turn=(turn + 1) % PLAYERS, trick=trick)
    winner = (turn + 1 + winning_index(position, trick)) % PLAYERS
    pictures = sum(PICTURE_MASK >> played & 1 for played in trick)
    side_0, side_1 = position.captured
    captured = (side_0, side_1 + pictures) if winner % 2 else (side_0 + pictures, side_1)
    return position._replace(hands=hands, turn=winner, trick=(), captured=captured)
