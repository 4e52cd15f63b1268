"""What endings are worth by plain alpha-beta: no table, no bounds, no equivalent cards, no order.

Its rules are compared with those of ``engine.kernel.moves``, which are compared with the engine.
"""

import functools

from engine.kernel.position import PICTURE_MASK, Position

RENSHO_POWER = 200
PICTURES = [PICTURE_MASK >> card & 1 for card in range(52)]


def legal(position, hand, trick):
    """The cards of a hand that may be played to this trick, ascending."""
    if not trick:
        return hand
    suit = trick[0] // 13
    follow = [card for card in hand if card // 13 == suit]
    if not follow:
        return hand
    if position.is_free and position.rensho in hand and position.rensho not in follow:
        return sorted([*follow, position.rensho])
    return follow


def power(position, card, led):
    """How strong a card is in a trick in which this suit was led; the strongest wins."""
    if card == position.rensho:
        return RENSHO_POWER
    if card // 13 == position.trump:
        return 100 + card % 13
    return 1 + card % 13 if card // 13 == led else 0


@functools.cache
def _powers(trump, rensho):
    """``power`` of every card by the suit that was led."""
    position = Position((0, 0, 0, 0), trump, rensho, False, 0, (), (0, 0), ())
    return [[power(position, card, led) for card in range(52)] for led in range(4)]


def brute_value(position, values=None):
    """The value of a position to side 0 when everybody plays best, by 17 values (its own if None)."""
    worth = position.values if values is None else values
    hands = [[card for card in range(52) if mask >> card & 1] for mask in position.hands]
    powers = _powers(position.trump, position.rensho)

    def after(turn, trick, taken):
        """Who leads after this full trick, which the seat ``turn`` led, and what side 0 has then."""
        strength = powers[trick[0] // 13]
        strengths = [strength[card] for card in trick]
        winner = (turn + strengths.index(max(strengths))) % 4
        if winner % 2 == 0:
            a, b, c, d = trick
            taken += PICTURES[a] + PICTURES[b] + PICTURES[c] + PICTURES[d]
        return winner, taken

    def best(turn, trick, taken, low, high):
        hand = hands[turn]
        if len(hand) == 1:
            # Whoever has yet to play has one card: there is nothing to choose.
            rest = [hands[(turn + i) % 4][0] for i in range(4 - len(trick))]
            return worth[after((turn - len(trick)) % 4, [*trick, *rest], taken)[1]]
        is_last, is_zero, after_me = len(trick) == 3, turn % 2 == 0, (turn + 1) % 4
        for card in legal(position, hand, trick):
            hands[turn] = [other for other in hand if other != card]
            if is_last:
                winner, now = after(after_me, [*trick, card], taken)
                value = best(winner, [], now, low, high)
            else:
                value = best(after_me, [*trick, card], taken, low, high)
            hands[turn] = hand
            if is_zero:
                if value > low:
                    low = value
            elif value < high:
                high = value
            if low >= high:
                break
        return low if is_zero else high

    return best(position.turn, list(position.trick), position.captured[0], min(worth), max(worth))
