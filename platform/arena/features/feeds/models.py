"""Model: the secret address of an account's calendar."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from arena.accounts.models import User


class CalendarLink(models.Model):
    """An account's current calendar address. A new one replaces it; deleting it closes the calendar."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="+")
    secret_sha256 = models.CharField(max_length=64, unique=True)
    """The secret is shown once and not stored."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"calendar of {self.user}"
