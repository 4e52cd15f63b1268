"""A player that solves imagined deals: perfect-information Monte Carlo. Keeps no state.

``determinize`` draws worlds, which are the hidden hands in so many ways. With few cards left it solves each
world for stones after each card, as if all hands lay open; with more, the worlds are played out by sensible
players. The card with the best mean is played. Before the play, each word about who leads is tried in the
same way by playouts, and trumps are never changed: no cards are dealt yet then, so no suit is better than
another. It plays every preset of Kakeya and Etori.

How many worlds are solved is decided by cards that the solver has tried, not by time, so that the same
request gets the same answer on every machine. Only where that would take more of the clock than there is, is
it cut short.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request
from bots.sdk.kakeya_search import lead_word, positions
from engine.kernel import Limits, Position, is_compiled, playouts_by_card, solve_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from bots.sdk import Hello

RESERVE_MS = 3.0
"""Of a decision's time, for what is not measured here: reading the request, the answer."""
BANK_PART = 1 / 8
"""The most of the bank that a decision may use on top of its increment."""
BATCH = 10 if is_compiled else 1
"""Worlds played out between two looks at the clock."""


class KakeyaPimc(Bot):
    """Solves or plays out many worlds."""

    name = "kakeya_pimc"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        """See ``Bot.on_hello``."""
        if not is_compiled:
            self.log("engine.kernel is not compiled here: as many worlds as time allows, which are few")

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        began = process_time()
        if request.phase == "trump":
            return "KEEP"
        budget = max(1.0, request.increment_ms + request.bank_ms * BANK_PART - RESERVE_MS) / 1000
        view, worlds, end = KakeyaView(request), int(self.parameters["worlds"]), began + budget
        if len(view.legal) == 1:
            return view.legal[0]
        if request.phase == "lead":
            return lead_word(view, request, worlds, end)
        if len(view.hand) <= self.parameters["solve_from"]:
            totals = self.solved(positions(view, request, worlds, end), end)
        else:
            totals = self.played_out(positions(view, request, worlds, end), request)
        return PACK[max(totals, key=totals.__getitem__)]

    def solved(self, worlds: Iterator[Position], end: float) -> dict[int, int]:
        """By card, the sum of what the solved worlds bring the own pair, counted twice."""
        totals: dict[int, int] = {}
        nodes = int(self.parameters["nodes"])
        for world in worlds:
            left = max(0.0005, end - process_time())
            answers = solve_moves(world, "stones", Limits(nodes=nodes, seconds=left))
            nodes -= sum(answer.nodes for _, answer in answers)
            is_stopped = any(answer.state != "exact" for _, answer in answers)
            if is_stopped and totals:
                # Solved for some cards and not for others, it would weigh them unequally.
                break
            sign = 1 - 2 * (world.turn % 2)
            for card, answer in answers:
                totals[card] = totals.get(card, 0) + sign * (answer.low + answer.high)
            if is_stopped or nodes <= 0:
                break
        return totals

    def played_out(self, worlds: Iterator[Position], request: Request) -> dict[int, int]:
        """By card, the sum of what playouts of the worlds bring the own pair."""
        totals: dict[int, int] = {}
        seed, batch = request.rng.getrandbits(64), []
        for world in worlds:
            batch.append(world)
            if len(batch) == BATCH:
                self.count(batch, seed, totals)
                batch, seed = [], request.rng.getrandbits(64)
        if batch:
            self.count(batch, seed, totals)
        return totals

    def count(self, worlds: list[Position], seed: int, totals: dict[int, int]) -> None:
        """Play worlds out and add what they bring."""
        sign = 1 - 2 * (worlds[0].turn % 2)
        for card, found in playouts_by_card(worlds, 1, seed, "rules").items():
            totals[card] = totals.get(card, 0) + sign * found.total


if __name__ == "__main__":
    KakeyaPimc().run()
