"""Public ids: short random strings, so that URLs do not reveal how many objects exist."""

from __future__ import annotations

import re
import secrets

from django.apps import apps
from django.db import models

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
LENGTH = 12
MAX_LENGTH = 16
"""Maximum length of the column."""
_PUBLIC_ID = re.compile(r"[0-9a-z]{1,16}")


def new_public_id() -> str:
    """Generate twelve characters of an alphabet without look-alikes: about 59 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def is_public_id(text: str) -> bool:
    """Return whether a text can be a public id, and is worth a query."""
    return _PUBLIC_ID.fullmatch(text) is not None


def object_kinds() -> list[str]:
    """Return the sorted names of all models with a public id. Needs all apps loaded."""
    names = {model._meta.model_name for model in apps.get_models() if _has_public_id(model)}
    return sorted(name for name in names if name)


def _has_public_id(model: type[models.Model]) -> bool:
    return any(field.name == "public_id" for field in model._meta.concrete_fields)


def public_id_field() -> models.CharField[str, str]:
    return models.CharField(max_length=MAX_LENGTH, unique=True, default=new_public_id, editable=False)
