"""The reference bot for ratings: greedy for pictures. Stateless.

- *Lower*: plain cards, then trumps, then Rensho; by rank, two to ace; equal ranks in the order S, H, D, C.
- Leading, it plays its lowest card.
- Following a trick with a picture, it plays the lowest legal card that would be winning, even if its partner
  is winning. Otherwise, it plays its lowest legal card.
- It never changes trumps (KEEP) and never asks to lead (DEFER).
"""

from __future__ import annotations

from bots.sdk import SUITS, Bot, KakeyaView, Request, rank_of

WORDS = {"trump": "KEEP", "lead": "DEFER"}


def cost(card: str, view: KakeyaView) -> tuple[bool, bool, int, int]:
    """Sort key of cards, from lowest to highest."""
    return card == view.rensho, card[1] == view.trump, rank_of(card), SUITS.index(card[1])


class KakeyaGreedy(Bot):
    name = "kakeya_greedy"

    def act(self, request: Request) -> str:
        word = WORDS.get(request.phase)
        if word is not None:
            return word if word in request.legal else request.legal[0]
        view = KakeyaView(request)
        choices: list[str] = list(view.legal)
        if view.pictures_on_table:
            choices = [card for card in choices if view.would_win(card)] or choices
        return min(choices, key=lambda card: cost(card, view))


if __name__ == "__main__":
    KakeyaGreedy().run()
