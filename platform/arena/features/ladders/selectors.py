"""Selectors of ladders: seasons with rating lists, rounds with reasons, and placements. All is public."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound, quoted
from arena.common.ids import is_public_id
from arena.competition.models import Tournament
from arena.features.ladders.models import Ladder, LadderRef, LadderRound, LadderSeason, Placement
from arena.features.ratings.models import Rating, RatingList
from arena.matches.models import BoardSet, Fixture
from arena.roster.models import Bot, BotVersion
from arena.standings.bot_fixtures import members_with_totals

State = LadderSeason.State


def ladders() -> QuerySet[Ladder]:
    """Return active ladders and those with seasons, with ``placed`` and ``running``, in order of creation."""
    running = seasons().filter(state=State.RUNNING)
    played = LadderSeason.objects.filter(ladder=OuterRef("pk"))
    return (
        Ladder.objects.filter(Q(state=Ladder.State.ACTIVE) | Exists(played))
        .annotate(placed=_placed())
        .prefetch_related(Prefetch("seasons", running, to_attr="running"))
        .order_by("pk")
    )


def _placed() -> Subquery:
    count = (
        Placement.objects.filter(ladder=OuterRef("pk"), left_at=None)
        .order_by()
        .values("ladder")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return Subquery(count)


def ladder_get(public_id: str) -> Ladder:
    """Return a row of ``ladders`` by public id. Raises NotFound (``ladder_not_found``)."""
    ladder = ladders().filter(public_id=public_id).first() if is_public_id(public_id) else None
    if ladder is None:
        raise NotFound(f"There is no ladder {quoted(public_id)}.", "ladder_not_found")
    return ladder


def seasons() -> QuerySet[LadderSeason]:
    """Return all seasons, newest first, with ``list_id`` and ``counted``."""
    lists = RatingList.objects.filter(ladder_season=OuterRef("public_id"), revision__gt=0)
    rounds = (
        LadderRound.objects.filter(season=OuterRef("pk"), state=LadderRound.State.COUNTED)
        .order_by()
        .values("season")
        .annotate(count=Count("pk"))
        .values("count")
    )
    return (
        LadderSeason.objects.select_related("ladder")
        .annotate(list_id=Subquery(lists.values("public_id")[:1]), counted=Subquery(rounds))
        .order_by("-pk")
    )


def seasons_of(ladder: Ladder) -> QuerySet[LadderSeason]:
    return seasons().filter(ladder=ladder)


def season_get(ladder: Ladder, public_id: str) -> LadderSeason:
    """Return a row of ``seasons_of`` by public id. Raises NotFound (``season_not_found``)."""
    season = seasons_of(ladder).filter(public_id=public_id).first() if is_public_id(public_id) else None
    if season is None:
        raise NotFound(f"The ladder {ladder} has no season {quoted(public_id)}.", "season_not_found")
    return season


def season_or_newest(ladder: Ladder, name: str = "") -> LadderSeason | None:
    season = seasons_of(ladder).filter(name=name).first() if name else seasons_of(ladder).first()
    if season is None and name:
        raise NotFound(f"The ladder {ladder} has no season {quoted(name)}.", "season_not_found")
    return season


def season_list_of(season: LadderSeason) -> RatingList | None:
    return RatingList.objects.filter(ladder_season=season.public_id, revision__gt=0).first()


def rounds_of(ladder: Ladder) -> QuerySet[LadderRound]:
    """Return the rounds of a ladder, newest first, with season and tournament fetched."""
    return ladder.rounds.select_related("season", "ladder", "tournament").order_by("-pk")


def ladder_of(tournament: Tournament) -> Ladder | None:
    return Ladder.objects.filter(rounds__tournament=tournament).first()


def newest_round(ladder: Ladder) -> LadderRound | None:
    return rounds_of(ladder).first()


def placements_of(ladder: Ladder) -> QuerySet[Placement]:
    """Return current and past placements, newest first, with version, bot and owner fetched."""
    rows = Placement.objects.filter(ladder=ladder).order_by("-pk")
    return rows.select_related("ladder", "version", "bot__owner__user")


def placements_without_line(ladder: Ladder, rating_list: RatingList | None) -> QuerySet[Placement]:
    """Return current placements without a line in the list, with version, bot and owner fetched."""
    rows = placements_of(ladder).filter(left_at=None)
    if rating_list is None:
        return rows
    return rows.exclude(version__in=Rating.objects.filter(list=rating_list).values("version"))


def placement_get(ladder: Ladder, public_id: str) -> Placement:
    """Return a placement by public id. Raises NotFound (``placement_not_found``)."""
    placement = placements_of(ladder).filter(public_id=public_id).first() if is_public_id(public_id) else None
    if placement is None:
        raise NotFound(f"The ladder {ladder} has no placement {quoted(public_id)}.", "placement_not_found")
    return placement


class BotPlacement(NamedTuple):
    public_id: str
    placed_at: datetime
    version: int
    ladder: LadderRef


def placements_of_bot(bot: Bot) -> list[BotPlacement]:
    """Return the current placements of a bot, in the order of the ladders. One query."""
    rows = bot.placements.filter(left_at=None).order_by("ladder")
    columns = (f"ladder__{column}" for column in LadderRef._fields)
    return [
        BotPlacement(public_id, placed_at, version, LadderRef(*ladder))
        for public_id, placed_at, version, *ladder in rows.values_list(
            "public_id", "placed_at", "version__number", *columns
        )
    ]


def placements_of_owner(user: User) -> QuerySet[Placement]:
    """Return all placements of an account's bots, oldest first, with ladder and version fetched."""
    rows = Placement.objects.filter(bot__owner__user=user).select_related("ladder", "bot", "version")
    return rows.order_by("pk")


