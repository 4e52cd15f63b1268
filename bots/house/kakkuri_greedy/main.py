"""The reference bot of Kakkuri for ratings: plays as many cards as it can in each turn. Stateless.

- It begins the longest run of melds that fits, else turns up a box card, else passes.
- Of equally long runs, it takes the one that uses wilds latest, then the lowest value first.
- It never swaps, drops or declares sansoku, and always deals.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriView, Request

WORDS = ("KEEP", "DEAL", "TURN", "PASS")
"""Words without a meld, in order of preference."""


class KakkuriGreedy(Bot):
    name = "kakkuri_greedy"

    def act(self, request: Request) -> str:
        view = KakkuriView(request)
        run = view.longest() if view.melds else ()
        return run[0].text if run else next(word for word in WORDS if word in view.words)


if __name__ == "__main__":
    KakkuriGreedy().run()
