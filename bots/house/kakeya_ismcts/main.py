"""Information-set Monte Carlo tree search in the kernel. Stateless.

``determinize`` draws worlds (possible hidden hands). ``search_cards`` searches them all in one tree of public
cards and plays each simulation to its end by sensible policies. Words about the lead are compared by playouts
of the same worlds. The bot never changes trumps, since no cards are dealt then. It plays every preset of
Kakeya and Etori. The number of simulations is fixed, so the same request gets the same answer on every
machine, unless the clock would run out.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request
from bots.sdk.kakeya_search import lead_word, positions
from engine.kernel import is_compiled, search_cards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bots.sdk import Hello

RESERVE_MS = 3.0
"""Part of the decision time, in ms, for reading the request and writing the answer."""
BANK_PART = 1 / 20
"""Maximum share of the bank that a decision may use on top of its increment."""
WORLDS_PART = 0.4
"""Maximum share of the decision time for drawing worlds."""


class KakeyaIsmcts(Bot):
    name = "kakeya_ismcts"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        if not is_compiled:
            self.log("engine.kernel is not compiled here: time allows only a few simulations")

    def act(self, request: Request) -> str:
        began = process_time()
        if request.phase == "trump":
            return "KEEP"
        budget = max(1.0, request.increment_ms + request.bank_ms * BANK_PART - RESERVE_MS) / 1000
        view, worlds = KakeyaView(request), int(self.parameters["worlds"])
        if len(view.legal) == 1:
            return view.legal[0]
        if request.phase == "lead":
            return lead_word(view, request, worlds, began + budget)
        results = search_cards(
            list(positions(view, request, worlds, began + WORLDS_PART * budget)),
            request.rng.getrandbits(64),
            int(self.parameters["simulations"]),
            max(0.0001, began + budget - process_time()),
            exploration=self.parameters["exploration"],
        )
        return PACK[max(results, key=lambda card: results[card].visits)]


if __name__ == "__main__":
    KakeyaIsmcts().run()
