"""A starting point: it goes out when it can, else plays as many cards as it can and keeps its wilds.

Change ``act``, which decides. docs/bot-protocol.md describes the fields of a request. For KakkuriView:
``python -c "import bots.sdk; help(bots.sdk.KakkuriView)"``.

The working directory is ``/tmp``: open a file of this folder as ``Path(__file__).parent / "NAME"``.
"""

from __future__ import annotations

from bots.sdk import WILDS, Bot, Hello, KakkuriView, Request


class MyBot(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once per table, within hello.clock["start_ms"]. Only you can read the log."""
        if hello.game != "kakkuri":
            raise SystemExit(f"{self.name} plays kakkuri, not {hello.game}: choose a preset of kakkuri")
        self.log("seat", hello.seat, "of", hello.seats, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Return one of ``request.legal``. Any other answer is a fault, and the referee plays for you."""
        if request.phase == "turn":
            return self.turn(KakkuriView(request))
        # No seat has looked at its cards yet: keep the hand (phase "fuwaru"), deal (phase "deal").
        for word in ("KEEP", "DEAL"):
            if word in request.legal:
                return word
        return request.legal[0]

    def turn(self, view: KakkuriView) -> str:
        """Choose the next step of a turn. After a meld, the turn continues until PASS or the last card."""
        way_out = view.way_out()
        if way_out:
            # This turn can play all remaining cards and win the deal.
            return way_out[0].text
        # Play the largest meld without wilds; keep wilds for a way out.
        plain = [meld for meld in view.melds if not any(card in WILDS for card in meld.cards)]
        if plain:
            return max(plain, key=lambda meld: len(meld.cards)).text
        # No meld fits, or only wilds do. PASS keeps us in the deal. If PASS is not legal, the turn
        # has come back to us: turn up a card from the box.
        for word in ("PASS", "TURN"):
            if word in view.words:
                return word
        return view.melds[0].text


if __name__ == "__main__":
    MyBot().run()
