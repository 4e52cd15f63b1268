"""How far entries of a knockout got, in words: ``winner``, ``final``, ``semi-finals``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.competition.entries.counts import field_sizes
from arena.competition.models import Stage
from arena.standings.captions import caption_text
from arena.standings.stages import is_knockout, knockout_matches
from arena.web.base.labels import in_sentence
from arena.web.tournaments.ranking import Ranking, RankingCell

PROGRESS = "progress"
MAX_ROUNDS = 12
"""Halvings of the largest field of a bracket."""


def reached_words(stage: Stage, entries: int) -> dict[int, str]:
    """Return how far an entry got by its progress, for entries that are out and for the winner. No query.

    Empty unless the stage is a knockout of at least two entries.
    """
    matches = knockout_matches(stage, entries)
    if not matches:
        return {}
    by_progress: dict[int, str] = {}
    for match in matches:
        column = in_sentence(caption_text(match.column))
        if match.section.code == "losers_bracket":
            column = _("%(round)s of the losers' bracket") % {"round": column}
        by_progress[match.lost] = column
    for match in matches:
        if match.column.code == "third_place":
            by_progress |= {match.won: _("third place"), match.lost: _("fourth place")}
    last = max(match.won for match in matches)
    by_progress[max(match.lost for match in matches if match.won == last)] = _("final")
    by_progress[last] = pgettext("of a bracket", "winner")
    return by_progress


def podium_text(stage: Stage, winner: int, progress: int) -> str:
    """Return how far an entry behind the finalists got, given the progress of the winner and of the entry.

    Empty if the stage has no final, or ended before it.
    """
    for rounds in range(1, MAX_ROUNDS + 1):
        reached = reached_words(stage, 1 << rounds)
        if reached and max(reached) == winner:
            word = reached.get(progress, "")
            if word == _("third place"):
                return _("won the match for third place")
            return _("reached the %(round)s") % {"round": word} if word else ""
    return ""


def with_reached(rankings: Sequence[Ranking], stages: Sequence[Stage]) -> list[Ranking]:
    """Return the rankings; those of knockouts have words instead of progress. No query."""
    by_number = {stage.number: stage for stage in stages}
    return [_with_words(ranking, by_number[ranking.stage], ranking.count) for ranking in rankings]


def page_with_reached(ranking: Ranking, stage: Stage) -> Ranking:
    """Do the same for a page of a stage's standings. One query if it is a knockout."""
    if not is_knockout(stage):
        return ranking
    return _with_words(ranking, stage, field_sizes([stage]).get(stage.pk, 0))


def _with_words(ranking: Ranking, stage: Stage, entries: int) -> Ranking:
    index = next((index for index, each in enumerate(ranking.columns) if each.name == PROGRESS), None)
    if index is None or not is_knockout(stage):
        return ranking
    texts = reached_words(stage, entries)
    column = dataclasses.replace(
        ranking.columns[index],
        name="reached",
        title=_("Reached"),
        meaning=_("The round in which the entry was eliminated"),
    )
    return dataclasses.replace(
        ranking,
        columns=(*ranking.columns[:index], column, *ranking.columns[index + 1 :]),
        lines=tuple(
            dataclasses.replace(
                line,
                cells=(*line.cells[:index], _cell(line.cells[index], texts), *line.cells[index + 1 :]),
            )
            for line in ranking.lines
        ),
    )


def _cell(cell: RankingCell, texts: Mapping[int, str]) -> RankingCell:
    try:
        progress = int(Fraction(cell.full))
    except ValueError:
        return cell
    text = texts.get(progress, _("still in"))
    return dataclasses.replace(cell, text=text, full=text)
