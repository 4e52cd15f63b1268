"""Random numbers of a seeded database, all derived from one seed."""

from __future__ import annotations

import hashlib
import random

SCHEME = "rensho-seed/1"

SYLLABLES = (
    "aki", "ban", "chi", "dai", "eri", "fuji", "gen", "hana", "iku", "jun", "kaze", "lin", "mori", "nami",
    "oto", "sora", "taka", "ume", "wata", "yama",
)  # fmt: skip


class SeededRandom:
    """A random generator for one purpose; equal seeds and purposes give equal numbers."""

    def __init__(self, seed: int, purpose: str) -> None:
        self.seed = seed
        self.random = random.Random(f"{SCHEME}|{seed}|{purpose}")

    def name(self) -> str:
        """Return a made-up word of two or three syllables."""
        return "".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 2, 3))))


def secret_bytes(seed: int, purpose: str) -> bytes:
    """Return the 32 secret bytes of an event. The seed reveals them."""
    return hashlib.sha256(f"{SCHEME}|{seed}|secret|{purpose}".encode()).digest()
