"""Permissions of the API of remote bots."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from arena.accounts.models import ApiToken
from arena.api.base.auth import MissingScope, ScopedReadOnly, scopes_of

CONNECT = ApiToken.Scope.CONNECT


class ConnectOrRead(ScopedReadOnly):
    """Like ``ScopedReadOnly``, but a token with ``bots:connect`` may read too."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the request is permitted; raise MissingScope."""
        return CONNECT in scopes_of(request) or super().has_permission(request, view)


class ConnectToken(ConnectOrRead):
    """Requires a token with ``bots:connect``, for every method.

    A session is refused: another site could make a browser open a stream, which would replace a bot's.
    """

    reads_alone = True

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return False for anonymous requests; raise MissingScope without the scope or without a token."""
        if not request.user.is_authenticated:
            return False
        token_scopes = scopes_of(request) if isinstance(request.auth, ApiToken) else []
        if CONNECT not in token_scopes:
            raise MissingScope(str(CONNECT), token_scopes)
        return True
