"""What endings are worth by plain alpha-beta: no table, no bounds, no equivalent cards, no order.

Its rules are compared with those of ``engine.kernel.moves``, which are compared with the engine.
"""

from engine.kernel.position import PICTURE_MASK

RENSHO_POWER = 200


def legal(position, hand, trick):
    """The cards of a hand that may be played to this trick, ascending."""
    if not trick:
        return hand
    follow = [card for card in hand if card // 13 == trick[0] // 13]
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


def brute_value(position, values=None):
    """The value of a position to side 0 when everybody plays best, by 17 values (its own if None)."""
    worth = position.values if values is None else values
    hands = [[card for card in range(52) if mask >> card & 1] for mask in position.hands]

    def best(turn, trick, taken, low, high):
        if len(trick) == 4:
            led = trick[0] // 13
            strongest = max(range(4), key=lambda i: power(position, trick[i], led))
            winner = (turn + strongest) % 4
            if winner % 2 == 0:
                taken += sum(PICTURE_MASK >> card & 1 for card in trick)
            return best(winner, [], taken, low, high)
        hand = hands[turn]
        if not hand:
            return worth[taken]
        found = None
        for card in legal(position, hand, trick):
            hands[turn] = [other for other in hand if other != card]
            value = best((turn + 1) % 4, [*trick, card], taken, low, high)
            hands[turn] = hand
            if found is None or (value > found if turn % 2 == 0 else value < found):
                found = value
            if turn % 2 == 0:
                low = max(low, found)
            else:
                high = min(high, found)
            if low >= high:
                break
        return found

    return best(position.turn, list(position.trick), position.captured[0], min(worth), max(worth))
