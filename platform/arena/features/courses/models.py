"""Models: invitations to courses, lists of accounts, accounts that courses created, and rankings."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.competition.models import Course
from arena.features.courses.limits import NOTE_CHARACTERS
from arena.roster.models import BotVersion


class CourseInvitation(models.Model):
    """A link with which several accounts may join a course, or the invitation of one account."""

    public_id = public_id_field()
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="invitations")
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="course_invitations"
    )
    """The invited account; null for a link."""
    token_hash = models.CharField(max_length=64, unique=True, null=True, blank=True, editable=False)
    """SHA-256 in hex of the last part of the link, which has 256 random bits; null for an account."""
    note = models.CharField(max_length=NOTE_CHARACTERS, blank=True)
    max_uses = models.PositiveIntegerField(default=1)
    uses = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    """When an owner revoked it, or the invited account declined."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=True, token_hash__isnull=False)
                | Q(user__isnull=False, token_hash__isnull=True, max_uses=1),
                name="course_invitation_kind_check",
            ),
            models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="course_invitation_uses_check"),
            models.UniqueConstraint(
                fields=["course", "user"],
                condition=Q(user__isnull=False),
                name="course_invitation_user_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.public_id} to {self.course}"


class CourseAccount(models.Model):
    """An account that a course created. Its owners can make new links for it until the person has used it."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="created_for_course")
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="created_accounts")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.user} for {self.course}"


class CheckedList(models.Model):
    """A list of accounts that was uploaded and has no errors, until an owner confirms it. Kept for a day."""

    public_id = public_id_field()
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="checked_lists")
    created_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, db_index=True)
    rows = models.JSONField()
    """Line, username and e-mail address of each."""
    ignored = models.JSONField(default=list)
    """Titles of unused columns."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"list {self.public_id} for {self.course}"


class CourseResults(models.Model):
    """Whether the rankings of a course include all of its closed board sets."""

    course = models.OneToOneField(Course, on_delete=models.CASCADE, related_name="results")
    stale_mark = models.CharField(max_length=16, blank=True)
    """A new value each time scores of the course may have changed; empty once the rankings include them."""

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "course results"
        indexes = [models.Index(fields=["id"], condition=~Q(stale_mark=""), name="course_results_stale_idx")]

    def __str__(self) -> str:
        return f"results of {self.course}"


class CourseRanking(models.Model):
    """Ratings from the tournaments of a course with the same rules. Not part of the site's rating lists."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="rankings")
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    board_kind = models.CharField(max_length=4)
    seats = models.PositiveSmallIntegerField()
    boards = models.PositiveIntegerField()
    """Distinct boards of all sets."""
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["course", "game", "preset", "board_kind", "seats"], name="course_ranking_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.preset} in {self.course}"


class RankedLine(models.Model):
    """A version in a ranking, in stones per board relative to the average of its rated versions."""

    ranking = models.ForeignKey(CourseRanking, on_delete=models.CASCADE, related_name="lines")
    version = models.ForeignKey(BotVersion, on_delete=models.CASCADE, related_name="+")
    partner = models.CharField(max_length=5)
    """Column, as in ``league.rating.columns``."""
    position = models.PositiveIntegerField()
    """Order of the lines, from 0: best first, unrated ones last."""
    estimate = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    """Ends of the 95% interval."""
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    fixtures = models.PositiveIntegerField()
    boards = models.PositiveIntegerField()

    class Meta:
        ordering = ["ranking", "position"]
        constraints = [
            models.UniqueConstraint(fields=["ranking", "version", "partner"], name="ranked_line_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.ranking}"
