"""API views of rating lists, lines, and rating histories."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.caching import OCTET_STREAM
from arena.api.base.filters import (
    FlagFilter,
    GameFilter,
    HandleFilter,
    IdFilter,
    ListFilters,
    NumberFilter,
    PresetFilter,
    TextFilter,
)
from arena.api.base.shapes import schema_of
from arena.api.base.streaming import ndjson_response
from arena.api.base.views import AnyContentType, ApiView, ListView
from arena.features.ratings.api.answers import (
    RatingListOut,
    rating_change_out,
    rating_list_out,
    rating_out,
)
from arena.features.ratings.export import list_export_lines
from arena.features.ratings.models import Rating, RatingChange, RatingList
from arena.features.ratings.selectors import changes_of, lines, list_get, lists


class RatingListFilter(ListFilters):
    kind = filters.ChoiceFilter(choices=RatingList.Kind.choices)
    game = GameFilter("game")
    preset = PresetFilter("preset")
    season = TextFilter("season", help_text="For lists of tournaments, a quarter such as 2026-Q4.")
    seats = NumberFilter("seats")


class RatingLists(ListView):
    """The rating lists.

    One for each preset, kind of board, number of seats and quarter (or ladder season).
    """

    is_same_for_everyone = True
    write = staticmethod(rating_list_out)
    filterset_class = RatingListFilter

    def rows(self) -> QuerySet[RatingList]:
        """Newest first."""
        return lists().select_related("reference")


class OneRatingList(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(RatingListOut))
    def get(self, request: Request, list: str) -> Response:
        """Show a rating list.

        For its lines, use /ratings?list=.
        """
        return self.respond(rating_list_out, list_get(list))


class RatingListExport(ApiView):
    has_etag = False
    content_negotiation_class = AnyContentType
    read_rate = "exports"

    @extend_schema(responses={(200, "application/x-ndjson", OCTET_STREAM): OpenApiTypes.BINARY})
    def get(self, request: Request, list: str) -> HttpResponseBase:
        """Export a rating list as lines of JSON.

        Contains the board scores and the resulting lines; ``rensho verify`` recomputes them. The last
        line is {"type": "end", "lines": n, "revision": r}. If it is missing, or its revision differs from
        the first line's, fetch the export again.
        """
        return ndjson_response(request, list_export_lines(list_get(list)), f"ratings-{list}.ndjson")


class RatingFilter(ListFilters):
    list = IdFilter("list__public_id", help_text="Id of the list.")
    kind = filters.ChoiceFilter(field_name="list__kind", choices=RatingList.Kind.choices)
    preset = PresetFilter("list__preset")
    season = TextFilter("list__season", help_text="For lists of tournaments, a quarter such as 2026-Q4.")
    partner = filters.ChoiceFilter(choices=Rating.Partner.choices)
    version = IdFilter("version__public_id")
    bot = IdFilter("version__bot__public_id")
    player = HandleFilter("version__bot__owner__handle")
    rated = FlagFilter(
        "estimate",
        lookup_expr="isnull",
        exclude=True,
        help_text="false: only versions that are not comparable yet.",
    )


class Ratings(ListView):
    """Ratings.

    In games with changing partners, a version has two lines.
    """

    is_same_for_everyone = True
    write = staticmethod(rating_out)
    filterset_class = RatingFilter
    page_ordering = ("-list_id", "-lines_after")

    def rows(self) -> QuerySet[Rating]:
        """Newest list first. Within a list, rated versions come first, best first; the others have
        reasons.
        """
        return lines()


class ChangeFilter(ListFilters):
    list = IdFilter("list__public_id", help_text="Id of the list.")
    partner = filters.ChoiceFilter(choices=Rating.Partner.choices)
    cause = filters.ChoiceFilter(choices=RatingChange.Cause.choices)


class RatingHistory(ListView):
    """The rating changes of a version."""

    write = staticmethod(rating_change_out)
    filterset_class = ChangeFilter

    def rows(self) -> QuerySet[RatingChange]:
        """Newest first: one per board set that the version played in, and per change of scores."""
        return changes_of(self.kwargs["version"], self.request.user)
