"""Accounts, API tokens, links, passkeys, sessions, notices, events and the audit trail."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from arena.common.ids import public_id_field
from arena.common.notes import note_text

TOKEN_PREFIX = "rensho_"
DOUBLE_FULL_STOP = re.compile(r"([.!?。！？])[.。]$")
"""Two full stops in a row, which a sentence gets when the reason at its end is a sentence too."""


class User(AbstractUser):
    public_id = public_id_field()
    is_organiser = models.BooleanField(default=False)
    """Whether the account may create tournaments and run them."""
    name_key = models.CharField(max_length=150, unique=True, null=True, blank=True, editable=False)
    """Unique key of look-alike names (``arena.accounts.handles``); null if an operator chose the name."""
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When the owner deleted the account. The row stays, without a name."""


class ApiToken(models.Model):
    """A secret that authenticates its user, limited to its scopes. Only the hash is stored."""

    class Scope(models.TextChoices):
        """Permissions of a token. Public data needs none."""

        READ = "read", "read everything its user can read"
        BOTS = "bots", "create bots, upload and manage versions, enter tournaments"
        ORGANISE = "organise", "create and run tournaments"
        TOKENS = "tokens", "create and revoke tokens"
        CONNECT = "bots:connect", "connect remote bots and answer for them"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 of the token in hex. The token has 256 random bits, so a slow hash would add nothing."""
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    """Accurate to the minute, to avoid a write at every request."""
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"

    @property
    def is_valid(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


def token_hash(plain: str) -> str:
    return hashlib.sha256(plain.encode()).hexdigest()


def new_token() -> str:
    """Generate a token. Its prefix lets secret scanners find leaked ones."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


class OneTimeLink(models.Model):
    """A link with a secret, stored as a hash, that opens one form once: to sign up, or to set a password."""

    class Kind(models.TextChoices):
        INVITATION = "invitation", "sign up"
        RESET = "reset", "set a new password"

    public_id = public_id_field()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 in hex of the last part of the URL, which has 256 random bits."""
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="links")
    """The account whose password it sets; null for an invitation."""
    note = models.CharField(max_length=120, blank=True)
    created_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Null if requested with the form, or created by an operator at the terminal."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    """When it was used or withdrawn."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="reset", user__isnull=False) | Q(kind="invitation", user__isnull=True),
                name="one_time_link_user_check",
            )
        ]

    def __str__(self) -> str:
        return f"link to {self.get_kind_display()}{f': {self.note}' if self.note else ''}"


