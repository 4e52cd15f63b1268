"""A sensible human-like player. Keeps no state: everything it uses is in the request.

It plays the card with the best balance of two things, both counted in pictures:

- what the trick is expected to bring: the chance that its pair wins the trick times the pictures in
  it, less the chance that the other pair does. The chances come from counting: which cards are still
  out, who has shown out of which suit, who plays after it;
- what the card would be worth later: most for Rensho, then the ace of trumps, other trumps, cards
  that have become the highest of their suit; little for low ones.

So it throws pictures on tricks its partner surely wins and never overtakes those, keeps Rensho and
the ace of trumps for tricks with pictures, cuts as cheaply as is safe in third hand, just covers in
fourth, ducks cheaply in second, leads winners and short suits, and draws trumps when it holds most.
It asks to lead (PREFER) with a strong hand, and never changes trumps: cards are not dealt yet then.
"""

from __future__ import annotations

from bots.sdk import PICTURES, SUITS, Bot, KakeyaView, Request, rank_of

PAIR_SIZE = 2

KEEP_RENSHO = 2.2
KEEP_TRUMP_ACE = 1.7
KEEP_TRUMP = 0.55
KEEP_TRUMP_RANK = 0.05
KEEP_MASTER = 0.55
KEEP_GUARDED = 0.15
KEEP_RANK = 0.01
VOID_WORTH = 0.12
"""What playing the last card of a plain suit is worth to a hand with trumps."""
PARTNER_GIFT = 0.55
"""Pictures a partner still to play adds to a trick the pair wins, if the deck is fresh."""
ENEMY_GIFT = 0.55
FORCED = 0.2
"""Pictures a player still to play has to give to a trick the other pair wins."""
RESCUE = 0.6
"""How often a partner who can overtake a beaten card does."""
PREFER_STRENGTH = 3.0
"""The strength, in pictures of later worth, from which it asks to lead."""


class Odds:
    """Chances about the hidden cards, from counting. Each hidden card lies with any seat that may hold it,
    in proportion to the cards the seat has left."""

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
        """The chance that ``seat`` holds, and may play, a card that beats this one."""
        view = self.view
        power = view.power(card, led)
        share = self.share[seat]
        higher = sum(view.power(other, led) > power for other in self.unseen[led])
        follows_higher = 1 - (1 - share[led]) ** higher
        is_void = (1 - share[led]) ** len(self.unseen[led])
        has_no_cut = 1.0
        for suit in SUITS:
            if suit != led:
                cuts = sum(view.power(other, led) > power for other in self.unseen[suit])
                has_no_cut *= (1 - share[suit]) ** cuts
        return follows_higher + is_void * (1 - has_no_cut)

    def pair_wins(self, card: str) -> float:
        """The chance that the pair wins the trick if this card is played now."""
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
    """Counts, weighs the trick against the card's later worth, plays the best."""

    name = "kakeya_rules"

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        if request.phase == "trump":
            return "KEEP"
        view = KakeyaView(request)
        if request.phase == "lead":
            return self.declaration(view)
        if len(view.legal) == 1:
            return view.legal[0]
        odds = Odds(view)
        return max(view.legal, key=lambda card: (self.trick_worth(card, view, odds) - later_worth(card, view)))

    def declaration(self, view: KakeyaView) -> str:
        """PREFER with a strong hand, else DEFER; where words differ, the first one."""
        strength = sum(later_worth(card, view) for card in view.hand)
        word = "PREFER" if strength >= PREFER_STRENGTH else "DEFER"
        return word if word in view.legal else view.legal[0]

    def trick_worth(self, card: str, view: KakeyaView, odds: Odds) -> float:
        """Pictures the trick is expected to bring the pair, less those it brings the other pair."""
        chance = odds.pair_wins(card)
        on_table = view.pictures_on_table + (card in PICTURES)
        fresh = sum(other in PICTURES for other in view.unseen) / (len(view.unseen) or 1) / (16 / 52)
        if_won = if_lost = float(on_table)
        for seat in view.still_to_play:
            if seat == view.partner:
                if_won += PARTNER_GIFT * fresh
                if_lost += FORCED * fresh
            else:
                if_won += FORCED * fresh
                if_lost += ENEMY_GIFT * fresh
        return chance * if_won - (1 - chance) * if_lost


def later_worth(card: str, view: KakeyaView) -> float:
    """What keeping the card is worth, in pictures."""
    if card == view.rensho:
        return KEEP_RENSHO
    if card[1] == view.trump:
        if card[0] == "A":
            return KEEP_TRUMP_ACE
        return KEEP_TRUMP + KEEP_TRUMP_RANK * (rank_of(card) - 2)
    length = sum(other[1] == card[1] for other in view.hand)
    worth = KEEP_RANK * (rank_of(card) - 2)
    if card in PICTURES and not any(
        other[1] == card[1] and rank_of(other) > rank_of(card) for other in view.unseen
    ):
        worth += KEEP_MASTER
    elif card in PICTURES and length > 1:
        worth += KEEP_GUARDED
    if length == 1 and any(other[1] == view.trump for other in view.hand):
        worth -= VOID_WORTH
    return worth


if __name__ == "__main__":
    KakeyaRules().run()
