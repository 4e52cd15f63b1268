"""What is kept of pages is made by one thread, however many ask for it at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from arena.web.kept_bodies import in_turn

READERS = 6


def test_who_asks_while_a_page_is_made_waits_and_finds_it() -> None:
    kept: dict[str, str] = {}
    made: list[str] = []
    all_ask = threading.Barrier(READERS, timeout=10)

    def ask(key: str) -> str:
        all_ask.wait()
        with in_turn(key):
            if key not in kept:
                made.append(key)
                threading.Event().wait(0.05)
                kept[key] = "made"
        return kept[key]

    with ThreadPoolExecutor(READERS) as readers:
        assert list(readers.map(ask, ["page"] * READERS)) == ["made"] * READERS
    assert made == ["page"]


def test_one_thread_may_make_what_stands_in_another_page() -> None:
    with in_turn("page"), in_turn("page"):
        pass
