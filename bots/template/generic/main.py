"""A bot to start from: it plays any game, by lot.

``act`` decides; change it. What a request holds: docs/bot-protocol.md.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, Request


class MyBot(Bot):
    """Chooses evenly among the legal actions."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once a table, within hello.clock["start_ms"]; what you log reaches you, nobody else."""
        self.log("seat", hello.seat, "of", hello.seats, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Answer one of ``request.legal``. Anything else is a fault, and the referee plays for you."""
        # request.observation holds all this seat may see, request.phase the kind of decision.
        # request.rng gives the same luck to the same request, so a game can be played again.
        return request.rng.choice(request.legal)


if __name__ == "__main__":
    MyBot().run()
