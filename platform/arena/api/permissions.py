"""Scopes by method. Roles are the services' affair: a scope only narrows what its user's role allows."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from arena.accounts.models import ApiToken, User
from arena.accounts.selectors import scopes_allowed

Scope = ApiToken.Scope


def scopes_of(request: Request) -> list[str]:
    """What this request may do: its token's scopes, or all that a signed-in user's role allows."""
    if isinstance(request.auth, ApiToken):
        return list(request.auth.scopes)
    return scopes_allowed(request.user) if isinstance(request.user, User) else []


class MissingScope(PermissionDenied):
    """The token was not made for this; says which scope is needed."""

    default_code = "scope_missing"

    def __init__(self, scope: str, held: list[str]) -> None:
        self.extra = {"needed_scope": scope, "scopes": held}
        super().__init__(
            f"This needs a token with the scope {scope!r}; yours has {', '.join(held) or 'none'}."
        )


class ScopedReadOnly(BasePermission):
    """Reading for all, a token needs ``read``; writing only where the view names its ``write_scope``."""

    reads_alone = False
    """Whether reading, too, needs an account."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Raises MissingScope for a token without the scope; False where an account is needed and missing."""
        is_read = request.method in SAFE_METHODS
        scope = Scope.READ if is_read else getattr(view, "write_scope", None)
        if not request.user.is_authenticated:
            return is_read and not self.reads_alone
        if scope is None:
            return False
        held = scopes_of(request)
        if scope not in held and not (is_read and view.is_same_for_all):
            raise MissingScope(str(scope), held)
        return True


class SignedIn(ScopedReadOnly):
    """As ScopedReadOnly, but nothing for anonymous callers."""

    reads_alone = True
