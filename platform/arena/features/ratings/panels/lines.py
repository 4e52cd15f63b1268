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
from arena.web.base.wording import join_facts

MAX_LISTS = 3
"""Lists on the page of a bot or player."""
MAX_OWN_LINES = 3
"""Lines of a bot or player per list."""
TOP_LINES = 5
"""Lines on the home page."""


class MissingRequirement(NamedTuple):
    reason: str
    figure: str
    """In a few words, such as ``6/16 boards``."""
    share: float
    """Fulfilled part, from 0 to 1."""


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
    def figures(self) -> str:
        return join_figures(self.missing)

    @property
    def nearness(self) -> float:
        """Sum of what is missing of each requirement, in parts of it; 0 if nothing is."""
        return sum(1.0 - missing.share for missing in self.missing)


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
    return join_facts([list_heading(rating_list), rating_list.season])


def list_heading(rating_list: RatingList) -> str:
    """Return the title without the season."""
    facts = [preset_title(rating_list.preset, rating_list.seats)]
    if rating_list.kind == RatingList.Kind.LADDER:
        facts.append(_("ladder"))
    if rating_list.board_kind == "game":
        facts.append(_("game boards"))
    return join_facts(facts)


def boards_text(rating_list: RatingList) -> str:
    return _("game boards") if rating_list.board_kind == "game" else _("deal boards")


def missing_requirements(row: Rating) -> list[MissingRequirement]:
    return [_missing_requirement(each["code"], each["actual"], each["required"]) for each in row.reasons]


def join_texts(texts: Sequence[str]) -> str:
    return _("; ").join(texts)


def reasons_text(missing: Sequence[MissingRequirement]) -> str:
    return join_texts([each.reason for each in missing])


def join_figures(missing: Sequence[MissingRequirement]) -> str:
    return " · ".join(each.figure for each in missing)


def figures_text(row: Rating) -> str:
    """Return what an unrated line has of the requirements, such as ``1/3 fixtures · 2/16 boards``."""
    return join_figures(missing_requirements(row))


def _missing_requirement(code: str, actual: float, required: float) -> MissingRequirement:
    values = {"actual": f"{actual:g}", "required": f"{required:g}"}
    share = min(1.0, actual / required) if required else 0.0
    match code:
        case "not_connected":
            reason = _("no chain of opponents connects it to most other bots")
            return MissingRequirement(reason, _("not connected"), share)
        case "fixtures":
            reason = _("%(actual)s of %(required)s fixtures played") % values
            return MissingRequirement(reason, _("%(actual)s/%(required)s fixtures") % values, share)
        case "boards":
            reason = _("%(actual)s of %(required)s boards played") % values
            return MissingRequirement(reason, _("%(actual)s/%(required)s boards") % values, share)
        case "degrees":
            reason = _("its board sets are too small: %(actual)s of %(required)s degrees of freedom") % values
            return MissingRequirement(reason, _("board sets too small"), share)
        case "few_fixtures_of_all":
            reason = _("the list has too few comparisons: %(actual)s of %(required)s") % values
            return MissingRequirement(reason, _("the list has too few fixtures"), share)
        case "not_estimable":
            reason = _("its partners do not allow an estimate of its own strength")
            return MissingRequirement(reason, _("not determined by its fixtures"), share)
        case "alone":
            reason = _("no other bots can be compared yet")
            return MissingRequirement(reason, _("no other rated bot"), share)
        case _:
            return MissingRequirement(code, code, share)


def unrated_lines(rows: Sequence[Rating], viewer: Viewer) -> list[UnratedLine]:
    """Return the lines without a rating, nearest to one first."""
    own = viewer.pk if isinstance(viewer, User) else None
    lines = [
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
    return sorted(lines, key=lambda line: line.nearness)


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
    zero: str
    """Meaning of 0."""


def top_lines() -> TopLines | None:
    """Return the best lines of the largest list of the latest quarter, or None. Up to four queries."""
    rating_list = largest_list()
    if rating_list is None:
        return None
    scale = scale_of_list(rating_list)
    forest = forest_of(list(lines_of_list(rating_list)[:TOP_LINES]), scale, None)
    return TopLines(rating_list, list_title(rating_list), forest, scale.zero)
