"""Sensible, human-like play by rules. Stateless: the request has all that it uses.

It plays the card with the best balance of two amounts, both counted in pictures: the expected gain of the
trick (the chance that its pair wins times the pictures, minus the same for the other pair, by counting cards
left, known voids and players still to come), and the later worth of the card (highest for Rensho, then the
ace of trumps, other trumps, and masters of plain suits).

It asks to lead (PREFER or IKU) with a strong hand. It never changes trumps (KEEP), since no cards are dealt
then. It plays every preset of Kakeya and Etori, in both directions, also under ``rensho_free``.
"""

from __future__ import annotations

from bots.sdk import PICTURES, SUITS, Bot, KakeyaView, Request, rank_of

# Later worth of a card. Losing a trick with n pictures instead of winning it costs 2n, so the bot keeps
# Rensho for two pictures or more. Tuned on duplicate boards against greedy.
KEEP_RENSHO = 4.3
KEEP_TRUMP_ACE = 3.4
KEEP_TRUMP = 0.2
KEEP_TRUMP_RANK = 0.13
"""Additional worth per rank above the two."""
KEEP_MASTER = 0.1
"""Worth of a plain picture that no card of its suit can beat any more."""
KEEP_RANK = 0.01
"""Worth of a plain card per rank above the two."""
FRESH_PICTURES = 4
"""Number of pictures in hands below which Rensho and trumps lose worth in proportion."""

VOID_WORTH = 0.12
"""Worth of playing the last card of a plain suit from a hand with trumps."""
DRAW_WORTH = 0.2
"""Worth of leading a trump from a hand with more trumps than an opponent probably holds."""
PARTNER_GIFT = 0.1
"""Pictures that a partner still to play adds to a trick that the pair wins."""
RESCUE = 0.7
"""Chance that a partner who can win the trick does so after an opponent beat this seat's card."""
PREFER_STRENGTH = 3.75
"""Minimum later worth of a hand that asks to lead."""


class Odds:
    """Probabilities by counting: a hidden card is with a seat without a known void, by its cards left."""

    def __init__(self, view: KakeyaView) -> None:
        self.view = view
        self.others = view.turn_order(view.seat)[1:]
        self.unseen = {suit: [card for card in view.unseen if card[1] == suit] for suit in SUITS}
        left = {seat: view.cards_left(seat) for seat in self.others}
        self.share: dict[int, dict[str, float]] = {seat: {} for seat in self.others}
        for suit in SUITS:
            weights = {seat: 0 if suit in view.voids[seat] else left[seat] for seat in self.others}
            total = sum(weights.values()) or 1
            for seat, weight in weights.items():
                self.share[seat][suit] = weight / total

    def can_beat(self, seat: int, card: str, led: str) -> float:
        """Return the probability that ``seat`` holds and may play a card that beats this one."""
        view = self.view
        power = view.power(card, led)
        share = self.share[seat]
        higher = sum(view.power(other, led) > power for other in self.unseen[led])
        follows_higher = 1 - (1 - share[led]) ** higher
        is_void = (1 - share[led]) ** len(self.unseen[led])
        if view.is_rensho_free and view.rensho in view.unseen and view.rensho[1] != led:
            # It may play Rensho even if it can follow suit.
            follows_higher = 1 - (1 - follows_higher) * (1 - share[view.rensho[1]])
        has_no_cut = 1.0
        for suit in SUITS:
            if suit != led:
                cuts = sum(view.power(other, led) > power for other in self.unseen[suit])
                has_no_cut *= (1 - share[suit]) ** cuts
        return follows_higher + is_void * (1 - has_no_cut)

    def pair_wins(self, card: str) -> float:
        """Return the probability that the pair wins the trick if it plays this card now."""
        view = self.view
        led = view.led or card[1]
        winning = view.winning
        if winning is None or view.would_win(card):
            best, is_ours = card, True
        else:
            best, is_ours = winning[1], winning[0] == view.partner
        chance = 1.0 if is_ours else 0.0
        for seat in view.still_to_play:
            beats = self.can_beat(seat, best, led)
            if seat == view.partner:
                chance += (1 - chance) * beats * (RESCUE if is_ours else 1.0)
            else:
                chance *= 1 - beats
        return chance


class KakeyaRules(Bot):
    name = "kakeya_rules"

    def act(self, request: Request) -> str:
        if request.phase == "trump":
            return "KEEP"
        view = KakeyaView(request)
        if request.phase == "lead":
            return self.declaration(view)
        if len(view.legal) == 1:
            return view.legal[0]
        odds = Odds(view)
        choices = partner_spared(view, odds)
        return max(choices, key=lambda card: trick_worth(card, view, odds) - later_worth(card, view))

    def declaration(self, view: KakeyaView) -> str:
        """Return PREFER or IKU with a strong hand, else DEFER or KOI, whichever is legal."""
        strength = sum(later_worth(card, view) for card in view.hand)
        preferred = ("PREFER", "IKU") if strength >= PREFER_STRENGTH else ("DEFER", "KOI")
        return next(word for word in preferred if word in view.legal)


def partner_spared(view: KakeyaView, odds: Odds) -> list[str]:
    """Return the legal cards, if possible without those that overtake a partner who surely wins."""
    cards = list(view.legal)
    winning = view.winning
    if winning is None or winning[0] != view.partner:
        return cards
    if any(odds.can_beat(seat, winning[1], view.trick[0][1][1]) > 0 for seat in view.still_to_play):
        return cards
    return [card for card in cards if not view.would_win(card)] or cards


def trick_worth(card: str, view: KakeyaView, odds: Odds) -> float:
    """Return the expected pictures of the trick for the pair, minus those for the other pair."""
    chance = odds.pair_wins(card)
    on_table = view.pictures_on_table + (card in PICTURES)
    worth = (2 * chance - 1) * on_table
    if view.partner in view.still_to_play:
        worth += chance * PARTNER_GIFT
    if not view.trick and card[1] == view.trump:
        own_trumps = sum(other[1] == view.trump for other in view.hand)
        if own_trumps > len(odds.unseen[view.trump]) / 2:
            worth += DRAW_WORTH
    return worth


def later_worth(card: str, view: KakeyaView) -> float:
    if card == view.rensho or card[1] == view.trump:
        pictures_left = len(PICTURES & view.unseen) + sum(other in PICTURES for other in view.hand)
        fresh = min(1.0, pictures_left / FRESH_PICTURES)
        if card == view.rensho:
            return KEEP_RENSHO * fresh
        if card[0] == "A":
            return KEEP_TRUMP_ACE * fresh
        return (KEEP_TRUMP + KEEP_TRUMP_RANK * (rank_of(card) - 2)) * fresh
    worth = KEEP_RANK * (rank_of(card) - 2)
    if card in PICTURES and not any(
        other[1] == card[1] and rank_of(other) > rank_of(card) for other in view.unseen
    ):
        worth += KEEP_MASTER
    is_last_of_suit = sum(other[1] == card[1] for other in view.hand) == 1
    if is_last_of_suit and any(other[1] == view.trump for other in view.hand):
        worth -= VOID_WORTH
    return worth


if __name__ == "__main__":
    KakeyaRules().run()
