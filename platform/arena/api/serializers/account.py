"""Request bodies: tokens."""

from __future__ import annotations

from rest_framework import serializers

from arena.accounts.models import ApiToken
from arena.api.base.serializers import BoundedListField, MomentField, NamedChoiceField, RequestBody


class TokenIn(RequestBody):
    """A token to create."""

    name = serializers.CharField(max_length=80)
    scopes = BoundedListField(child=NamedChoiceField(ApiToken.Scope.choices), max_length=len(ApiToken.Scope))
    expires_at = MomentField(required=False, allow_null=True)
