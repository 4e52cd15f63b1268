"""The ways in which an account can sign in: password, passkeys, an identity at the provider."""

from __future__ import annotations

from django.conf import settings

from arena.accounts.models import Passkey, ProviderIdentity, User


def can_sign_in(user: User, *, without: Passkey | ProviderIdentity | None = None) -> bool:
    """Return whether the account has a way to sign in, other than ``without``. At most two queries.

    Identities at an issuer that is not configured do not count.
    """
    if user.has_usable_password():
        return True
    passkeys, identities = user.passkeys.all(), user.provider_identities.all()
    if isinstance(without, Passkey):
        passkeys = passkeys.exclude(pk=without.pk)
    elif without is not None:
        identities = identities.exclude(pk=without.pk)
    if passkeys.exists():
        return True
    return settings.OIDC is not None and identities.filter(issuer=settings.OIDC.issuer).exists()
