"""A policy: it plays the legal action that its network scores highest.

The network is ``policy.npz``, next to this file. At first its weights are random: train it and replace the
file (docs/rl.md). The package ``layouts`` turns observations into inputs; keep it as it is, since a network
fits only the layout that it was trained with.
"""

from __future__ import annotations

from pathlib import Path

from layouts import LAYOUTS, LayoutError, load_policy

from bots.sdk import Bot, Hello, Request

POLICY = Path(__file__).parent / "policy.npz"
"""The working directory of a bot is ``/tmp``, so its files need their full path."""


class MyBot(Bot):
    """Plays every preset of the game that its network was trained for."""

    name = "my-bot"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        """Load the network, once per table, within hello.clock["start_ms"]."""
        try:
            self.policy = load_policy(POLICY, LAYOUTS[hello.game])
        except LayoutError as error:
            raise SystemExit(f"{self.name}: {error}") from None

    def act(self, request: Request) -> str:
        """Return one of ``request.legal``. Any other answer is a fault, and the referee plays for you."""
        action: str = self.policy.choose(request.observation, request.legal, request.ruleset)
        return action


if __name__ == "__main__":
    MyBot().run()
