"""Template context of ladder rounds: pairings and their reasons."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.features.ladders.models import Ladder, LadderRound
from arena.features.ladders.selectors import (
    RoundResult,
    results_of_rounds,
    rounds_of,
    version_ids_of_rounds,
    versions_by_id,
)
from arena.roster.models import BotVersion
from arena.web.base.figures import format_exact, format_rounded
from arena.web.base.labels import BotLabel, bot_label

ROUNDS_PER_PAGE = 10
MAX_PAIRINGS = 50
HALF_WIDTH = 1.96
"""Half width of a 95% interval in standard errors, as in the draw."""
REASONS = {
    LadderRound.Kind.FLOOR: gettext_lazy("new: its first opponents are drawn by lot"),
    LadderRound.Kind.OVERLAP: gettext_lazy("most informative for its cost: the order is least certain here"),
    LadderRound.Kind.UNIFORM: gettext_lazy("by lot, to keep the rating scale correct"),
}
KINDS = {
    LadderRound.Kind.FLOOR: pgettext_lazy("kind of a ladder's round", "first rounds, by lot"),
    LadderRound.Kind.OVERLAP: pgettext_lazy("kind of a ladder's round", "where the order is least certain"),
    LadderRound.Kind.UNIFORM: pgettext_lazy("kind of a ladder's round", "by lot"),
}
STATES = {
    LadderRound.State.OPEN: pgettext_lazy("state of a ladder's round", "being played"),
    LadderRound.State.COUNTED: pgettext_lazy("state of a ladder's round", "counted"),
    LadderRound.State.DROPPED: pgettext_lazy("state of a ladder's round", "dropped"),
}


class RoundParticipant(NamedTuple):
    bot: BotLabel
    player: str
    total: str = ""
    """Stones over all boards; empty before the round is counted."""


@dataclasses.dataclass(frozen=True)
class PairingRow:
    participants: list[RoundParticipant]
    difference: str
    """Expected difference of the most informative pair, with interval, in words."""
    reason: str
    fixture: str
    """Public id; empty before the round is counted."""


@dataclasses.dataclass(frozen=True)
class RoundView:
    round: LadderRound
    state: str
    kind: str
    pairings: list[PairingRow]
    more: int
    """Fixtures that are omitted."""
    unpaired: list[RoundParticipant]

    @property
    def is_open(self) -> bool:
        return self.round.state == LadderRound.State.OPEN


def round_view(ladder_round: LadderRound | None, at_most: int) -> RoundView | None:
    """Return a round with its most informative fixtures first; None for None. Three queries."""
    if ladder_round is None:
        return None
    return _round_view(
        ladder_round,
        versions_by_id({*version_ids_of_rounds([ladder_round]), *ladder_round.unpaired}),
        results_of_rounds([ladder_round]),
        at_most,
    )


def rounds_page(ladder: Ladder, page: int) -> tuple[list[RoundView], Page[LadderRound]]:
    """Return a page of rounds, newest first. Five queries."""
    paginated = Paginator(rounds_of(ladder), ROUNDS_PER_PAGE).get_page(page)
    rows = list(paginated.object_list)
    left = {name for ladder_round in rows for name in ladder_round.unpaired}
    versions = versions_by_id(version_ids_of_rounds(rows) | left)
    results = results_of_rounds(rows)
    return [_round_view(ladder_round, versions, results, MAX_PAIRINGS) for ladder_round in rows], paginated


def _round_view(
    ladder_round: LadderRound,
    versions: Mapping[str, BotVersion],
    results: Mapping[tuple[int, frozenset[str]], RoundResult],
    at_most: int,
) -> RoundView:
    rows = sorted(ladder_round.pairings, key=lambda row: -_most_informative_pair(row)["gain"])
    return RoundView(
        round=ladder_round,
        state=str(STATES[LadderRound.State(ladder_round.state)]),
        kind=str(KINDS[LadderRound.Kind(ladder_round.kind)]),
        pairings=[
            _pairing_row(row, versions, results.get((ladder_round.tournament_id, frozenset(row["versions"]))))
            for row in rows[:at_most]
        ],
        more=max(0, len(rows) - at_most),
        unpaired=_participants(ladder_round.unpaired, versions),
    )


def _most_informative_pair(row: Mapping[str, Any]) -> Mapping[str, Any]:
    pair_row: Mapping[str, Any] = max(row["pairs"], key=lambda pair: pair["gain"])
    return pair_row


def _pairing_row(
    row: Mapping[str, Any], versions: Mapping[str, BotVersion], result: RoundResult | None
) -> PairingRow:
    return PairingRow(
        _participants(row["versions"], versions, result),
        _difference_text(row),
        str(REASONS[LadderRound.Kind(row["kind"])]),
        result.fixture if result is not None else "",
    )


def _participants(
    names: Sequence[str], versions: Mapping[str, BotVersion], result: RoundResult | None = None
) -> list[RoundParticipant]:
    totals = {} if result is None else result.totals
    return [
        RoundParticipant(
            bot_label(version),
            version.bot.owner.handle,
            format_exact(totals[name], signed=True) if name in totals else "",
        )
        for name in names
        if (version := versions.get(name)) is not None
    ]


def _difference_text(row: Mapping[str, Any]) -> str:
    best = _most_informative_pair(row)
    mean, half = abs(best["difference"]), HALF_WIDTH * best["error"]
    return _("expected difference %(mean)s stones per board (%(low)s to %(high)s)") % {
        "mean": f"{mean:.2f}",
        "low": format_rounded(mean - half),
        "high": format_rounded(mean + half),
    }
