"""What parts of addresses can look like; anything else never reaches the database."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import StringConverter


class Word(StringConverter):
    """What a public id or a fingerprint can look like."""

    regex = "[0-9a-z]{1,32}"


class EntryVerb(StringConverter):
    """What an owner may do with an entry."""

    regex = "confirm|decline|withdraw"


def register() -> None:
    """Make them known to Django, before the first address that has one."""
    register_converter(Word, "word")
    register_converter(EntryVerb, "entry_verb")
