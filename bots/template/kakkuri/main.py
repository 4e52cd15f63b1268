"""A bot to start from: it goes out when it can, else gets rid of what it can and keeps its wilds.

``act`` decides; change it. What a request holds: docs/bot-protocol.md. What KakkuriView offers:
``python -c "import bots.sdk; help(bots.sdk.KakkuriView)"``.
"""

from __future__ import annotations

from bots.sdk import WILDS, Bot, Hello, KakkuriView, Request


class MyBot(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once a table, within hello.clock["start_ms"]; what you log reaches you, nobody else."""
        if hello.game != "kakkuri":
            raise SystemExit(f"{self.name} plays kakkuri, not {hello.game}: choose a preset of kakkuri")
        self.log("seat", hello.seat, "of", hello.seats, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Answer one of ``request.legal``. Anything else is a fault, and the referee plays for you."""
        if request.phase == "turn":
            return self.turn(KakkuriView(request))
        # Nobody has looked at a card yet: keep the hand (phase "fuwaru"), deal oneself (phase "deal").
        for word in ("KEEP", "DEAL"):
            if word in request.legal:
                return word
        return request.legal[0]

    def turn(self, view: KakkuriView) -> str:
        """Choose the next step of a turn; after a meld the turn goes on, until PASS or the last card."""
        way_out = view.way_out()
        if way_out:
            # All that is left can go in this turn: the deal is won.
            return way_out[0].text
        # Cards that can follow now, the most at once first; wilds are kept for a way out.
        plain = [meld for meld in view.melds if not any(card in WILDS for card in meld.cards)]
        if plain:
            return max(plain, key=lambda meld: len(meld.cards)).text
        # Nothing fits, or only wilds do. PASS keeps us in the deal; where it is not allowed, the turn
        # has come back to us: turn up a card from the box and see.
        for word in ("PASS", "TURN"):
            if word in view.words:
                return word
        return view.melds[0].text


if __name__ == "__main__":
    MyBot().run()
