"""What belongs to one tournament: entries, rounds, fixtures, standings, changes, fairness, export."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.caching import download
from arena.api.filters import Filters, IdFilter, NumberFilter, TextFilter
from arena.api.permissions import SignedIn
from arena.api.problems import problem
from arena.api.selectors import entries_of, entry_get, fairness_of, standings_by_stage
from arena.api.serializers.base import checked
from arena.api.serializers.competition import (
    EntryIn,
    EntryOut,
    FairnessOut,
    RoundOut,
    StageStandingsOut,
)
from arena.api.serializers.matches import FixtureOut
from arena.api.verbs import telling_whats_allowed
from arena.api.views.base import AnyType, Listing, View
from arena.competition.models import Entry, Round
from arena.competition.selectors import tournament_get
from arena.competition.services import entry_create, entry_withdraw
from arena.matches.changes import change_of
from arena.matches.feed import BUSY_RETRY_S, STREAM_HEADERS, FeedFull, hub
from arena.matches.models import Fixture
from arena.matches.selectors import fixtures_visible_to
from arena.roster.selectors import version_get
from arena.standings.export import tournament_export


class EntryFilter(Filters):
    """Filters of a list of entries."""

    status = filters.ChoiceFilter(choices=Entry.Status.choices)
    player = TextFilter("player__handle", help_text="The player's handle.")

    class Meta:
        model = Entry
        fields = ("status", "player")


class Entries(Listing):
    """Entries of a tournament."""

    model = Entry
    write_scope = ApiToken.Scope.BOTS
    serializer_class = EntryOut
    filterset_class = EntryFilter
    page_ordering = "id"

    def rows(self) -> QuerySet[Entry]:
        """In the order they entered, withdrawn ones included."""
        return entries_of(tournament_get(self.kwargs["tournament"], self.request.user))

    @extend_schema(request=EntryIn, responses={201: EntryOut})
    def post(self, request: Request, tournament: str) -> Response:
        """Enter a ready version of one's own."""
        wanted = checked(EntryIn, request)
        found = tournament_get(tournament, request.user)
        version = version_get(wanted["version"], request.user)
        partner = wanted.get("partner_version")
        with telling_whats_allowed(found, self.user):
            entry = entry_create(
                found,
                version,
                self.user,
                partner_version=version_get(partner, request.user) if partner else None,
                seed=wanted.get("seed"),
            )
        return self.answer(EntryOut, entry, 201)


class OneEntry(View):
    """An entry."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses={204: None})
    def delete(self, request: Request, tournament: str, entry: str) -> Response:
        """Withdraw an entry while registration is open; its owner's or the organiser's right."""
        found = tournament_get(tournament, request.user)
        with telling_whats_allowed(found, self.user):
            entry_withdraw(entry_get(found, entry), self.user)
        return Response(status=204)


class Rounds(Listing):
    """Rounds of a tournament."""

    model = Round
    serializer_class = RoundOut
    page_ordering = ("stage_id", "number")

    def rows(self) -> QuerySet[Round]:
        """In the order they are played."""
        tournament = tournament_get(self.kwargs["tournament"], self.request.user)
        return Round.objects.filter(stage__tournament=tournament).select_related("stage", "board_set")


class FixtureFilter(Filters):
    """Filters of a list of fixtures. There is none by state: it would tell what the seal hides."""

    stage = NumberFilter("board_set__round__stage__number")
    round = NumberFilter("board_set__round__number")
    entry = IdFilter("sides__entry__public_id")

    class Meta:
        model = Fixture
        fields = ("stage", "round", "entry")


class Fixtures(Listing):
    """Fixtures of a tournament."""

    model = Fixture
    serializer_class = FixtureOut
    filterset_class = FixtureFilter
    page_ordering = ("board_set_id", "number")

    def rows(self) -> QuerySet[Fixture]:
        """In the order of their rounds."""
        tournament = tournament_get(self.kwargs["tournament"], self.request.user)
        return fixtures_visible_to(self.request.user).filter(board_set__round__stage__tournament=tournament)


class Standings(View):
    """Standings of a tournament."""

    @extend_schema(responses=StageStandingsOut(many=True))
    def get(self, request: Request, tournament: str) -> Response:
        """Show the standings of every stage begun, after its closed rounds."""
        found = tournament_get(tournament, request.user)
        return self.answer(StageStandingsOut, standings_by_stage(found), many=True)


class Changes(View):
    """Following a tournament."""

    content_negotiation_class = AnyType

    @extend_schema(
        responses={
            (200, "text/event-stream"): OpenApiTypes.STR,
            204: OpenApiResponse(description="The tournament is over: nothing will change any more."),
        }
    )
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Follow changes as server-sent events; each says only that there is something new to fetch."""
        found = tournament_get(tournament, request.user)
        if (change := change_of(found.pk)) is None or change.is_last:
            return HttpResponse(status=204)
        try:
            listener = async_to_sync(hub.joined)(found.pk)
        except FeedFull:
            text = f"Too many follow live here just now; ask again in {BUSY_RETRY_S} s, or poll."
            return problem(503, "too_many_listeners", text, headers={"Retry-After": str(BUSY_RETRY_S)})
        return StreamingHttpResponse(
            listener.events(), content_type="text/event-stream", headers=STREAM_HEADERS
        )


class Fairness(View):
    """Commitment, digests and seeds."""

    @extend_schema(responses=FairnessOut)
    def get(self, request: Request, tournament: str) -> Response:
        """Show what lets anybody check that the deals were fixed before play."""
        return self.answer(FairnessOut, fairness_of(tournament_get(tournament, request.user)))


class Export(View):
    """The whole event as an archive."""

    content_negotiation_class = AnyType

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get a zip with everything unsealed; rensho verify checks it."""
        found = tournament_get(tournament, request.user)
        return download(tournament_export(found, request.user), "application/zip", f"{tournament}.zip")
