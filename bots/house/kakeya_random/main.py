"""Any legal action with equal probability. Draws from the request alone, so it is stateless."""

from __future__ import annotations

from bots.sdk import Bot, Request


class KakeyaRandom(Bot):
    name = "kakeya_random"

    def act(self, request: Request) -> str:
        return request.rng.choice(request.legal)


if __name__ == "__main__":
    KakeyaRandom().run()
