"""Bearer tokens: ``Authorization: Bearer rensho_...``."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from arena.accounts.models import ApiToken, User
from arena.accounts.services import token_find, token_refusal

SCHEME = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """The user a token stands for; the token itself, with its scopes, becomes ``request.auth``."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """None if there is no such header, so that a session or nobody may ask instead.

        Raises:
            AuthenticationFailed: the header is malformed, or the token unknown, expired or revoked.
        """
        words = get_authorization_header(request).split()
        if not words:
            return None
        if words[0].lower() != SCHEME.lower().encode() or len(words) != 2:
            raise AuthenticationFailed("Write the header as: Authorization: Bearer rensho_...", "bad_header")
        plain = words[1].decode("latin-1")
        token = token_find(plain)
        if token is None:
            raise AuthenticationFailed(token_refusal(plain), "token_refused")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return SCHEME
