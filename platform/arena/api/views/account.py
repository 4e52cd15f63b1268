"""Endpoints: your account, tokens, notices and the audit trail."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken, AuditEvent, Notice
from arena.accounts.selectors import notices_for, scopes_allowed, token_get, tokens_of
from arena.accounts.services import notice_read, token_create, token_revoke
from arena.api.answers.account import (
    CreatedTokenOut,
    MeOut,
    NoticeOut,
    audit_out,
    created_token_out,
    notice_out,
    token_out,
)
from arena.api.base.auth import scopes_of
from arena.api.base.filters import (
    FlagFilter,
    IdFilter,
    ListFilters,
    ObjectKindFilter,
    TextFilter,
    TimeFilter,
    UsernameFilter,
)
from arena.api.base.serializers import EmptyBody, validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
from arena.api.serializers.account import TokenIn
from arena.common.errors import Forbidden
from arena.matches.fixture_selectors import audit_about, audit_trail_of
from arena.roster.selectors import handle_of


class MeView(AccountView):
    @extend_schema(responses=schema_of(MeOut))
    def get(self, request: Request) -> Response:
        """Get your account, roles and the scopes of this request."""
        user = self.user
        answer: MeOut = {
            "id": user.public_id,
            "username": user.username,
            "handle": handle_of(user),
            "is_organiser": user.is_organiser,
            "is_staff": user.is_staff,
            "scopes": scopes_of(request),
        }
        return Response(answer)


class TokenListView(AccountView, ListView):
    """Your API tokens."""

    write_scope = ApiToken.Scope.TOKENS
    write = staticmethod(token_out)
    write_rate = "tokens"
    returns_secret = True

    def rows(self) -> QuerySet[ApiToken]:
        """Includes revoked ones."""
        return tokens_of(self.user)

    @extend_schema(request=TokenIn, responses={201: schema_of(CreatedTokenOut)})
    def post(self, request: Request) -> Response:
        """Create a token.

        Its scopes must be among those of the calling token. Returns the token's text, which is not stored.
        """
        data = validated_body(TokenIn, request)
        organise = ApiToken.Scope.ORGANISE
        if organise in data["scopes"] and organise not in scopes_allowed(self.user):
            raise Forbidden(
                "This account is not an organiser's, so that no token of it can have the scope "
                f"{str(organise)!r}: ask the operator to make it one, or leave the scope out.",
                "organiser_role_required",
                field="scopes",
                allowed=scopes_of(request),
            )
        token, plain = token_create(self.user, **data, actor=self.user, within=scopes_of(request))
        return self.created(created_token_out, (token, plain), "token", token.public_id)


class TokenView(AccountView):
    write_scope = ApiToken.Scope.TOKENS

    @extend_schema(responses={204: None})
    def delete(self, request: Request, token: str) -> Response:
        """Revoke a token."""
        token_revoke(token_get(token, self.user), self.user)
        return Response(status=204)


class AuditFilter(ListFilters):
    action = TextFilter(help_text="Such as start, enter, adjudicate.")
    kind = ObjectKindFilter(
        help_text="Kind of object: tournament, entry, fixture, table, bot, botversion, ..."
    )
    object = IdFilter(
        method="about",
        help_text="A public id. That of a tournament includes actions on its fixtures and tables.",
    )
    actor = UsernameFilter("actor__username", help_text="A username.")
    since = TimeFilter("created_at", "gte", help_text="At or after this time.")
    until = TimeFilter("created_at", "lt", help_text="Before this time.")

    def about(self, rows: QuerySet[AuditEvent], name: str, public_id: str) -> QuerySet[AuditEvent]:
        return audit_about(rows, public_id)


class AuditListView(AccountView, ListView):
    """Entries of the audit trail."""

    write = staticmethod(audit_out)
    filterset_class = AuditFilter

    def rows(self) -> QuerySet[AuditEvent]:
        """Returns your own actions; for organisers, also those on their tournaments; for staff, all."""
        return audit_trail_of(self.user)


class NoticeFilter(ListFilters):
    unread = FlagFilter("read_at", "isnull", help_text="true: only unread notices.")
    kind = filters.MultipleChoiceFilter(choices=Notice.Kind.choices)


class NoticeListView(AccountView, ListView):
    """Your notices."""

    write = staticmethod(notice_out)
    filterset_class = NoticeFilter

    def rows(self) -> QuerySet[Notice]:
        """Includes read ones."""
        return notices_for(self.user)


class NoticeReadView(AccountView):
    @extend_schema(request=EmptyBody, responses=schema_of(NoticeOut))
    def post(self, request: Request, notice: str) -> Response:
        """Mark a notice as read."""
        validated_body(EmptyBody, request)
        return self.respond(notice_out, notice_read(notice, self.user))
