"""People, their API tokens, and what was done by whom."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.common.ids import public_id_field
from arena.common.notes import note_text

TOKEN_PREFIX = "rensho_"
DOUBLE_FULL_STOP = re.compile(r"([.!?。！？])[.。]$")
"""The end of a sentence after a reason that is one itself."""


class User(AbstractUser):
    """A person with an account."""

    public_id = public_id_field()
    is_organiser = models.BooleanField(default=False)
    """May create tournaments and run those."""
    name_key = models.CharField(max_length=150, unique=True, null=True, blank=True, editable=False)
    """The name as the eye takes it (``arena.accounts.handles``): no two accounts that sign up share it.
    Null for an account that an operator gave a name like another one."""
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When its owner deleted the account; what is left of it has no name."""


class ApiToken(models.Model):
    """A secret that stands for its user within its scopes. Only the hash is kept; shown once."""

    class Scope(models.TextChoices):
        """What a token may do. Reading public things needs none."""

        READ = "read", "read what its user may read"
        BOTS = "bots", "create bots, upload and manage versions, enter tournaments"
        ORGANISE = "organise", "create and run tournaments"
        TOKENS = "tokens", "create and revoke tokens"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 of the token in hex. The token has 256 random bits, so a slow hash would add nothing."""
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    """To the minute: finer would cost a write at every request."""
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"

    @property
    def is_valid(self) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())


def token_hash(plain: str) -> str:
    """How a token is kept."""
    return hashlib.sha256(plain.encode()).hexdigest()


def new_token() -> str:
    """A fresh token in clear: the prefix makes a leaked one easy to find."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


class OneTimeLink(models.Model):
    """A secret address that opens one form once: to sign up, or to set a new password. Its hash is kept."""

    class Kind(models.TextChoices):
        """What it opens."""

        INVITATION = "invitation", "sign up"
        RESET = "reset", "set a new password"

    public_id = public_id_field()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    """SHA-256 in hex of the last part of the address, which has 256 random bits."""
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="links")
    """Whose password; null for an invitation."""
    note = models.CharField(max_length=120, blank=True)
    """For whom it was made, in the words of who made it."""
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """Null: asked for at the form, or made by an operator at the terminal."""
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    """When it was used or withdrawn; it opens nothing any more."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="reset", user__isnull=False) | Q(kind="invitation", user__isnull=True),
                name="one_time_link_for_whom",
            )
        ]

    def __str__(self) -> str:
        return f"link to {self.get_kind_display()}{f': {self.note}' if self.note else ''}"


class Passkey(models.Model):
    """A key of WebAuthn that signs its owner in. The private half never leaves the owner's device."""

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=60)
    credential_id = models.BinaryField(unique=True)
    """As the device chose it, 1,023 bytes at most."""
    public_key = models.BinaryField()
    """COSE key."""
    sign_count = models.PositiveBigIntegerField(default=0)
    """How often it has signed, as the device last said; it never goes back. 0: the device does not count."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"


class BrowserSession(models.Model):
    """A browser that is signed in, as its owner sees it in the list of sessions."""

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="browser_sessions")
    session_key = models.CharField(max_length=40, unique=True, editable=False)
    device = models.CharField(max_length=80, blank=True)
    """Browser and system in words, such as ``Firefox on Linux``."""
    network = models.CharField(max_length=45, blank=True)
    """Where it was last seen from: an address without its last part."""
    created_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField()
    """To five minutes."""

    class Meta:
        ordering = ["-last_seen_at", "-id"]

    def __str__(self) -> str:
        return f"{self.user}: {self.device}"


class Notice(models.Model):
    """A message to an account about something it did not do itself."""

    class Kind(models.TextChoices):
        """What it is about, for machines."""

        SUSPENDED = "suspended", "a version was suspended"
        REINSTATED = "reinstated", "a suspended version may enter again"
        STILL_SUSPENDED = "still_suspended", "a check did not end a suspension"
        READY = "ready", "a version passed its check"
        REJECTED = "rejected", "a version failed its check"
        PARTNER_ASKED = "partner_asked", "somebody wants to enter a pair with a version of yours"
        PARTNER_ANSWERED = "partner_answered", "a partner confirmed or declined"
        INVITED = "invited", "an organiser invited you"
        ENTRY_ENDED = "entry_ended", "an entry was taken out, or became void at the lock"
        ENTRY_STANDS = "entry_stands", "what becomes of an entry whose version is not ready any more"
        EVENT = "event", "an event you are entered in, or run, changed its course"
        WEBHOOK = "webhook", "a webhook of yours was disabled"
        SERIES = "series", "a bot could not be entered in an edition of a recurring cup"
        EXPERIMENT = "experiment", "an experiment of yours ended"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    note = models.JSONField()
    """``arena.common.notes.Note``: what happened, what it means, and what can be done."""
    url_path = models.CharField(max_length=200, blank=True)
    """Where on this site to read more, such as ``/versions/abc``."""
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=~Q(note={}), name="notice_says_something")]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"

    @property
    def text(self) -> str:
        """The sentences, in the active language."""
        return DOUBLE_FULL_STOP.sub(r"\1", note_text(self.note))


class AuditEvent(models.Model):
    """One action of one account (or of the system) on one object. Append-only."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="audited_actions")
    """Null for the system."""
    verb = models.CharField(max_length=40)
    kind = models.CharField(max_length=40)
    """What sort of thing: tournament, version, table, ..."""
    object_id = models.CharField(max_length=16, db_index=True)
    """Its public id."""
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.actor or 'system'} {self.verb} {self.kind} {self.object_id}"


