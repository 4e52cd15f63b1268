"""Identities at the OpenID Connect provider: sign in, link and unlink.

Issuer and subject identify a person. Names and e-mail addresses of the provider never select an account, and
no role follows from an identity.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.accounts.credentials import can_sign_in
from arena.accounts.models import ProviderIdentity, User, audit
from arena.accounts.openid.sign_in import VerifiedIdentity
from arena.accounts.services import security_notice_create
from arena.common.errors import Conflict, NotFound, mark_translated


def identity_sign_in(identity: VerifiedIdentity) -> User | None:
    """Return the account of an identity and record the use; None if it is linked to none.

    Raises Conflict (``account_inactive``).
    """
    row = _row_of(identity)
    if row is None:
        return None
    if not row.user.is_active:
        message = _("This account is disabled. Ask the operator of this site.")
        raise mark_translated(Conflict(message, "account_inactive"))
    ProviderIdentity.objects.filter(pk=row.pk).update(last_used_at=timezone.now(), name=identity.name)
    return row.user


def identity_confirm(user: User, identity: VerifiedIdentity) -> None:
    """Check that an identity belongs to the account. Raises Conflict (``identity_mismatch``)."""
    row = _row_of(identity)
    if row is None or row.user_id != user.pk:
        message = _("You confirmed with an identity that is not linked to the account %(name)s.")
        raise mark_translated(Conflict(message % {"name": user.username}, "identity_mismatch"))


def identity_link(user: User, identity: VerifiedIdentity) -> ProviderIdentity:
    """Link an identity to the account; the same one again changes nothing.

    Raises Conflict (``identity_taken``: another account has it; ``identity_exists``: the account has another
    identity at the issuer).
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        present = user.provider_identities.filter(issuer=identity.issuer).first()
        if present is not None and present.subject == identity.subject:
            return present
        if present is not None:
            message = _("Your account is already linked to another identity. Unlink that one first.")
            raise mark_translated(Conflict(message, "identity_exists"))
        row = identity_create(user, identity)
        security_notice_create(user, "identity_linked", name=host_of(row))
        return row


def identity_create(user: User, identity: VerifiedIdentity) -> ProviderIdentity:
    """Store an identity of an account that has none at this issuer. Raises Conflict (``identity_taken``)."""
    try:
        with transaction.atomic():
            row = ProviderIdentity.objects.create(
                user=user, issuer=identity.issuer, subject=identity.subject, name=identity.name
            )
    except IntegrityError:
        message = _("This identity is already linked to another account. Sign in with it instead.")
        raise mark_translated(Conflict(message, "identity_taken")) from None
    audit(user, "link", row, issuer=identity.issuer)
    return row


def identity_unlink(user: User, public_id: str) -> ProviderIdentity:
    """Unlink an identity. Raises NotFound (``identity_not_found``), Conflict (``last_credential``)."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        row = user.provider_identities.filter(public_id=public_id).first() if public_id.isalnum() else None
        if row is None:
            message = _("Your account is not linked to this identity.")
            raise mark_translated(NotFound(message, "identity_not_found"))
        if can_sign_in(user) and not can_sign_in(user, without=row):
            message = _("This is the only way to sign in to your account. Set a password first.")
            raise mark_translated(Conflict(message, "last_credential"))
        audit(user, "unlink", row, {"issuer": row.issuer})
        security_notice_create(user, "identity_unlinked", name=host_of(row))
        row.delete()
    return row


def host_of(row: ProviderIdentity) -> str:
    """Return the host name of the provider."""
    return urlsplit(row.issuer).hostname or row.issuer


def _row_of(identity: VerifiedIdentity) -> ProviderIdentity | None:
    rows = ProviderIdentity.objects.select_related("user")
    return rows.filter(issuer=identity.issuer, subject=identity.subject).first()
