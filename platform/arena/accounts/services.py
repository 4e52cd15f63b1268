"""Create and change accounts, API tokens and notices."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from arena.accounts.handles import name_key
from arena.accounts.house import is_house_account
from arena.accounts.models import ApiToken, Notice, User, audit, new_token, token_hash
from arena.accounts.selectors import scopes_allowed
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound
from arena.common.names import name_checked
from arena.common.notes import Note

NEW_TOKEN_ADVICE = "Create a new one on the site: sign in and open /me/tokens."
LAST_USED_RESOLUTION = timedelta(minutes=1)
"""Minimum time between two updates of a token's ``last_used_at``."""
TOKEN_NAME_CHARACTERS = 80
UNDO_S = 10
"""Seconds within which the owner can restore a revoked token."""
UNDO_GRACE_S = 5


def user_create(
    username: str,
    *,
    password: str | None = None,
    email: str = "",
    is_organiser: bool = False,
    is_staff: bool = False,
    actor: User | None = None,
) -> User:
    """Create an account. Without a password it can use tokens but not sign in. Raises Invalid."""
    if User.objects.filter(username__iexact=username).exists():
        raise Invalid(
            f"The name {username!r} is taken. Choose another one.", "username_taken", field="username"
        )
    key = free_name_key(username)
    if key is None and not is_house_account(username):
        other = User.objects.get(name_key=name_key(username))
        raise Invalid(
            f"{username!r} looks too much like the account {other.username!r}. Choose another name.",
            "username_taken",
            field="username",
        )
    user = User(
        username=username,
        name_key=key,
        email=User.objects.normalize_email(email),
        is_organiser=is_organiser,
        is_staff=is_staff,
        is_superuser=is_staff,
    )
    try:
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages), "invalid", field="password") from None
    user.set_password(password)
    try:
        user.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Invalid(f"{field}: {' '.join(messages)}", "invalid", field=field) from None
    with transaction.atomic():
        user.save()
        audit(actor, "create", user, username=username, is_organiser=is_organiser, is_staff=is_staff)
    return user


def user_change(user: User, actor: User | None = None, **fields: bool | str) -> list[str]:
    """Change roles (``is_organiser``, ``is_staff``), ``is_active`` or ``email`` of an account.

    Staff accounts are superusers too. Returns the names of the changed fields. Does not end sessions. Raises
    Conflict (``last_staff``: no other active account has the role; ``account_inactive``), Invalid.
    """
    with transaction.atomic():
        account = User.objects.select_for_update().get(pk=user.pk)
        if is_house_account(account.username):
            raise Conflict(
                f"{account.username!r} belongs to the platform and cannot be changed.", "account_inactive"
            )
        if "email" in fields:
            fields["email"] = User.objects.normalize_email(str(fields["email"]))
        changed = {name: value for name, value in fields.items() if getattr(account, name) != value}
        loses_staff = (
            account.is_staff
            and account.is_active
            and False in (changed.get("is_staff"), changed.get("is_active"))
        )
        if (
            loses_staff
            and not User.objects.filter(is_staff=True, is_active=True).exclude(pk=account.pk).exists()
        ):
            raise Conflict(
                f"{account.username} is the only staff account. Give the role to another account first.",
                "last_staff",
            )
        if "is_staff" in changed:
            changed["is_superuser"] = changed["is_staff"]
        for name, value in changed.items():
            setattr(account, name, value)
        try:
            account.clean_fields(
                exclude=[name.name for name in User._meta.fields if name.name not in changed]
            )
        except ValidationError as error:
            field, messages = next(iter(error.message_dict.items()))
            raise Invalid(f"{field}: {' '.join(messages)}", "invalid", field=field) from None
        if changed:
            account.save(update_fields=list(changed))
            roles = {name: value for name, value in changed.items() if name != "email"}
            audit(actor, "update", account, None, fields=sorted(changed), **roles)
        if "email" in changed:
            security_notice_create(account, "email_changed")
    user.refresh_from_db()
    return sorted(changed)


def system_account(username: str) -> User:
    """Return the account with this name, created if missing, without a way to sign in.

    The name must be one that nobody can choose. Safe to call concurrently.
    """
    user = User.objects.filter(username=username).first()
    if user is not None:
        return user
    try:
        with transaction.atomic():
            return user_create(username)
    except (IntegrityError, Invalid):
        return User.objects.get(username=username)


def free_name_key(username: str) -> str | None:
    """Return the key of a new name; None if another account has the same key."""
    key = name_key(username)
    return None if User.objects.filter(name_key=key).exists() else key


