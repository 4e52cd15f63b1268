"""What the first page shows: the same for everybody, so that it is made once and kept."""

from __future__ import annotations

import dataclasses

from arena.competition.selectors import OVER, tournaments_in
from arena.web.overview import Item, items_of
from arena.web.states import LIVE, UPCOMING

LIVE_AT_MOST = 4
UPCOMING_AT_MOST = 3


@dataclasses.dataclass(frozen=True)
class Live:
    """What is played, and what comes next."""

    live: list[Item]
    upcoming: list[Item]
    has_more: bool
    """More is played, or comes, than is shown."""
    is_empty: bool
    """There is no tournament at all, past ones included."""


def live_of() -> Live:
    """What everybody may see of it; a fixed number of queries."""
    live = list(tournaments_in(None, LIVE)[: LIVE_AT_MOST + 1])
    upcoming = list(tournaments_in(None, UPCOMING)[: UPCOMING_AT_MOST + 1])
    live.sort(key=lambda found: LIVE.index(found.state))
    items = items_of([*live[:LIVE_AT_MOST], *upcoming[:UPCOMING_AT_MOST]])
    return Live(
        live=[items[found.pk] for found in live[:LIVE_AT_MOST]],
        upcoming=[items[found.pk] for found in upcoming[:UPCOMING_AT_MOST]],
        has_more=len(live) > LIVE_AT_MOST or len(upcoming) > UPCOMING_AT_MOST,
        is_empty=not live and not upcoming and not tournaments_in(None, OVER).exists(),
    )
