"""Any legal action, each as likely as the next. Draws from the request alone, so it keeps no state."""

from __future__ import annotations

from bots.sdk import Bot, Request


class KakkuriRandom(Bot):
    """Chooses evenly among the legal actions."""

    name = "kakkuri_random"

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        return request.rng.choice(request.legal)


if __name__ == "__main__":
    KakkuriRandom().run()
