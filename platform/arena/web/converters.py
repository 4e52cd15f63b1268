"""What parts of addresses can look like; anything else never reaches the database."""

from __future__ import annotations

import functools

from django.urls import register_converter
from django.urls.converters import StringConverter


class Word(StringConverter):
    """What a public id or a fingerprint can look like."""

    regex = "[0-9a-z]{1,32}"


class EntryVerb(StringConverter):
    """What an owner may do with an entry."""

    regex = "confirm|decline|withdraw"


class EventVerb(StringConverter):
    """What an organiser may do with an event or a cup."""

    regex = "[a-z_]{1,20}"


class PlayerHandle(StringConverter):
    """A player's handle."""

    regex = "[A-Za-z0-9][A-Za-z0-9_-]{1,29}"


class PageName(StringConverter):
    """What a page of the rules can be called."""

    regex = "[a-z-]{1,40}"


class PagePath(StringConverter):
    """What the key of a document can look like."""

    regex = "[a-z0-9][a-z0-9-]{0,80}(?:/[a-z0-9][a-z0-9-]{0,80})?"


class PresetName(StringConverter):
    """What a preset can be called."""

    regex = "[a-z0-9_.]{1,40}"


class Secret(StringConverter):
    """What the secret of a link that opens one form can look like."""

    regex = "[A-Za-z0-9_-]{40,50}"


@functools.cache
def register() -> None:
    """Make them known to Django, once: whoever has addresses with them calls it first."""
    register_converter(Word, "word")
    register_converter(EntryVerb, "entry_verb")
    register_converter(EventVerb, "event_verb")
    register_converter(PageName, "page_name")
    register_converter(PagePath, "page_path")
    register_converter(PresetName, "preset")
    register_converter(PlayerHandle, "player")
    register_converter(Secret, "secret")