class Passkey(models.Model):
    """A WebAuthn credential that signs its owner in. The private key never leaves the owner's device."""

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=60)
    credential_id = models.BinaryField(unique=True)
    """Chosen by the device, at most 1,023 bytes."""
    public_key = models.BinaryField()
    """COSE key."""
    sign_count = models.PositiveBigIntegerField(default=0)
    """The device's counter of signatures at the last sign-in; 0 if the device does not count."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"


class ProviderIdentity(models.Model):
    """A person at an OpenID Connect provider who may sign in to the account, whatever the e-mail address."""

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="provider_identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    """Identifier of the person, unique at the issuer, as the provider spells it."""
    name = models.CharField(max_length=80, blank=True)
    """Name at the provider at the last sign-in, displayed only to the owner."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="provider_identity_unique"),
            models.UniqueConstraint(fields=["user", "issuer"], name="provider_identity_user_issuer_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.issuer}"


class BrowserSession(models.Model):
    """A signed-in browser, as its owner sees it in the list of sessions."""

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="browser_sessions")
    session_key = models.CharField(max_length=40, unique=True, editable=False)
    device = models.CharField(max_length=80, blank=True)
    network = models.CharField(max_length=45, blank=True)
    """The masked IP address that last used the session."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField()
    """Accurate to five minutes."""

    class Meta:
        ordering = ["-last_seen_at", "-id"]

    def __str__(self) -> str:
        return f"{self.user}: {self.device}"


class Notice(models.Model):
    """A message to an account about an action of another account or of the system."""

    class Kind(models.TextChoices):
        SUSPENDED = "suspended", gettext_noop("a version was suspended")
        REINSTATED = "reinstated", gettext_noop("a suspended version can enter again")
        STILL_SUSPENDED = "still_suspended", gettext_noop("a check did not end a suspension")
        READY = "ready", gettext_noop("a version passed its check")
        REJECTED = "rejected", gettext_noop("a version failed its check")
        PARTNER_ASKED = "partner_asked", gettext_noop("a player asked to enter a pair with your version")
        PARTNER_ANSWERED = "partner_answered", gettext_noop("a partner agreed or declined")
        INVITED = "invited", gettext_noop("an organiser invited you")
        ENTRY_ENDED = "entry_ended", gettext_noop("an entry was removed or became void at the lock")
        ENTRY_STANDS = "entry_stands", gettext_noop("the version of an entry is no longer ready")
        TOURNAMENT = "tournament", gettext_noop("a tournament that you entered or run has news")
        WEBHOOK = "webhook", gettext_noop("your webhook was disabled")
        SERIES = "series", gettext_noop("a bot could not be entered in an edition of a cup")
        EXPERIMENT = "experiment", gettext_noop("your experiment ended")
        SECURITY = "security", gettext_noop("your password, a passkey or your e-mail address was changed")
        MAIL = "mail", gettext_noop("e-mails to your address have stopped")

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    note = models.JSONField()
    """``arena.common.notes.Note``: the event, its consequences and the possible reactions."""
    url_path = models.CharField(max_length=200, blank=True)
    """Path of the page with details, such as ``/versions/abc``."""
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=~Q(note={}), name="notice_note_check")]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"

    @property
    def text(self) -> str:
        """The message in the active language."""
        return DOUBLE_FULL_STOP.sub(r"\1", note_text(self.note))


class AuditEvent(models.Model):
    """One action of one account (or of the system) on one object. Append-only."""

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="audited_actions")
    action = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    """Model name of the object: tournament, botversion, table, ..."""
    object_id = models.CharField(max_length=16, db_index=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.actor or 'system'} {self.action} {self.kind} {self.object_id}"


class EventFields(models.Model):
    """Columns of an event, pending or in the log."""

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    """When it was written, before its transaction committed."""
    kind = models.CharField(max_length=40)
    """Such as ``tournament.opened``."""
    tournament = models.CharField(max_length=16, blank=True)
    """Public id of the tournament; the event has the visibility of the tournament."""
    object_kind = models.CharField(max_length=40)
    """Model name of the object: tournament, round, botversion, ..."""
    object_id = models.CharField(max_length=16)
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """The only account, besides staff, that may see the event; null if the tournament decides."""
    data = models.JSONField(default=dict)

    class Meta:
        abstract = True
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(tournament="") | Q(user__isnull=False), name="%(class)s_recipient_check"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"


class Event(EventFields):
    """An entry of the event log, which streams and webhooks read. Append-only, without anything sealed.

    Events become visible in the order of their ids (``arena.accounts.events``). Pruned after 14 days.
    """

    # No constraint in the database: its check would wait for any lock on the account's row, and block all
    # other events.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )

    class Meta(EventFields.Meta):
        indexes = [models.Index(fields=["tournament", "id"], name="event_tournament_idx")]


class PendingEvent(EventFields):
    """An event, written in the transaction of the change, that is not in the log yet. Unordered."""

    # Few and short-lived rows: no index is worth its cost.
    created_at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )


class IdempotencyKey(models.Model):
    """A key that a client sent with a POST, and the response for a repeated request. Stored for 24 h."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="idempotency_keys")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.BinaryField(default=bytes)
    headers = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_unique")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user}"


class FormDraft(models.Model):
    """The content of a form that its owner has not submitted, saved while typing and private to the owner."""

    public_id = public_id_field()
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="form_drafts")
    kind = models.CharField(max_length=20)
    data = models.JSONField()
    """Text by the name of its control."""
    version = models.PositiveIntegerField(default=1)
    """Number of saves. A window with an older version cannot overwrite the draft."""
    saved_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.owner}"


def audit(
    actor: User | None, action: str, instance: Any, before: dict[str, Any] | None = None, **after: Any
) -> None:
    AuditEvent.objects.create(
        actor=actor,
        action=action,
        kind=instance._meta.model_name,
        object_id=instance.public_id,
        before=before or {},
        after=after,
    )
