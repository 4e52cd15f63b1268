"""Details of rows in standings: the latest results of each entry, and its tables with a fault."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.competition.models import Stage
from arena.competition.rules import sides_of
from arena.standings.recent_results import RecentResult, faulty_tables, recent_results
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.base.wording import join_facts

MAX_ROUNDS = 4
"""Maximum latest rounds of a row."""


class RowResult(NamedTuple):
    """A result such as ``W 6 +1.5``: won against the entry at rank 6."""

    text: str
    meaning: str
    href: str


class RowDetails(NamedTuple):
    """Both by key of the entry. Without an entry in ``results``, the standings have no such column."""

    results: Mapping[int, Sequence[RowResult]] = {}
    faults: Mapping[int, int] = {}


def build_row_details(stage: Stage, entries: Collection[int]) -> RowDetails:
    """Return the details of these entries (keys); results only in Swiss stages of two sides.

    At most six queries.
    """
    has_results = stage.format == "swiss" and len(sides_of(stage.tournament)) == 2
    results = recent_results(stage, entries, MAX_ROUNDS) if has_results else {}
    return RowDetails(
        {entry: [_row_result(result) for result in row] for entry, row in results.items()},
        faulty_tables(entries),
    )


def _row_result(result: RecentResult) -> RowResult:
    href = reverse("web:fixture", args=[result.fixture])
    in_round = _("round %(number)d") % {"number": result.round}
    if result.opponent is None:
        return RowResult(pgettext("result in a table", "bye"), in_round, href)
    if result.total == result.against:
        letter, word = pgettext("result in a table", "D"), _("drawn")
    elif result.total > result.against:
        letter, word = pgettext("result in a table", "W"), _("won")
    else:
        letter, word = pgettext("result in a table", "L"), _("lost")
    score = format_exact(result.total, signed=True)
    against = _("%(result)s against %(name)s") % {"result": word, "name": entry_label(result.opponent).name}
    return RowResult(
        f"{letter}\N{NO-BREAK SPACE}{result.opponent_rank}\N{NO-BREAK SPACE}{score}",
        join_facts([in_round, against]),
        href,
    )
