"""A starting point: it follows low, but wins pictures cheaply when it plays last to the trick.

Change ``act``, which decides. docs/bot-protocol.md describes the fields of a request. For KakeyaView:
``python -c "import bots.sdk; help(bots.sdk.KakeyaView)"``.

The working directory is ``/tmp``: open a file of this folder as ``Path(__file__).parent / "NAME"``.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, KakeyaView, Request, is_picture, rank_of


class MyBot(Bot):
    """Plays every preset of Kakeya and Etori."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once per table, within hello.clock["start_ms"]. Only you can read the log."""
        if hello.game != "kakeya":
            raise SystemExit(f"{self.name} plays kakeya, not {hello.game}: choose a preset of kakeya")
        self.log("seat", hello.seat, "partner", hello.partner, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Return one of ``request.legal``. Any other answer is a fault, and the referee plays for you."""
        if request.phase == "play":
            return self.play(KakeyaView(request))
        # In phase "trump" (game boards only), the dealers may propose a suit before the deal: KEEP it.
        # In phase "lead", the leaders say whether they want to lead: DEFER leaves it to the partner.
        # The partner learns only this word.
        for word in ("KEEP", "DEFER"):
            if word in request.legal:
                return word
        return request.legal[0]

    def play(self, view: KakeyaView) -> str:
        """Choose a card. ``view.legal`` has the cards that follow suit, or the whole hand."""
        cards = sorted(view.legal, key=rank_of)
        lowest = cards[0]
        if view.winning is None:
            return lowest

        seat, _ = view.winning
        partner_wins = seat == view.partner
        i_am_last = not view.still_to_play
        if i_am_last and partner_wins:
            # Our pair wins the trick: add a picture that does not overtake the partner.
            gifts = [card for card in cards if is_picture(card) and not view.would_win(card)]
            return gifts[0] if gifts else lowest
        if i_am_last and view.pictures_on_table:
            winners = [card for card in cards if view.would_win(card)]
            return min(winners, key=lambda card: view.power(card, view.led)) if winners else lowest
        return lowest


if __name__ == "__main__":
    MyBot().run()
