"""What a password must be beyond what Django looks at."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from arena.accounts.models import User

MIN_PASSWORD_CHARACTERS = 8
"""Characters of a password, those of the account's own name aside."""


class OwnNameValidator:
    """Refuses a password that is long enough only by the account's name in it.

    Django compares the two as wholes, and finds ``ayaaya12`` unlike ``aya``.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError for such a password; a shorter one is for the validator of the length."""
        name = user.get_username().casefold() if user is not None else ""
        folded = password.casefold()
        if (
            name
            and name in folded
            and len(folded.replace(name, "")) < MIN_PASSWORD_CHARACTERS <= len(password)
        ):
            raise ValidationError(self.get_help_text(), code="password_of_own_name")

    def get_help_text(self) -> str:
        """What to do."""
        return _("Your name in a password does not count; without it, at least 8 characters must be left.")
