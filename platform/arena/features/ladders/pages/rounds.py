"""Rounds of ladders as pages show them: who meets whom, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.features.ladders.models import Ladder, LadderRound
from arena.features.ladders.selectors import rounds_of, version_ids_of_rounds, versions_by_id
from arena.roster.models import BotVersion
from arena.web.base.figures import format_rounded
from arena.web.base.labels import BotLabel, bot_label

ROUNDS_PER_PAGE = 10
MAX_PAIRINGS = 50
"""Of a round, on the page of all."""
HALF_WIDTH = 1.96
"""Standard errors of half an interval of 95 %, of the normal distribution: as the draw reckons."""
REASONS = {
    LadderRound.Kind.FLOOR: gettext_lazy("new: its first opponents are drawn by lot"),
    LadderRound.Kind.OVERLAP: gettext_lazy("the boards tell most here: the order is least sure for its cost"),
    LadderRound.Kind.UNIFORM: gettext_lazy("by lot, which keeps the scale true"),
}
KINDS = {
    LadderRound.Kind.FLOOR: pgettext_lazy("kind of a ladder's round", "first rounds, by lot"),
    LadderRound.Kind.OVERLAP: pgettext_lazy("kind of a ladder's round", "where the order is least sure"),
    LadderRound.Kind.UNIFORM: pgettext_lazy("kind of a ladder's round", "by lot"),
}
STATES = {
    LadderRound.State.OPEN: pgettext_lazy("state of a ladder's round", "being played"),
    LadderRound.State.COUNTED: pgettext_lazy("state of a ladder's round", "counted"),
    LadderRound.State.DROPPED: pgettext_lazy("state of a ladder's round", "dropped"),
}


class RoundParticipant(NamedTuple):
    """One who meets others."""

    bot: BotLabel
    player: str


@dataclasses.dataclass(frozen=True)
class PairingRow:
    """A fixture and its reason."""

    participants: list[RoundParticipant]
    difference: str
    """How far apart the two with the most to tell stood, with interval, in words."""
    reason: str


@dataclasses.dataclass(frozen=True)
class RoundView:
    """A round."""

    round: LadderRound
    state: str
    kind: str
    pairings: list[PairingRow]
    more: int
    """Fixtures that are not shown."""
    left_over: list[RoundParticipant]

    @property
    def is_open(self) -> bool:
        """Whether it is being played."""
        return self.round.state == LadderRound.State.OPEN


def round_view(played: LadderRound | None, at_most: int) -> RoundView | None:
    """A round with those fixtures first that tell most; None of none. One query."""
    if played is None:
        return None
    return _round_view(played, versions_by_id({*version_ids_of_rounds([played]), *played.left_over}), at_most)


def rounds_page(ladder: Ladder, page: int) -> tuple[list[RoundView], Page[LadderRound]]:
    """The rounds of a ladder, newest first. Three queries."""
    asked = Paginator(rounds_of(ladder), ROUNDS_PER_PAGE).get_page(page)
    rows = list(asked.object_list)
    left = {name for played in rows for name in played.left_over}
    versions = versions_by_id(version_ids_of_rounds(rows) | left)
    return [_round_view(played, versions, MAX_PAIRINGS) for played in rows], asked


def _round_view(played: LadderRound, versions: Mapping[str, BotVersion], at_most: int) -> RoundView:
    rows = sorted(played.pairings, key=lambda row: -_most_informative_pair(row)["gain"])
    return RoundView(
        round=played,
        state=str(STATES[LadderRound.State(played.state)]),
        kind=str(KINDS[LadderRound.Kind(played.kind)]),
        pairings=[
            PairingRow(
                _participants(row["versions"], versions),
                _difference_text(row),
                str(REASONS[LadderRound.Kind(row["kind"])]),
            )
            for row in rows[:at_most]
        ],
        more=max(0, len(rows) - at_most),
        left_over=_participants(played.left_over, versions),
    )


def _most_informative_pair(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the pairs at a table the one that tells most."""
    found: Mapping[str, Any] = max(row["pairs"], key=lambda pair: pair["gain"])
    return found


def _participants(names: Sequence[str], versions: Mapping[str, BotVersion]) -> list[RoundParticipant]:
    found = [versions[name] for name in names if name in versions]
    return [RoundParticipant(bot_label(version), version.bot.owner.handle) for version in found]


def _difference_text(row: Mapping[str, Any]) -> str:
    """The difference of the strongest less the weaker one, as it was estimated."""
    best = _most_informative_pair(row)
    mean, half = abs(best["difference"]), HALF_WIDTH * best["error"]
    return _("%(mean)s apart, between %(low)s and %(high)s") % {
        "mean": f"{mean:.2f}",
        "low": format_rounded(mean - half),
        "high": format_rounded(mean + half),
    }
