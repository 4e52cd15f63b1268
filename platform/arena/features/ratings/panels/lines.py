"""Rating lines on pages of bots and players: standings, and missing requirements of unrated versions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.game_titles import preset_title
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.panels.forest import Forest, forest_of, ranks_of, scale_of_list
from arena.features.ratings.selectors import basis_of, largest_list, lines_of_list, neighbours_of
from arena.web.base.labels import BotLabel, bot_label

MAX_LISTS = 3
"""Lists on the page of a bot or player."""
MAX_OWN_LINES = 3
"""Lines of a bot or player per list."""
TOP_LINES = 5
"""Lines on the home page."""


class MissingRequirement(NamedTuple):
    reason: str
    help: str


@dataclasses.dataclass(frozen=True)
class UnratedLine:
    version: str
    bot: BotLabel
    player: str
    missing: list[MissingRequirement]
    boards: int
    fixtures: int
    is_own: bool

    @property
    def reasons(self) -> str:
        return reasons_text(self.missing)

    @property
    def remedies(self) -> str:
        return join_texts([missing.help for missing in self.missing])


@dataclasses.dataclass(frozen=True)
class ListStanding:
    rating_list: RatingList
    title: str
    summary: str
    forest: Forest | None
    unrated: list[UnratedLine]


def list_title(rating_list: RatingList) -> str:
    """Return the title: rules, further conditions of its tables, and season.

    >>> list_title(RatingList(kind="ladder", game="kakkuri", preset="kakkuri", seats=5, season="2026-Q4"))
    'Kakkuri, 5 players, ladder, 2026-Q4'
    """
    facts = [preset_title(rating_list.preset, rating_list.seats)]
    if rating_list.kind == RatingList.Kind.LADDER:
        facts.append(_("ladder"))
    if rating_list.board_kind == "game":
        facts.append(_("game boards"))
    return pgettext("between two facts", ", ").join([*facts, rating_list.season])


def boards_text(rating_list: RatingList) -> str:
    return _("game boards") if rating_list.board_kind == "game" else _("deal boards")


def missing_requirements(row: Rating) -> list[MissingRequirement]:
    return [_missing_requirement(each["code"], each["actual"], each["required"]) for each in row.reasons]


def join_texts(texts: Sequence[str]) -> str:
    return _("; ").join(texts)


def reasons_text(missing: Sequence[MissingRequirement]) -> str:
    return join_texts([each.reason for each in missing])


def _missing_requirement(code: str, actual: float, required: float) -> MissingRequirement:
    values = {"actual": f"{actual:g}", "required": f"{required:g}"}
    match code:
        case "not_connected":
            return MissingRequirement(
                _("no chain of opponents connects it to most other bots"),
                _("a fixture against a bot that has met other bots"),
            )
        case "fixtures":
            return MissingRequirement(
                _("%(actual)s of %(required)s fixtures played") % values, _("more opponents")
            )
        case "boards":
            return MissingRequirement(
                _("%(actual)s of %(required)s boards played") % values, _("more boards")
            )
        case "degrees":
            return MissingRequirement(
                _("its board sets are too small: %(actual)s of %(required)s degrees of freedom") % values,
                _("larger board sets"),
            )
        case "few_fixtures_of_all":
            return MissingRequirement(
                _("the list has too few comparisons: %(actual)s of %(required)s") % values,
                _("more fixtures of all bots"),
            )
        case "not_estimable":
            return MissingRequirement(
                _("its partners do not allow an estimate of its own strength"),
                _("the tournament's remaining rounds"),
            )
        case "alone":
            return MissingRequirement(_("no other bots can be compared yet"), _("another rated version"))
        case _:
            return MissingRequirement(code, "")


def unrated_lines(rows: Sequence[Rating], viewer: Viewer) -> list[UnratedLine]:
    own = viewer.pk if isinstance(viewer, User) else None
    return [
        UnratedLine(
            row.version.public_id,
            bot_label(row.version),
            row.version.bot.owner.handle,
            missing_requirements(row),
            row.boards,
            row.fixtures,
            own is not None and row.version.bot.owner.user_id == own,
        )
        for row in rows
        if not row.is_rated
    ]


def line_name(row: Rating) -> str:
    plus = " +" if row.partner == Rating.Partner.OTHER else ""
    return f"{row.version.bot.name} v{row.version.number}{plus}"


def list_standings(own: Sequence[Rating], viewer: Viewer) -> list[ListStanding]:
    """Return the standings of these lines by list, with their neighbours. Two queries per uncached list."""
    by_list: dict[int, list[Rating]] = {}
    for row in own:
        by_list.setdefault(row.list_id, []).append(row)
    rated = {pk: [row for row in rows if row.is_rated][:MAX_OWN_LINES] for pk, rows in by_list.items()}
    around = neighbours_of([row for rows in rated.values() for row in rows])
    standings = []
    for pk, rows in by_list.items():
        rating_list = rows[0].list
        near = [row for row in around if row.list_id == pk]
        forest = forest_of(near, scale_of_list(rating_list), viewer) if near else None
        unrated = [] if forest else unrated_lines(rows[:1], viewer)
        text = (
            standing_text(rated[pk][0], basis_of(rating_list).rated_count(rated[pk][0].partner))
            if near
            else ""
        )
        standings.append(ListStanding(rating_list, list_title(rating_list), text, forest, unrated))
    return standings


def standing_text(row: Rating, of: int) -> str:
    return _("%(name)s: %(ranks)s of %(count)d.") % {
        "name": line_name(row),
        "ranks": pgettext("range of ranks", "rank %(ranks)s") % {"ranks": ranks_of(row)},
        "count": of,
    }


class TopLines(NamedTuple):
    rating_list: RatingList
    title: str
    forest: Forest


def top_lines() -> TopLines | None:
    """Return the best lines of the largest list of the latest quarter, or None. Up to four queries."""
    rating_list = largest_list()
    if rating_list is None:
        return None
    forest = forest_of(list(lines_of_list(rating_list)[:TOP_LINES]), scale_of_list(rating_list), None)
    return TopLines(rating_list, list_title(rating_list), forest)
