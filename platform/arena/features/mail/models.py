"""Models: confirmed addresses, chosen kinds of notices, the outbox, and the state of the mail server."""

from __future__ import annotations

from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from arena.accounts.models import Notice, OneTimeLink, User
from arena.common.ids import public_id_field


class Language(models.TextChoices):
    ENGLISH = "en", "English"
    JAPANESE = "ja", "日本語"


class MailAddress(models.Model):
    """An account's confirmed address. Notices are sent to it while it is the account's address."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="mail_address")
    address = models.CharField(max_length=254)
    language = models.CharField(max_length=2, choices=Language.choices, default=Language.ENGLISH)
    confirmed_at = models.DateTimeField(default=timezone.now)
    replaced_at = models.DateTimeField(null=True, blank=True)
    """Since when the account has had another address or none. Until it is deleted, it still gets security
    notices."""
    refused_at = models.DateTimeField(null=True, blank=True)
    """When the mail server permanently refused this address. Nothing is sent until it is confirmed again."""
    refusal = models.CharField(max_length=12, blank=True)
    """The server's reply code, such as ``550 5.1.1``."""

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "mail addresses"
        constraints = [models.CheckConstraint(condition=~Q(address=""), name="mail_address_check")]

    def __str__(self) -> str:
        return f"mail address of {self.user}"


class NoticeChoice(models.Model):
    """A kind of notice that an account wants by e-mail, from this time on."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="notice_choices", db_index=False
    )  # the constraint starts with it
    kind = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="notice_choice_unique")]

    def __str__(self) -> str:
        return f"{self.kind} for {self.user}"


class ResetRequest(models.Model):
    """A request for a link to a new password, deleted by the next tick, which looks for the accounts.

    Every request makes one row, so that the time of the response does not reveal whether an account exists.
    """

    name = models.CharField(max_length=254)
    """The username or e-mail address, as typed."""
    site = models.TextField()
    """Address of the site at which it was requested; links begin with it."""
    language = models.CharField(max_length=2, choices=Language.choices, default=Language.ENGLISH)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"request of {self.created_at:%Y-%m-%d %H:%M}"


class OutgoingMail(models.Model):
    """A mail in the outbox. Its text is made when it is sent, and not stored."""

    class Kind(models.TextChoices):
        NOTICE = "notice", "a notice"
        DIGEST = "digest", "the number of notices beyond the daily limit"
        CONFIRMATION = "confirmation", "a link that confirms the address"
        RESET = "reset", "a link to set a new password"
        WELCOME = "welcome", "a link to set the first password"

    class State(models.TextChoices):
        """waiting -> sent, failed, dropped or unknown; notices also waiting -> held -> summarised."""

        WAITING = "waiting"
        HELD = "held", "beyond the daily limit"
        SENT = "sent"
        SUMMARISED = "summarised", "counted in a digest"
        FAILED = "failed", "refused, or too old"
        DROPPED = "dropped", "no longer wanted or allowed"
        UNKNOWN = "unknown", "handed to the server without a reply"

    public_id = public_id_field()
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="outgoing_mails")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    notice = models.OneToOneField(
        Notice, null=True, blank=True, on_delete=models.CASCADE, related_name="outgoing_mail"
    )
    address = models.CharField(max_length=254, blank=True)
    """The address at the time of the request, for kinds with a link; otherwise empty."""
    link = models.ForeignKey(
        OneTimeLink, null=True, blank=True, on_delete=models.CASCADE, related_name="outgoing_mails"
    )
    """The link to set a password. Each attempt gives it a new secret, which is only in the text."""
    parameters = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    """Of a mail with a link to set a password: ``site`` and, for the first one, ``course``."""
    language = models.CharField(max_length=2, choices=Language.choices, default=Language.ENGLISH)
    """Of kinds with a link; other mails are in the language of the ``MailAddress``."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    """Attempts that have begun; also the fence of a lease."""
    next_at = models.DateTimeField(null=True, blank=True)
    """No attempt before this; null unless waiting."""
    expires_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    """End of the lease of the sending process."""
    handed_over_at = models.DateTimeField(null=True, blank=True)
    """Committed before the text goes to the server. Such a mail is not sent again unless the server refused
    it."""
    cause = models.CharField(max_length=30, blank=True)
    """Code: why the last attempt failed, or why the mail was dropped."""
    reply = models.CharField(max_length=12, blank=True)
    """The server's last reply code, such as ``250`` or ``451 4.7.1``."""
    digest = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="held")
    """The digest that counts this mail."""
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting", next_at__isnull=False) | (~Q(state="waiting") & Q(next_at=None)),
                name="outgoing_mail_next_check",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "held"), ended_at=None)
                | (~Q(state__in=("waiting", "held")) & Q(ended_at__isnull=False)),
                name="outgoing_mail_end_check",
            ),
            models.CheckConstraint(
                condition=Q(kind="notice", notice__isnull=False) | (~Q(kind="notice") & Q(notice=None)),
                name="outgoing_mail_notice_check",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=("reset", "welcome"), link__isnull=False)
                | (~Q(kind__in=("reset", "welcome")) & Q(link=None)),
                name="outgoing_mail_link_check",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(state="waiting"), name="outgoing_mail_due_idx"),
            models.Index(fields=["user"], condition=Q(state="held"), name="outgoing_mail_held_idx"),
            models.Index(fields=["ended_at"], name="outgoing_mail_ended_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class MailServer(models.Model):
    """The state of the SMTP server, as the last attempts found it; a single row."""

    name = models.CharField(max_length=10, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    """Consecutive failures."""
    failing_since = models.DateTimeField(null=True, blank=True)
    next_at = models.DateTimeField(null=True, blank=True)
    """No connection before this; null while it works."""
    cause = models.CharField(max_length=30, blank=True)
    """Code of the last failure (``smtp.CAUSES``)."""
    detail = models.CharField(max_length=200, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"mail server: {self.cause or 'ok'}"
