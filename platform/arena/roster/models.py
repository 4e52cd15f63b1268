"""Players, bots, immutable versions, and the checks that accept or reject them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.causes import Cause, WaitingFor, coded_reason
from arena.common.ids import public_id_field
from arena.common.models import ReasonMixin
from arena.common.names import KEY_CHARACTERS, name_folded
from arena.common.notes import note_text


class Player(models.Model):
    user = models.OneToOneField(User, on_delete=models.PROTECT, related_name="player")
    handle = models.CharField(
        max_length=30,
        unique=True,
        validators=[
            RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9_-]{1,29}$", "Two to thirty letters, digits, - or _.")
        ],
    )

    def __str__(self) -> str:
        return self.handle


if TYPE_CHECKING:
    KeyColumn = models.CharField[str | None, str | None]
else:
    KeyColumn = models.CharField


class NameKeyField(KeyColumn):
    """The key of a bot's name, computed on insert. ``bot_update`` changes both together."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": KEY_CHARACTERS, "editable": False} | options)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        if add:
            setattr(model_instance, self.attname, name_folded(cast(Bot, model_instance).name))
        return super().pre_save(model_instance, add)


class Bot(models.Model):
    class Visibility(models.TextChoices):
        """Visibility of the bot's existence. The contents of its versions are always private to the owner."""

        PUBLIC = "public"
        PRIVATE = "private"

    public_id = public_id_field()
    owner = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="bots")
    name = models.CharField(max_length=60)
    name_key = NameKeyField()
    """``name_folded`` of the name."""
    game = models.CharField(max_length=20)
    visibility = models.CharField(max_length=10, choices=Visibility.choices, default=Visibility.PUBLIC)
    active_version = models.ForeignKey(
        "BotVersion", null=True, blank=True, on_delete=models.SET_NULL, related_name="active_for"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["owner", "name_key"], name="bot_name_key_unique")]
        indexes = [models.Index(fields=["id"], condition=Q(visibility="private"), name="bot_private_idx")]

    def __str__(self) -> str:
        return self.name


class BotVersion(models.Model):
    """One upload. Immutable except for its state and the owner's notes."""

    class State(models.TextChoices):
        """Forward only, except that a suspended version may become ready again."""

        UPLOADED = "uploaded", "waits for its check"
        CHECKING = "checking", "is being checked"
        READY = "ready", "can enter tournaments"
        REJECTED = "rejected", "failed its check for the reasons given"
        SUSPENDED = "suspended", "cannot enter tournaments at present"
        RETIRED = "retired", "withdrawn by its owner"

    public_id = public_id_field()
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    bundle_sha256 = models.CharField(max_length=64)
    """Hash of the canonical bundle, which is a blob."""
    bundle_bytes = models.PositiveIntegerField()
    runtime = models.CharField(max_length=30)
    runtime_digest = models.CharField(max_length=64, blank=True)
    """Digest of the runtime that checked it; empty before the check."""
    entry_point = models.CharField(max_length=200)
    notes = models.TextField(blank=True, max_length=4000)
    state = models.CharField(max_length=10, choices=State.choices, default=State.UPLOADED)
    reasons = models.JSONField(default=list)
    """Why it was rejected: a list of {code, message}."""
    suspended_at = models.DateTimeField(null=True, blank=True)
    suspended_note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``: why it is suspended."""
    reinstated_at = models.DateTimeField(null=True, blank=True)
    """When its last suspension ended. Earlier forfeits do not count any more."""
    created_at = models.DateTimeField(auto_now_add=True)

    IMMUTABLE = ("bot_id", "number", "bundle_sha256", "bundle_bytes", "runtime", "entry_point")
    _loaded: dict[str, Any]
    """The row as read, with which ``save`` detects changes."""

    class Meta:
        ordering = ["-id"]
        verbose_name = "version"
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="version_number_unique"),
            models.CheckConstraint(
                condition=~Q(state="suspended") | Q(suspended_at__isnull=False),
                name="version_suspended_at_check",
            ),
        ]
        indexes = [models.Index(fields=["state"], name="version_state_idx")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        loaded = getattr(self, "_loaded", {})
        for name in self.IMMUTABLE:
            if name in loaded and loaded[name] != getattr(self, name):
                raise ValueError(f"a version never changes: {name}")
        super().save(*args, **kwargs)

    @classmethod
    def from_db(cls, db: str | None, field_names: Any, values: Any, **options: Any) -> BotVersion:
        version = super().from_db(db, field_names, values, **options)
        version._loaded = dict(zip(field_names, values, strict=False))
        return version

    @property
    def suspended_reason(self) -> str:
        """The reason in the active language; empty unless it is suspended."""
        return note_text(self.suspended_note)

    @property
    def page(self) -> str:
        return f"/versions/{self.public_id}"


class CheckRun(ReasonMixin):
    class State(models.TextChoices):
        """waiting -> running -> done, or failed by a platform fault and retried."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed", "failed because of a platform fault"

    public_id = public_id_field()
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="checks")
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    steps = models.JSONField(default=list)
    """Completed steps, in order: a list of {name, ok, detail}."""
    report = models.JSONField(null=True)
    trial_seed = models.CharField(max_length=64, blank=True)
    """Random seed of the trial table, drawn for this check; empty before the trial."""
    waiting_for = models.CharField(max_length=20, choices=WaitingFor.choices, blank=True)
    """Resource that a waiting check lacks, explained by ``note``; otherwise empty."""
    cause = models.CharField(max_length=16, choices=Cause.choices, blank=True)
    failures = models.PositiveSmallIntegerField(default=0)
    """Platform faults of this attempt and those before it; the delay grows with each."""
    retry_at = models.DateTimeField(null=True, blank=True)
    """Earliest time to claim it; null: now."""
    worker = models.CharField(max_length=80, blank=True)
    """The process that runs it, or ran it last."""
    is_reinstatement = models.BooleanField(default=False)
    """Whether it was requested to end a suspension, which lasts meanwhile; it never rejects a version."""
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "check"
        constraints = [models.UniqueConstraint(fields=["version", "attempt"], name="check_attempt_unique")]
        indexes = [models.Index(fields=["state"], name="check_state_idx")]

    def __str__(self) -> str:
        return f"check {self.attempt} of {self.version}"

    @property
    def waiting_reason(self) -> str:
        """Why it cannot start, after ``waiting_for``; empty unless it waits."""
        return coded_reason(self.waiting_for, self.reason) if self.state == self.State.WAITING else ""
