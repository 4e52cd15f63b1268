"""Reading ladders: seasons with their lists of ratings, rounds with their reasons, and who is placed.

Everything is public, as an event's field is: of a private bot its name and owner are shown, not its page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from arena.accounts.models import User
from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound, quoted
from arena.common.ids import is_public_id
from arena.competition.models import Tournament
from arena.features.ladders.models import Ladder, LadderRef, LadderRound, LadderSeason, Placement
from arena.features.ratings.models import Rating, RatingList
from arena.roster.models import Bot, BotVersion

State = LadderSeason.State


def ladders() -> QuerySet[Ladder]:
    """All ladders that are played or have been, in the order in which they were made.

    ``placed`` counts the versions on each; ``running`` is a list of its running season, if there is one.
    """
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
    """The ladder of this public id, as ``ladders`` gives it.

    Raises:
        NotFound: ``ladder_missing``.
    """
    found = ladders().filter(public_id=public_id).first() if is_public_id(public_id) else None
    if found is None:
        raise NotFound(f"There is no ladder {quoted(public_id)}.", "ladder_missing")
    return found


def seasons() -> QuerySet[LadderSeason]:
    """All seasons, the newest first; ``list_id`` is the public id of its list of ratings, once it has one.

    ``counted`` is how many rounds count.
    """
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
    """The seasons of a ladder, as ``seasons`` gives them."""
    return seasons().filter(ladder=ladder)


def season_get(ladder: Ladder, public_id: str) -> LadderSeason:
    """One season of a ladder.

    Raises:
        NotFound: ``season_missing``.
    """
    found = seasons_of(ladder).filter(public_id=public_id).first() if is_public_id(public_id) else None
    if found is None:
        raise NotFound(f"The ladder {ladder} has no season {quoted(public_id)}.", "season_missing")
    return found


def season_or_newest(ladder: Ladder, name: str = "") -> LadderSeason | None:
    """The season of a name; without one the newest, or None before the first.

    Raises:
        NotFound: ``season_missing``.
    """
    found = seasons_of(ladder).filter(name=name).first() if name else seasons_of(ladder).first()
    if found is None and name:
        raise NotFound(f"The ladder {ladder} has no season {quoted(name)}.", "season_missing")
    return found


def season_list_of(season: LadderSeason) -> RatingList | None:
    """The list of ratings of a season; None before its first round counted."""
    return RatingList.objects.filter(ladder_season=season.public_id, revision__gt=0).first()


def rounds_of(ladder: Ladder) -> QuerySet[LadderRound]:
    """The rounds of a ladder, the newest first; season and tournament along."""
    return ladder.rounds.select_related("season", "ladder", "tournament").order_by("-pk")


def ladder_of(tournament: Tournament) -> Ladder | None:
    """The ladder of which a tournament is a round. One query."""
    return Ladder.objects.filter(rounds__tournament=tournament).first()


def newest_round(ladder: Ladder) -> LadderRound | None:
    """The round that is played or was drawn last."""
    return rounds_of(ladder).first()


def placements_of(ladder: Ladder) -> QuerySet[Placement]:
    """Everybody who is or was on a ladder, the newest first; version, bot and owner along."""
    rows = Placement.objects.filter(ladder=ladder).order_by("-pk")
    return rows.select_related("ladder", "version", "bot__owner__user")


def placements_without_line(ladder: Ladder, rating_list: RatingList | None) -> QuerySet[Placement]:
    """Those on a ladder now who are in no line of its list; version, bot and owner along."""
    rows = placements_of(ladder).filter(left_at=None)
    if rating_list is None:
        return rows
    return rows.exclude(version__in=Rating.objects.filter(list=rating_list).values("version"))


def placement_get(ladder: Ladder, public_id: str) -> Placement:
    """One placement on a ladder.

    Raises:
        NotFound: ``placement_missing``.
    """
    found = placements_of(ladder).filter(public_id=public_id).first() if is_public_id(public_id) else None
    if found is None:
        raise NotFound(f"The ladder {ladder} has no placement {quoted(public_id)}.", "placement_missing")
    return found


class BotPlacement(NamedTuple):
    """Where a bot is placed now."""

    public_id: str
    """Of the placement."""
    since: datetime
    version: int
    """The number of the version that is placed."""
    ladder: LadderRef


def placements_of_bot(bot: Bot) -> list[BotPlacement]:
    """Where a bot is placed now, in the order of the ladders; one query."""
    rows = bot.placements.filter(left_at=None).order_by("ladder")
    columns = (f"ladder__{column}" for column in LadderRef._fields)
    return [
        BotPlacement(public_id, since, version, LadderRef(*ladder))
        for public_id, since, version, *ladder in rows.values_list(
            "public_id", "since", "version__number", *columns
        )
    ]


def placements_of_owner(user: User) -> QuerySet[Placement]:
    """Every placement there was of an account's bots, oldest first; ladder and version along."""
    rows = Placement.objects.filter(bot__owner__user=user).select_related("ladder", "bot", "version")
    return rows.order_by("pk")


def ladders_open_to(bot: Bot) -> list[Ladder]:
    """The ladders a bot can be put on that it is not on; one query."""
    placed = Placement.objects.filter(bot=bot, left_at=None).values("ladder")
    rows = Ladder.objects.filter(game=bot.game, state=Ladder.State.ACTIVE).exclude(pk__in=placed)
    return list(rows.order_by("pk"))


def versions_by_id(public_ids: Collection[str]) -> dict[str, BotVersion]:
    """Versions by public id, bot and owner along. One query."""
    rows = BotVersion.objects.filter(public_id__in=public_ids).select_related("bot__owner__user")
    return {version.public_id: version for version in rows}


def final_ratings(season: LadderSeason) -> list[Rating]:
    """The final table of an archived season as lines of its list, bot and owner along; not stored.

    Two queries.
    """
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
    """Public ids of the versions that are on a ladder now. One query."""
    return set(ladder.placements.filter(left_at=None).values_list("version__public_id", flat=True))


def viewer_placements(ladder: Ladder, viewer: Viewer) -> list[Placement]:
    """The viewer's own on a ladder now, version and bot along. One query, none for strangers."""
    if not isinstance(viewer, User):
        return []
    return list(placements_of(ladder).filter(left_at=None, bot__owner__user=viewer).order_by("bot__name"))


def version_ids_of_rounds(rounds: Iterable[LadderRound]) -> set[str]:
    """Public ids of all versions that rounds name in their pairings. No query."""
    return {name for played in rounds for row in played.pairings for name in row["versions"]}
