"""Models: invitations to courses, lists of accounts, and accounts that courses created."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.competition.models import Course
from arena.features.courses.limits import NOTE_CHARACTERS


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
