"""Bearer tokens (``Authorization: Bearer rensho_...``), and permissions by scope and method.

Services enforce roles; a scope only narrows what the user's role allows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from arena.accounts.models import ApiToken, User
from arena.accounts.selectors import scopes_allowed
from arena.accounts.services import token_authenticate, token_refusal
from arena.common.credentials import Credential

Scope = ApiToken.Scope
SCHEME = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Authenticates the user of a token. ``request.auth`` becomes the token, with its scopes."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return user and token, or None without the header, so that session authentication is tried next.

        Raises:
            AuthenticationFailed: the header is malformed, or the token is unknown, expired or revoked.
        """
        parts = get_authorization_header(request).split()
        if not parts:
            return None
        if parts[0].lower() != SCHEME.lower().encode() or len(parts) != 2:
            raise AuthenticationFailed(
                "Write the header as: Authorization: Bearer rensho_...",
                "invalid_authorization",
            )
        plain = parts[1].decode("latin-1")
        token = token_authenticate(plain)
        if token is None:
            raise AuthenticationFailed(token_refusal(plain), "invalid_token")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


def authenticate_counted(request: Request, authenticate: Callable[[], None]) -> None:
    """Authenticate a request, and count failures per address.

    Raises:
        Throttled: the address has sent too many invalid tokens or sessions.
        AuthenticationFailed: as ``authenticate``.
    """
    text = request.META.get("HTTP_AUTHORIZATION") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not text:
        authenticate()
        return
    credential = Credential(request, text)
    if wait_s := credential.wait_s():
        raise Throttled(wait_s)
    try:
        authenticate()
    except AuthenticationFailed:
        credential.record_failure()
        raise
    if isinstance(request.user, User):
        credential.record_success()
    else:
        credential.record_failure()


def scopes_of(request: Request) -> list[str]:
    """Return the scopes of this request's token, or all that a signed-in user's role allows."""
    if isinstance(request.auth, ApiToken):
        return list(request.auth.scopes)
    return scopes_allowed(request.user) if isinstance(request.user, User) else []


class MissingScope(PermissionDenied):
    """The token lacks a scope, which the error names."""

    default_code = "scope_missing"

    def __init__(self, scope: str, token_scopes: list[str]) -> None:
        self.extra = {"needed_scope": scope, "scopes": token_scopes}
        super().__init__(
            f"This needs a token with the scope {scope!r}; yours has {', '.join(token_scopes) or 'none'}."
        )


class NotAnOrganiser(PermissionDenied):
    """No token of this account can have the scope, because of the account's role."""

    default_code = "organiser_role_required"

    def __init__(self, token_scopes: list[str]) -> None:
        self.extra = {"needed_scope": str(Scope.ORGANISE), "scopes": token_scopes}
        super().__init__(
            "This account is not an organiser's; ask the operator to make it one, then take a token with the "
            f"scope {str(Scope.ORGANISE)!r}."
        )


class ScopedReadOnly(BasePermission):
    """Everyone may read; a token needs ``read``. Writing needs the view's ``write_scope``."""

    reads_alone = False
    """Whether reading needs an account too."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the request is permitted; raise MissingScope or NotAnOrganiser for a token without
        the scope.
        """
        is_read = request.method in SAFE_METHODS
        scope = Scope.READ if is_read else getattr(view, "write_scope", None)
        if not request.user.is_authenticated:
            return is_read and not self.reads_alone
        if scope is None:
            return False
        token_scopes = scopes_of(request)
        if scope not in token_scopes and not (is_read and view.is_same_for_everyone):
            if scope not in scopes_allowed(request.user):
                raise NotAnOrganiser(token_scopes)
            raise MissingScope(str(scope), token_scopes)
        return True


class SignedIn(ScopedReadOnly):
    """Like ``ScopedReadOnly``, but anonymous callers have no access."""

    reads_alone = True
