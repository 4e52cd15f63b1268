"""A password validator in addition to Django's."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from arena.accounts.models import User

MIN_PASSWORD_CHARACTERS = 8
"""Minimum length of a password, not counting the account's name in it."""


class OwnNameValidator:
    """Rejects a password that is too short without the account's name in it, such as ``ayaaya12``."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError for such a password, unless it is too short anyway."""
        name = user.get_username().casefold() if user is not None else ""
        folded = password.casefold()
        if (
            name
            and name in folded
            and len(folded.replace(name, "")) < MIN_PASSWORD_CHARACTERS <= len(password)
        ):
            raise ValidationError(self.get_help_text(), code="password_of_own_name")

    def get_help_text(self) -> str:
        return _("The password needs at least 8 characters besides your name.")
