"""API views of invitations to unrated tables of remote bots."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.serializers import EmptyBody, RequestBody, validated_body
from arena.api.base.shapes import build_shape, schema_of
from arena.api.base.views import ApiView, ListView
from arena.features.remote.api.auth import CONNECT, ConnectOrRead
from arena.features.remote.invitations import (
    invitation_accept,
    invitation_create,
    invitation_decline,
    invitation_get,
    invitations_of,
)
from arena.features.remote.models import RemoteInvitation
from arena.features.remote.selectors import version_get


class RemoteInvitationIn(RequestBody):
    """An invitation to an unrated table of two remote bots."""

    inviting = serializers.CharField(max_length=16, help_text="Id of a version of yours.")
    invited = serializers.CharField(max_length=16, help_text="Id of another player's version.")
    preset = serializers.CharField(max_length=40, help_text="Such as kakeya4.")
    is_slow = serializers.BooleanField(
        required=False, default=False, help_text="Whether to use the slow clock."
    )


class RemoteInvitationOut(TypedDict):
    """An invitation of a remote bot to an unrated table."""

    id: str
    inviting: Annotated[str | None, "Id of the version that invites; null if a person does."]
    inviting_name: Annotated[str | None, "Name of its bot."]
    person: Annotated[str | None, "Handle of the person who invites; null if a version does."]
    invited: Annotated[str, "Id of the invited version."]
    invited_name: Annotated[str, "Name of its bot."]
    preset: str
    is_slow: bool
    state: Annotated[str, "open, accepted, declined or expired; a withdrawn one is expired."]
    table: Annotated[str | None, "Id of the table; null until it was accepted."]
    created_at: datetime.datetime
    answered_at: datetime.datetime | None


def invitation_out(row: RemoteInvitation, _: Request) -> RemoteInvitationOut:
    return build_shape(
        RemoteInvitationOut,
        row,
        inviting=row.inviting.public_id if row.inviting is not None else None,
        inviting_name=row.inviting.bot.name if row.inviting is not None else None,
        person=row.person.handle if row.person is not None else None,
        invited=row.invited.public_id,
        invited_name=row.invited.bot.name,
        table=row.table.public_id if row.table is not None else None,
    )


class OwnInvitations(ConnectOrRead):
    """Like ``ConnectOrRead``, but anonymous callers have no access."""

    reads_alone = True


class RemoteInvitations(ListView):
    """Invitations to unrated tables of remote bots."""

    permission_classes = (OwnInvitations,)
    write_scope = CONNECT
    write = staticmethod(invitation_out)
    page_ordering = "-id"

    def rows(self) -> QuerySet[RemoteInvitation]:
        """The invitations to and from your bots, newest first."""
        return invitations_of(self.user)

    @extend_schema(request=RemoteInvitationIn, responses={201: schema_of(RemoteInvitationOut)})
    def post(self, request: Request) -> Response:
        """Invite a version of a remote bot to an unrated table.

        Open for a day. If its client accepts invitations by itself, the table is opened at once.
        """
        data = validated_body(RemoteInvitationIn, request)
        invitation = invitation_create(
            self.user,
            version_get(data["inviting"]),
            version_get(data["invited"]),
            data["preset"],
            is_slow=data["is_slow"],
        )
        return self.created(invitation_out, invitation, "remote-invitation", invitation.public_id)


class InvitationView(ApiView):
    permission_classes = (OwnInvitations,)
    write_scope = CONNECT


class OneRemoteInvitation(InvitationView):
    @extend_schema(responses=schema_of(RemoteInvitationOut))
    def get(self, request: Request, invitation: str) -> Response:
        """Show an invitation to or from one of your remote bots."""
        return self.respond(invitation_out, invitation_get(self.user, invitation))


class RemoteInvitationAccept(InvitationView):
    @extend_schema(request=EmptyBody, responses=schema_of(RemoteInvitationOut))
    def post(self, request: Request, invitation: str) -> Response:
        """Accept an invitation to an unrated table.

        All its versions must be connected and have a free place.
        """
        validated_body(EmptyBody, request)
        instance = invitation_get(self.user, invitation)
        invitation_accept(self.user, instance)
        return self.respond(invitation_out, instance)


class RemoteInvitationDecline(InvitationView):
    @extend_schema(request=EmptyBody, responses=schema_of(RemoteInvitationOut))
    def post(self, request: Request, invitation: str) -> Response:
        """Decline or withdraw an invitation.

        Its sender withdraws it.
        """
        validated_body(EmptyBody, request)
        instance = invitation_get(self.user, invitation)
        invitation_decline(self.user, instance)
        return self.respond(invitation_out, instance)