def token_create(
    user: User,
    *,
    name: str,
    scopes: list[str],
    expires_at: datetime | None = None,
    actor: User,
    within: Collection[str] | None = None,
) -> tuple[ApiToken, str]:
    """Create a token of ``user``; return it with its text, which is not stored.

    ``within`` are the scopes of the caller's own token. Raises Forbidden (``not_owner``;
    ``scope_not_granted``), Invalid.
    """
    if actor != user and not actor.is_staff:
        raise Forbidden("You can create tokens only for your own account.", "not_owner")
    name = name_checked("name", name, TOKEN_NAME_CHARACTERS)
    requested_scopes = list(dict.fromkeys(scopes))
    unknown = [scope for scope in requested_scopes if scope not in ApiToken.Scope.values]
    if unknown or not requested_scopes:
        reason = f"Unknown scope {unknown[0]!r}" if unknown else "A token needs at least one scope"
        known = list(ApiToken.Scope.values)
        raise Invalid(
            f"{reason}; scopes: {', '.join(known)}.", "unknown_scope", field="scopes", allowed=known
        )
    allowed_scopes = [s for s in scopes_allowed(user) if within is None or s in within]
    beyond = [scope for scope in requested_scopes if scope not in allowed_scopes]
    if beyond:
        raise Forbidden(
            f"You cannot grant the scope {beyond[0]!r}; you hold {', '.join(allowed_scopes) or 'none'}.",
            "scope_not_granted",
            field="scopes",
            allowed=allowed_scopes,
        )
    if expires_at is not None and expires_at <= timezone.now():
        raise Invalid(f"expires_at {expires_at.isoformat()} is in the past.", "invalid", field="expires_at")
    plain = new_token()
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user, name=name, scopes=requested_scopes, expires_at=expires_at, token_hash=token_hash(plain)
        )
        audit(actor, "create", token, name=name, scopes=requested_scopes, user=user.username)
    return token, plain


def token_authenticate(plain: str) -> ApiToken | None:
    """Return the valid token with this text and its user, or None. Records the use, to the minute."""
    token = ApiToken.objects.select_related("user").filter(token_hash=token_hash(plain)).first()
    if token is None or not token.is_valid or not token.user.is_active:
        return None
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - LAST_USED_RESOLUTION:
        ApiToken.objects.filter(
            Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_RESOLUTION), pk=token.pk
        ).update(last_used_at=now)
        token.last_used_at = now
    return token


def token_refusal(plain: str) -> str:
    """Return a message that explains why ``token_authenticate`` returned None."""
    token = ApiToken.objects.select_related("user").filter(token_hash=token_hash(plain)).first()
    if token is None:
        return "This token does not exist. Check that you copied all of it, including rensho_ at the start."
    if token.revoked_at is not None:
        return (
            f"The token {token.name!r} was revoked on {_format_minute(token.revoked_at)}. {NEW_TOKEN_ADVICE}"
        )
    if not token.is_valid and token.expires_at is not None:
        return f"The token {token.name!r} expired on {_format_minute(token.expires_at)}. {NEW_TOKEN_ADVICE}"
    return f"The account {token.user.username!r} is disabled. Ask an operator."


def _format_minute(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def token_revoke(token: ApiToken, actor: User) -> None:
    """Revoke a token. Idempotent. Raises Forbidden (``not_owner``)."""
    if token.user_id != actor.pk and not actor.is_staff:
        raise Forbidden("You can revoke only your own tokens.", "not_owner")
    now = timezone.now()
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            token.revoked_at = now
            audit(actor, "revoke", token, name=token.name)


def token_restore(token: ApiToken, actor: User) -> None:
    """Undo the revocation of a token within ``UNDO_S``. Raises Forbidden, Conflict (``restore_expired``)."""
    if token.user_id != actor.pk:
        raise Forbidden("You can restore only your own tokens.", "not_owner")
    since = timezone.now() - timedelta(seconds=UNDO_S + UNDO_GRACE_S)
    with transaction.atomic():
        if not ApiToken.objects.filter(pk=token.pk, revoked_at__gte=since).update(revoked_at=None):
            raise Conflict(
                f"The token {token.name!r} can no longer be restored after {UNDO_S} seconds. Create a new "
                "one.",
                "restore_expired",
            )
        audit(actor, "restore", token, name=token.name)


def notice_create(user: User, kind: Notice.Kind, note: Note, url_path: str = "") -> Notice:
    return Notice.objects.create(user=user, kind=kind, note=note, url_path=url_path)


def security_notice_create(user: User, code: str, **values: str) -> Notice:
    """Notify an account that a way to sign in, or its e-mail address, was changed."""
    return notice_create(user, Notice.Kind.SECURITY, {"code": code, **values}, "/me")


def notice_read(public_id: str, user: User) -> Notice:
    """Mark a notice of this account as read, the first time. Raises NotFound (``notice_not_found``)."""
    Notice.objects.filter(public_id=public_id, user=user, read_at=None).update(read_at=timezone.now())
    notice = Notice.objects.filter(public_id=public_id, user=user).first()
    if notice is None:
        raise NotFound(
            f"You have no notice {public_id}; list your notices to see their ids.", "notice_not_found"
        )
    return notice
