"""Public ids: short random strings, so that an address tells nothing about how many there are."""

from __future__ import annotations

import secrets

from django.db import models

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 12


def new_public_id() -> str:
    """Twelve characters of an alphabet without look-alikes: some 59 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def public_id_field() -> models.CharField[str, str]:
    """A column for the name a row goes by outside the database."""
    return models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
