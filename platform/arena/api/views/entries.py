"""Endpoints: entries and invitations."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.entries import EntryOut, InvitationOut, entry_out, invitation_out
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.filters import HandleFilter, IdFilter, ListFilters
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ActionView, ApiView, ListView
from arena.api.serializers.competition import OptionalReason, WithdrawIn
from arena.api.serializers.entries import EntryChange, EntryIn, InvitationIn
from arena.competition import services
from arena.competition.entries.invitations import invitations_of, player_named
from arena.competition.models import Entry, Invitation, Tournament
from arena.competition.selectors import entries_of, entry_get, require_organiser, tournament_get
from arena.jobs.flow import tournament_advance
from arena.roster.selectors import version_get


class EntryFilter(ListFilters):
    status = filters.MultipleChoiceFilter(choices=Entry.Status.choices)
    player = HandleFilter("player__handle", help_text="The player's handle.")
    version = IdFilter("version__public_id", help_text="Version in the lower seat.")


class EntryListView(ListView):
    """Entries of a tournament."""

    write_scope = ApiToken.Scope.BOTS
    write_parameters = ("dry_run",)
    filterset_class = EntryFilter
    page_ordering = "id"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.interests: dict[int, bool] = {}

    def write(self, entry: Entry, request: Request) -> EntryOut:
        return entry_out(entry, request, self.interests)

    def rows(self) -> QuerySet[Entry]:
        """In the order of entering, including withdrawn ones."""
        return entries_of(tournament_get(self.kwargs["tournament"], self.request.user))

    @extend_schema(request=EntryIn, responses={201: schema_of(EntryOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Enter a version in a tournament.

        The version must be ready and yours; organisers may also enter public house bots. With a partner
        version of another player, the entry is pending until its owner confirms.
        """
        data = validated_body(EntryIn, request)
        instance = tournament_get(tournament, request.user)
        version = version_get(data["version"], request.user)
        partner = data.get("partner_version")
        with explain_conflicts(instance, self.user), rollback_if_dry_run(self.is_dry_run):
            entry = services.entry_create(
                instance,
                version,
                self.user,
                partner_version=version_get(partner, request.user) if partner else None,
                seed=data.get("seed"),
                accepts_partners=data["accepts_partners"],
            )
            return self.created(entry_out, entry, "entry", tournament, entry.public_id)


class EntryView(ApiView):
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses=schema_of(EntryOut))
    def get(self, request: Request, tournament: str, entry: str) -> Response:
        """Get an entry."""
        instance = tournament_get(tournament, request.user)
        return self.respond(entry_out, entry_get(instance, entry))

    @extend_schema(request=EntryChange, responses=schema_of(EntryOut))
    def patch(self, request: Request, tournament: str, entry: str) -> Response:
        """Set or clear the seed of an entry.

        For the organiser, until the lock.
        """
        instance = tournament_get(tournament, request.user)
        seeded = entry_get(instance, entry)
        data = validated_body(EntryChange, request)
        with explain_conflicts(instance, self.user, seeded):
            services.entry_seed(seeded, data["seed"], self.user)
        return self.respond(entry_out, entry_get(instance, entry))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, tournament: str, entry: str) -> Response:
        """Withdraw an entry with DELETE.

        The same as ``withdraw`` without a reason.
        """
        instance = tournament_get(tournament, request.user)
        leaving = entry_get(instance, entry)
        with explain_conflicts(instance, self.user, leaving):
            services.entry_withdraw(leaving, self.user)
        tournament_advance(instance)
        return Response(status=204)


class EntryActionView(ActionView):
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses=schema_of(EntryOut))
    def post(self, request: Request, tournament: str, entry: str) -> Response:
        """Run the action, advance the tournament, and return the entry; in a dry run, as it would be."""
        instance = tournament_get(tournament, request.user)
        moved = entry_get(instance, entry)
        with explain_conflicts(instance, self.user, moved), rollback_if_dry_run(self.is_dry_run):
            self.service(moved, self.user, **validated_body(self.body, request))
            if not self.is_dry_run:
                tournament_advance(instance)
            return self.respond(entry_out, entry_get(instance, entry))


class WithdrawView(EntryActionView):
    """Withdraw an entry.

    After the lock the entry leaves: no further round is paired with it, and it forfeits its unfinished
    fixtures. For each owner and the organiser.
    """

    body = WithdrawIn
    service = staticmethod(services.entry_withdraw)


class ConfirmView(EntryActionView):
    """Confirm a pair that includes your version.

    The entry is entered from now on.
    """

    service = staticmethod(services.entry_confirm)


class DeclineView(EntryActionView):
    """Decline a pair that includes your version.

    The entry is withdrawn.
    """

    body = OptionalReason
    service = staticmethod(services.entry_decline)


class InvitationListView(AccountView, ListView):
    """Invitations to a tournament."""

    write_scope = ApiToken.Scope.ORGANISE
    write = staticmethod(invitation_out)
    page_ordering = "id"

    def rows(self) -> QuerySet[Invitation]:
        """In the order of invitation. For the organiser and staff."""
        return invitations_of(tournament_get(self.kwargs["tournament"], self.request.user), self.user)

    @extend_schema(request=InvitationIn, responses={201: schema_of(InvitationOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Invite a player.

        Idempotent. The player gets a notice once entry is open.
        """
        data = validated_body(InvitationIn, request)
        instance = _organised_tournament(tournament, self)
        with explain_conflicts(instance, self.user):
            invitation = services.invitation_add(instance, player_named(data["player"]), self.user)
        return self.created(invitation_out, invitation, "invitation", tournament, invitation.player.handle)


class InvitationView(AccountView):
    write_scope = ApiToken.Scope.ORGANISE

    @extend_schema(responses={204: None})
    def delete(self, request: Request, tournament: str, player: str) -> Response:
        """Withdraw an invitation.

        By the player's handle, unless the player has entered.
        """
        instance = _organised_tournament(tournament, self)
        with explain_conflicts(instance, self.user):
            services.invitation_remove(instance, player_named(player), self.user)
        return Response(status=204)


def _organised_tournament(public_id: str, view: ApiView) -> Tournament:
    """Return the tournament if the caller runs it; nobody else can find out which handles exist."""
    instance = tournament_get(public_id, view.request.user)
    require_organiser(view.user, instance)
    return instance


ACTION_VIEWS: dict[str, type[EntryActionView]] = {
    "withdraw": WithdrawView,
    "confirm": ConfirmView,
    "decline": DeclineView,
}
"""View by the last part of its URL."""
