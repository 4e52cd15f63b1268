"""Sign-up, and changes of password and e-mail address by the owner of an account."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from arena.accounts.handles import handle_problem, name_key
from arena.accounts.identities import identity_create
from arena.accounts.links import link_use, links_withdraw
from arena.accounts.models import OneTimeLink, User, audit
from arena.accounts.openid.sign_in import VerifiedIdentity
from arena.accounts.services import security_notice_create
from arena.common.errors import Forbidden, Invalid
from arena.common.site_key import site_keys

EMAIL_CHARACTERS = 254
PASSWORD_CHARACTERS = 1000
"""Maximum length of a password. A longer one is rejected before it is hashed."""


def sign_up_check(invitation: OneTimeLink | None) -> None:
    """Raise Forbidden (``sign_up_closed``, ``invitation_required``) if the setting ``SIGN_UP`` forbids it."""
    if settings.SIGN_UP == "closed":
        raise Forbidden("Sign-up is closed on this site.", "sign_up_closed")
    if settings.SIGN_UP == "invitation" and invitation is None:
        raise Forbidden("You need an invitation to sign up.", "invitation_required")


def account_sign_up(
    username: str,
    password: str = "",
    email: str = "",
    invitation: OneTimeLink | None = None,
    identity: VerifiedIdentity | None = None,
) -> User:
    """Create an account as the setting ``SIGN_UP`` allows, with a password or with an identity.

    Hashes one password. Raises Forbidden (``sign_up_closed``, ``invitation_required``), Invalid (also
    ``username_taken``), NotFound, Conflict (``identity_taken``).
    """
    sign_up_check(invitation)
    if problem := handle_problem(username):
        raise Invalid(problem, "invalid", field="username")
    key = name_key(username)
    taken = Invalid(
        _("%(name)s is taken or looks too much like another name. Choose another one.")
        % {"name": repr(username)},
        "username_taken",
        field="username",
    )
    alike = Q(name_key__in=[key, *_deleted_name_keys(username)]) | Q(username__iexact=username)
    if User.objects.filter(alike).exists():
        raise taken
    user = User(username=username, email=_checked_email(email), name_key=key)
    if identity is None:
        _require_valid_password(password, user)
    user.set_password(password if identity is None else None)
    try:
        with transaction.atomic():
            user.save()
            if invitation is not None:
                link_use(invitation)
            if identity is not None:
                identity_create(user, identity)
            audit(user, "sign_up", user, invitation=invitation.public_id if invitation else "")
    except IntegrityError:  # a concurrent sign-up took the name
        raise taken from None
    return user


def deleted_name_key(username: str) -> str:
    """Return a keyed hash that reserves the name of a deleted account without storing the name."""
    return _deleted_name_keys(username)[0]


def _deleted_name_keys(username: str) -> list[str]:
    """Return the hash with each of the keys, as the name may have been deleted under an earlier one."""
    digests = [
        salted_hmac("rensho.gone", name_key(username), key, algorithm="sha256").hexdigest()
        for key in site_keys()
    ]
    return [f"gone:{digest}" for digest in digests]


def password_change(user: User, password: str, *, link: OneTimeLink | None = None) -> None:
    """Set a new password, for the signed-in owner or with a ``link``, which is used up.

    Ends all sessions; tokens and passkeys stay valid. The caller keeps its own session with
    ``update_session_auth_hash``. Raises Invalid, NotFound (``link_not_found``).
    """
    _require_valid_password(password, user)
    user.set_password(password)
    with transaction.atomic():
        if link is not None:
            link_use(link)
        links_withdraw(user)
        user.save(update_fields=["password"])
        user.browser_sessions.all().delete()
        audit(user, "change_password", user, by="link" if link else "owner")
        security_notice_create(user, "password_changed")


def email_change(user: User, email: str) -> None:
    """Set another mail address, or none. Invalidates the account's links. Raises Invalid."""
    before, user.email = user.email, _checked_email(email)
    with transaction.atomic():
        links_withdraw(user)
        user.save(update_fields=["email"])
        audit(user, "change_email", user)
        if before != user.email:
            security_notice_create(user, "email_changed")


def _checked_email(email: str) -> str:
    email = User.objects.normalize_email(email.strip())
    try:
        if email:
            validate_email(email)
    except ValidationError:
        raise Invalid("Enter an e-mail address such as aya@example.org.", "invalid", field="email") from None
    if len(email) > EMAIL_CHARACTERS:
        raise Invalid(f"An address has at most {EMAIL_CHARACTERS} characters.", "invalid", field="email")
    return email


def password_problem(password: str, user: User) -> str:
    """Return why an account cannot have this password, in translated sentences; empty if it can."""
    if len(password) > PASSWORD_CHARACTERS:
        return _("A password can have at most %(most)d characters.") % {"most": PASSWORD_CHARACTERS}
    try:
        validate_password(password, user)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def _require_valid_password(password: str, user: User) -> None:
    if problem := password_problem(password, user):
        raise Invalid(problem, "invalid", field="password")
