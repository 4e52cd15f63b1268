"""Kakkuri's yardstick: always plays as many cards as it can in the turn. Keeps no state.

- Its whole rule: begin the longest run of melds that fits, or turn up a box card if none fits, or pass.
- Of equally long runs it takes the one that uses wilds latest, then the lowest value first.
- It never swaps, drops or declares sansoku, and deals whenever it is asked.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriView, Request

WORDS = ("KEEP", "DEAL", "TURN", "PASS")
"""What it says when it has no meld to make, the first that is legal."""


class KakkuriGreedy(Bot):
    """Gets rid of as many cards as fast as it can."""

    name = "kakkuri_greedy"

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        view = KakkuriView(request)
        run = view.longest() if view.melds else ()
        return run[0].text if run else next(word for word in WORDS if word in view.words)


if __name__ == "__main__":
    KakkuriGreedy().run()
