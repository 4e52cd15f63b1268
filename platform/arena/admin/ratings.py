"""Ratings in the admin: made from closed board sets, never edited; for staff."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage, link_column
from arena.ratings.models import ClosedSeen, RatedSet, Rating, RatingChange, RatingList

SET = "board_set__round__stage__tournament"


@admin.register(RatingList)
class RatingListAdmin(ReadOnlyPage):
    """Lists."""

    list_display = (
        "public_id",
        "kind",
        "preset",
        "board_kind",
        "seats",
        "season",
        "sets",
        "rated",
        "made_at",
    )
    list_filter = ("kind", "preset", "season")
    search_fields = ("public_id", "preset", "season", "ladder_season")
    related = (
        ("Lines", "ratings_rating", "list__id__exact"),
        ("Board sets", "ratings_ratedset", "list__id__exact"),
        ("Changes", "ratings_ratingchange", "list__id__exact"),
    )


@admin.register(RatedSet)
class RatedSetAdmin(ReadOnlyPage):
    """Which board sets are in which list."""

    hidden = ("scores",)
    list_display = ("list", "board_set", "fixtures", "due")
    list_select_related = ("list", SET)
    search_fields = ("list__public_id", "board_set__public_id")
    linked_by = ("list__id__exact", "board_set__id__exact")


class LinePage(ReadOnlyPage):
    """What pages of lines share."""

    list_select_related = ("list", "version__bot")
    search_fields = ("list__public_id", "version__public_id", "version__bot__name")
    linked_by = ("list__id__exact", "version__id__exact")

    who = link_column("version", "version")
    """Whose."""


@admin.register(Rating)
class RatingAdmin(LinePage):
    """Lines as they are now."""

    list_display = ("list", "partner", "rank", "who", "estimate", "low", "high", "boards")


@admin.register(RatingChange)
class RatingChangeAdmin(LinePage):
    """What lines came to say."""

    list_display = ("list", "at", "cause", "who", "partner", "rank", "estimate", "low", "high", "boards")
    list_filter = ("cause",)


@admin.register(ClosedSeen)
class ClosedSeenAdmin(ReadOnlyPage):
    """How far the closing order was followed."""

    list_display = ("closed_seq",)
