"""Tries each action in thousands of possible deals, with all seats playing sensibly. Stateless.

``determinize`` draws the hidden hands. The kernel continues from there to other deals, preferring those in
which a seat that passed has no fitting card, and plays each deal out by the policy ``rules``. The bot leaves
the policy's own action only for a lead beyond chance. Each answer follows from its request, not from time.

Parameters: ``deals`` tried per decision, 10 to 50 ms, more with more seats; ``errors``, the standard errors
by which an action must lead.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, KakkuriView, Request, determinize, state_from
from engine.kernel import is_compiled, shedding_position_of, shedding_search

STARTS = 8
"""Deals drawn by ``determinize``, from which the kernel continues."""
HURRY_MS = 150
"""Time left, in ms, below which an eighth of the deals is tried."""


class KakkuriSearch(Bot):
    name = "kakkuri_search"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        if not is_compiled:
            self.log("the kernel is not compiled (make setup compiles it): trying a fiftieth of the deals")

    def act(self, request: Request) -> str:
        view = KakkuriView(request)
        if view.phase != "turn":
            # No seat has looked at its cards, so all hands are equal; the dealer plays first.
            return "DEAL" if "DEAL" in view.words else "KEEP"
        if len(view.legal) == 1:
            return view.legal[0]
        deals = int(self.parameters["deals"])
        if request.bank_ms + request.increment_ms < HURRY_MS:
            deals = max(deals // 8, 1)
        results = shedding_search(
            [shedding_position_of(state_from(view, determinize(view, request.rng))) for _ in range(STARTS)],
            deals if is_compiled else max(deals // 50, 1),
            request.rng.getrandbits(64),
            view.observation["passes"],
        )
        return max(results, key=lambda action: results[action].lead(self.parameters["errors"]))


if __name__ == "__main__":
    KakkuriSearch().run()