class EventFields(models.Model):
    """What is kept of one thing that happened."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    """When it was written, which is before its transaction ended."""
    kind = models.CharField(max_length=40)
    """Such as ``tournament.opened``."""
    tournament = models.CharField(max_length=16, blank=True)
    """Public id of the tournament it belongs to; those who see that see this."""
    thing_kind = models.CharField(max_length=40)
    """What sort of thing: tournament, round, version, ..."""
    thing_id = models.CharField(max_length=16)
    """Its public id."""
    user = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    """Visible to this account (and staff) alone; null = to everybody who may see the tournament."""
    data = models.JSONField(default=dict)

    class Meta:
        abstract = True
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(tournament="") | Q(user__isnull=False), name="%(class)s_is_for_somebody"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.thing_id}"


class Event(EventFields):
    """One line of the log for those who watch: the event stream and the webhooks. Append-only.

    Lines become visible in the order of their ids: who has read up to an id never misses a lower one
    (``arena.accounts.events``). Pruned after 14 days. It never says anything sealed.
    """

    # No constraint in the database: its check would wait for whoever holds the account's row, and
    # everybody's events with it.
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )

    class Meta(EventFields.Meta):
        indexes = [models.Index(fields=["tournament", "id"], name="event_of_tournament")]


class PendingEvent(EventFields):
    """An event not in the log yet: written in the transaction of the change, in no order.

    The outbox of a database whose transactions run side by side; elsewhere always empty. Its ids mean
    nothing outside.
    """

    # Few rows and short lives: what writes them pays for no index that nobody reads.
    at = models.DateTimeField(auto_now_add=True)
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )


class IdempotencyKey(models.Model):
    """A key a client sent with a POST, and the answer it got, so that a repeat gets the same. Kept 24 h."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="idempotency_keys")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    """SHA-256 in hex of method, path and body: a key belongs to one request."""
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    """HTTP status of the answer; null while it is being worked on."""
    body = models.BinaryField(default=bytes)
    headers = models.JSONField(default=dict)
    """Those of the answer that a repeat must show, by name."""
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user}"


class FormDraft(models.Model):
    """What somebody typed into a form and has not sent yet; saved as it is typed, for its owner alone."""

    public_id = public_id_field()
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="form_drafts")
    kind = models.CharField(max_length=20)
    """Which form, such as ``event``."""
    data = models.JSONField()
    """Text by the name of its control."""
    version = models.PositiveIntegerField(default=1)
    """Counts how often it was saved: a window that has an older one does not overwrite it."""
    saved_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.owner}"


def audit(
    actor: User | None, verb: str, thing: Any, before: dict[str, Any] | None = None, **after: Any
) -> None:
    """Write one line of the audit trail. ``thing`` has a ``public_id``."""
    AuditEvent.objects.create(
        actor=actor,
        verb=verb,
        kind=thing._meta.model_name,
        object_id=thing.public_id,
        before=before or {},
        after=after,
    )
