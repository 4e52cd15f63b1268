"""Courses: groups of accounts with tournaments that only their members see."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field

MAX_NAME_CHARACTERS = 100
MAX_DESCRIPTION_CHARACTERS = 4000


class Course(models.Model):
    """A group of accounts. Its owners organise its tournaments; only members see names and tournaments."""

    public_id = public_id_field()
    name = models.CharField(max_length=MAX_NAME_CHARACTERS)
    description = models.TextField(blank=True, max_length=MAX_DESCRIPTION_CHARACTERS)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    """When it was archived: accounts cannot join, and no tournament can be added."""
    new_accounts_limit = models.PositiveIntegerField(default=0)
    """Number of accounts that its owners may create for it, granted by staff."""
    experiments_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    member_experiments_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    member_challenges_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    member_versions_limit = models.PositiveSmallIntegerField(null=True, blank=True)
    """The meaning of these limits is in ``course_limits``."""

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def page(self) -> str:
        return f"/courses/{self.public_id}"


class CourseMember(models.Model):
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="course_memberships")
    is_owner = models.BooleanField(default=False)
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["course", "user"], name="course_member_unique")]

    def __str__(self) -> str:
        return f"{self.user} in {self.course}"
