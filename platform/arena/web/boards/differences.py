"""Where two tables with the same cards first differ, and the tricks that decided the winner at each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from arena.common.process_cache import CacheKey, process_cache
from arena.matches.models import Table
from arena.matches.replays import table_view
from viewer.comparison import compare_deals
from viewer.position import deal_positions
from viewer.running import captured_by_trick, deciding_trick
from viewer.shapes import View, ViewDeal


class BoardDifference(NamedTuple):
    """The first difference of two tables on a board, in the first deal that differs."""

    key: str
    """Position that shows it, as in the address of the comparison."""
    group: int
    """Trick or turn; 0 before the first card."""
    cards: tuple[str, ...]
    """French cards played there, by table; empty if it is not a card of Kakeya or Etori."""
    decided: tuple[int, ...]
    """By table: the trick after which the winner was certain; empty without tricks, and for games."""


def board_difference(tables: Sequence[Table], number: int) -> BoardDifference | None:
    """Return the first difference of two tables on a closed board; None without one or without replays.

    No query; two files unless it is cached.
    """
    key = CacheKey("board difference", (*(table.view_sha256 for table in tables), number))
    return process_cache.get_or_build(key, lambda: _difference(tables, number))


def _difference(tables: Sequence[Table], number: int) -> BoardDifference | None:
    stored = [table_view(table, number) for table in tables]
    views: list[View] = [json.loads(view) for view in stored if view is not None]
    if len(views) != 2:
        return None
    boards = [view["boards"][0] for view in views]
    has_deals = any(len(board["deals"]) > 1 for board in boards)
    for deals in zip(*(board["deals"] for board in boards), strict=False):
        positions = [deal_positions(number, deal, has_deals=has_deals) for deal in deals]
        comparison = compare_deals(deals, positions)
        difference = comparison.difference
        if difference is None or comparison.has_other_cards:
            continue
        step = difference.step
        items = [] if step is None else [deal["steps"][step] for deal in deals]
        is_trick = all("t" in item for item in items)
        return BoardDifference(
            comparison.keys[difference.stop],
            0 if not items else items[0].get("t", items[0].get("turn", 0)),
            tuple(item["a"] for item in items) if is_trick else (),
            () if has_deals else _decided(deals),
        )
    return None


def _decided(deals: Sequence[ViewDeal]) -> tuple[int, ...]:
    tricks = tuple(deciding_trick(captured_by_trick(deal)) for deal in deals)
    return tricks if all(tricks) else ()
