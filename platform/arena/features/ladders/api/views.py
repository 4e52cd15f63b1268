"""API views of ladders, seasons, rounds and placements."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
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
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ApiView, ListView
from arena.features.ladders.api.answers import (
    LadderOut,
    LadderSeasonWholeOut,
    PlacementOut,
    ladder_out,
    placement_out,
    round_out,
    season_out,
    season_whole_out,
)
from arena.features.ladders.api.serializers import PlacementIn
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ladders.placements import placement_create, placement_end
from arena.features.ladders.selectors import (
    ladder_get,
    ladders,
    placement_get,
    placements_of,
    rounds_of,
    season_get,
    seasons_of,
)
from arena.roster.selectors import version_get


class LadderFilter(ListFilters):
    game = GameFilter("game")
    preset = PresetFilter("preset")
    seats = NumberFilter("seats")
    state = filters.ChoiceFilter(choices=Ladder.State.choices)


class Ladders(ListView):
    """The ladders."""

    is_same_for_everyone = True
    write = staticmethod(ladder_out)
    filterset_class = LadderFilter
    page_ordering = "id"

    def rows(self) -> QuerySet[Ladder]:
        """One for each preset and number of seats that the installation plays."""
        return ladders()


class OneLadder(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(LadderOut))
    def get(self, request: Request, ladder: str) -> Response:
        """Show a ladder.

        For its ranking, use /ratings?list= with the list of its season.
        """
        return self.respond(ladder_out, ladder_get(ladder))


class SeasonFilter(ListFilters):
    name = TextFilter("name", help_text="Name, such as 2026-Q4.")
    state = filters.ChoiceFilter(choices=LadderSeason.State.choices)


class Seasons(ListView):
    """The seasons of a ladder."""

    is_same_for_everyone = True
    write = staticmethod(season_out)
    filterset_class = SeasonFilter

    def rows(self) -> QuerySet[LadderSeason]:
        """Newest first."""
        return seasons_of(ladder_get(self.kwargs["ladder"]))


class OneSeason(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(LadderSeasonWholeOut))
    def get(self, request: Request, ladder: str, season: str) -> Response:
        """Show a season of a ladder.

        Includes the final table once the season is archived.
        """
        return self.respond(season_whole_out, season_get(ladder_get(ladder), season))


class LadderRoundFilter(ListFilters):
    season = IdFilter("season__public_id", help_text="Id of the season.")
    kind = filters.ChoiceFilter(choices=LadderRound.Kind.choices)
    state = filters.ChoiceFilter(choices=LadderRound.State.choices)


class LadderRounds(ListView):
    """The rounds of a ladder.

    For fixtures and boards, see the tournament of the round.
    """

    is_same_for_everyone = True
    write = staticmethod(round_out)
    filterset_class = LadderRoundFilter

    def rows(self) -> QuerySet[LadderRound]:
        """Newest first, with the reason for each pairing."""
        return rounds_of(ladder_get(self.kwargs["ladder"]))


class PlacementFilter(ListFilters):
    player = HandleFilter("bot__owner__handle", help_text="The handle of the bot's owner.")
    bot = IdFilter("bot__public_id")
    version = IdFilter("version__public_id")
    placed = FlagFilter("left_at", lookup_expr="isnull", help_text="true: only current placements.")
    left_reason = filters.ChoiceFilter(choices=Placement.LeftReason.choices)


class Placements(ListView):
    """Placements on a ladder."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(placement_out)
    filterset_class = PlacementFilter

    def rows(self) -> QuerySet[Placement]:
        """Newest first; ended placements have a reason."""
        return placements_of(ladder_get(self.kwargs["ladder"]))

    @extend_schema(request=PlacementIn, responses={201: schema_of(PlacementOut)})
    def post(self, request: Request, ladder: str) -> Response:
        """Place a version on a ladder.

        It plays from the next round on. Another version of the same bot leaves the ladder.
        """
        data = validated_body(PlacementIn, request)
        version = version_get(data["version"], request.user)
        placement = placement_create(self.user, ladder_get(ladder), version, data.get("season"))
        return self.created(placement_out, placement, "placement", ladder, placement.public_id)


class OnePlacement(AccountView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, ladder: str, placement: str) -> Response:
        """Remove a version from a ladder.

        Only its owner may do this. The current round is played to its end.
        """
        placement_end(placement_get(ladder_get(ladder), placement), self.user)
        return Response(status=204)
