"""Tries each action in thousands of deals that may be the real one, all seats playing on sensibly.

The hands it cannot see are drawn by ``determinize``; the kernel goes on from there to others, preferring
those in which a seat that passed has nothing that fitted, and plays each deal out by the policy ``rules``.
The policy's own action is left for another only if that one's lead is beyond chance. Keeps no state, and how
many deals it tries does not depend on the time it takes: each answer follows from its request.

Parameters: ``deals`` tried in a decision, 10 to 50 ms, more with more seats; ``errors``, the standard errors
that an action must be ahead of the policy's own.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, KakkuriView, Request, determinize, state_from
from engine.kernel import is_compiled, shedding_position_of, shedding_search

STARTS = 8
"""Deals drawn afresh, from each of which the kernel goes on."""
HURRY_MS = 150
"""If bank and increment leave less, an eighth of the deals is tried."""


class KakkuriSearch(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "kakkuri_search"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        """Say so in the log if the kernel runs as plain Python, some fifty times slower."""
        if not is_compiled:
            self.log("the kernel is not compiled (make setup compiles it): trying a fiftieth of the deals")

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        view = KakkuriView(request)
        if view.phase != "turn":
            # Nobody has looked at a card, so no hand is better than another; to deal is to play first.
            return "DEAL" if "DEAL" in view.words else "KEEP"
        if len(view.legal) == 1:
            return view.legal[0]
        deals = int(self.parameters["deals"])
        if request.bank_ms + request.increment_ms < HURRY_MS:
            deals = max(deals // 8, 1)
        found = shedding_search(
            [shedding_position_of(state_from(view, determinize(view, request.rng))) for _ in range(STARTS)],
            deals if is_compiled else max(deals // 50, 1),
            request.rng.getrandbits(64),
            view.observation["passes"],
        )
        return max(found, key=lambda action: found[action].lead(self.parameters["errors"]))


if __name__ == "__main__":
    KakkuriSearch().run()
