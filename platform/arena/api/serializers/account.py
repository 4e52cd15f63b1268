"""Tokens to make."""

from __future__ import annotations

from rest_framework import serializers

from arena.accounts.models import ApiToken
from arena.api.base.serializers import Body, Choice, Items, Moment


class TokenIn(Body):
    """A token to make."""

    name = serializers.CharField(max_length=80)
    scopes = Items(child=Choice(ApiToken.Scope.choices), max_length=len(ApiToken.Scope))
    expires_at = Moment(required=False, allow_null=True)
