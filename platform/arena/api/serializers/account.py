"""Accounts, tokens and the audit trail."""

from __future__ import annotations

from rest_framework import serializers

from arena.accounts.models import ApiToken, AuditEvent, Notice
from arena.api.base.serializers import Body, Choice, Items, Moment, PublicId, RowOut


class TokenIn(Body):
    """A token to make."""

    name = serializers.CharField(max_length=80)
    scopes = Items(child=Choice(ApiToken.Scope.choices), max_length=len(ApiToken.Scope))
    expires_at = Moment(required=False, allow_null=True)


class TokenOut(RowOut[ApiToken]):
    """A token without its text."""

    id = PublicId()
    scopes = serializers.ListField(child=Choice(ApiToken.Scope.choices), read_only=True)

    class Meta:
        model = ApiToken
        fields = ("id", "name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")


class TokenMade(TokenOut):
    """A new token with its text, shown this once."""

    token = serializers.CharField(read_only=True, help_text="Keep it: it cannot be shown again.")

    class Meta:
        model = ApiToken
        fields = (*TokenOut.Meta.fields, "token")


class AuditOut(RowOut[AuditEvent]):
    """One action."""

    actor = serializers.CharField(source="actor.username", allow_null=True, default=None, read_only=True)
    object = serializers.CharField(source="object_id", read_only=True)
    before = serializers.DictField(read_only=True)
    after = serializers.DictField(read_only=True)

    class Meta:
        model = AuditEvent
        fields = ("at", "actor", "verb", "kind", "object", "before", "after")


class NoticeOut(RowOut[Notice]):
    """Something the account is told."""

    id = PublicId()
    url = serializers.SerializerMethodField(help_text="The page to read on; empty if there is none.")

    class Meta:
        model = Notice
        fields = ("id", "kind", "text", "url_path", "url", "created_at", "read_at")

    def get_url(self, notice: Notice) -> str:
        """Absolute."""
        path = notice.url_path
        return str(self.context["request"].build_absolute_uri(path)) if path else ""
