"""A bot to start from: copy this folder, give it a name in rensho.toml and here, change ``act``.

What a request holds is described in docs/bot-protocol.md. Try the folder with ``rensho check FOLDER``.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, KakeyaView, Request, is_picture, rank_of


class MyBot(Bot):
    """Follows low, but wins pictures cheaply when it plays last to the trick."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once a table, within hello.clock["start_ms"]; what you log reaches you, nobody else."""
        self.log("seat", hello.seat, "partner", hello.partner, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Answer one of ``request.legal``. Anything else is a fault, and the referee plays for you."""
        if request.phase == "trump":
            # Only on game boards: the dealers may propose a suit before any card is dealt.
            return "KEEP"
        if request.phase == "lead":
            # The leaders say whether they would like to lead. Nothing but this word reaches the partner.
            return "DEFER"
        return self.play(KakeyaView(request))

    def play(self, view: KakeyaView) -> str:
        """Choose a card; ``view.legal`` holds those that follow suit, or the whole hand."""
        cards = sorted(view.legal, key=rank_of)
        lowest = cards[0]
        if view.winning is None:
            return lowest

        seat, _ = view.winning
        partner_wins = seat == view.partner
        i_am_last = not view.still_to_play
        if i_am_last and partner_wins:
            # The trick is ours whatever I play that does not overtake: give it a picture if I can.
            gifts = [card for card in cards if is_picture(card) and not view.would_win(card)]
            return gifts[0] if gifts else lowest
        if i_am_last and view.pictures_on_table:
            winners = [card for card in cards if view.would_win(card)]
            return min(winners, key=lambda card: view.power(card, view.led)) if winners else lowest
        return lowest


if __name__ == "__main__":
    MyBot().run()