def ladders_open_to(bot: Bot) -> list[Ladder]:
    """Return active ladders of the bot's game without a placement of it. One query."""
    placed = Placement.objects.filter(bot=bot, left_at=None).values("ladder")
    rows = Ladder.objects.filter(game=bot.game, state=Ladder.State.ACTIVE).exclude(pk__in=placed)
    return list(rows.order_by("pk"))


def versions_by_id(public_ids: Collection[str]) -> dict[str, BotVersion]:
    """Return versions by public id, with bot and owner fetched. One query."""
    rows = BotVersion.objects.filter(public_id__in=public_ids).select_related("bot__owner__user")
    return {version.public_id: version for version in rows}


def final_ratings(season: LadderSeason) -> list[Rating]:
    """Return an archived season's final table as unsaved ratings with bot and owner. Two queries."""
    rating_list = season_list_of(season)
    if rating_list is None:
        return []
    versions = versions_by_id({line["version"] for line in season.final})
    return [
        Rating(
            list=rating_list,
            version=versions[line["version"]],
            **{name: value for name, value in line.items() if name != "version"},
        )
        for line in season.final
        if line["version"] in versions
    ]


def placed_version_ids(ladder: Ladder) -> set[str]:
    """Return public ids of the versions on a ladder. One query."""
    return set(ladder.placements.filter(left_at=None).values_list("version__public_id", flat=True))


def viewer_placements(ladder: Ladder, viewer: Viewer) -> list[Placement]:
    """Return the viewer's current placements with version and bot. At most one query."""
    if not isinstance(viewer, User):
        return []
    return list(placements_of(ladder).filter(left_at=None, bot__owner__user=viewer).order_by("bot__name"))


def version_ids_of_rounds(rounds: Iterable[LadderRound]) -> set[str]:
    """Return public ids of all versions in the rounds' pairings. No query."""
    return {name for played in rounds for row in played.pairings for name in row["versions"]}


class RoundResult(NamedTuple):
    fixture: str
    """Public id."""
    totals: dict[str, Fraction]
    """Stones over all boards by public id of the version."""


def results_of_rounds(rounds: Iterable[LadderRound]) -> dict[tuple[int, frozenset[str]], RoundResult]:
    """Return the results of counted rounds by tournament and versions of a fixture. At most two queries."""
    tournaments = [played.tournament_id for played in rounds if played.state == LadderRound.State.COUNTED]
    if not tournaments:
        return {}
    fixtures = Fixture.objects.filter(tournament__in=tournaments, board_set__state=BoardSet.State.CLOSED)
    keys = list(fixtures.exclude(state=Fixture.State.VOID).values_list("pk", flat=True))
    by_fixture: dict[int, tuple[int, RoundResult]] = {}
    columns = ("fixture__tournament", "fixture__public_id", "entry__version__public_id")
    for key, tournament, public_id, version, *total in members_with_totals(keys, *columns):
        if None not in total:
            _tournament, result = by_fixture.setdefault(key, (tournament, RoundResult(public_id, {})))
            result.totals[version] = Fraction(*total)
    return {(tournament, frozenset(result.totals)): result for tournament, result in by_fixture.values()}
