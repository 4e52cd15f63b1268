"""A starting point for any game: it plays random legal actions.

Change ``act``, which decides. docs/bot-protocol.md describes the fields of a request.

The working directory is ``/tmp``: open a file of this folder as ``Path(__file__).parent / "NAME"``.
"""

from __future__ import annotations

from bots.sdk import Bot, Hello, Request


class MyBot(Bot):
    """Chooses among the legal actions with equal probability."""

    name = "my-bot"

    def on_hello(self, hello: Hello) -> None:
        """Prepare once per table, within hello.clock["start_ms"]. Only you can read the log."""
        self.log("seat", hello.seat, "of", hello.seats, "rules", hello.preset)

    def act(self, request: Request) -> str:
        """Return one of ``request.legal``. Any other answer is a fault, and the referee plays for you."""
        # request.observation has all that this seat may see, request.phase the kind of decision.
        # request.rng draws the same numbers for the same request, so a game can be replayed.
        return request.rng.choice(request.legal)


if __name__ == "__main__":
    MyBot().run()
