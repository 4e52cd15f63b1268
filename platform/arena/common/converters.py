"""URL path converters. A URL that does not match never causes a database query."""

from __future__ import annotations

from django.urls import register_converter
from django.urls.converters import IntConverter, StringConverter

PATTERNS = {
    # A public id or a fingerprint.
    "id": "[0-9a-z]{1,16}",
    # A player's handle.
    "handle": "[A-Za-z0-9][A-Za-z0-9_-]{1,29}",
    # The key of a game or a preset.
    "name": "[0-9a-z_.]{1,40}",
    # Actions of an owner on an entry.
    "entry_verb": "confirm|decline|withdraw",
    # Actions of an organiser on a tournament or a cup.
    "event_verb": "[a-z_]{1,20}",
    # A page of the rules.
    "page_name": "[a-z-]{1,40}",
    # The key of a document.
    "page_path": "[a-z0-9][a-z0-9-]{0,80}(?:/[a-z0-9][a-z0-9-]{0,80})?",
    # The key of a shared table.
    "key": "[0-9a-z]{1,32}",
    # The secret of a link that opens one form.
    "secret": "[A-Za-z0-9_-]{40,50}",
    # A signed value.
    "signed": "[A-Za-z0-9_.-]{10,600}",
    # A day of the calendar.
    "day": "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    # A week by ISO 8601.
    "week": "[0-9]{4}-W[0-9]{2}",
    # Kinds of statements.
    "statement": "opened|locked|final|cancelled",
}


class SmallNumberConverter(IntConverter):
    regex = "[0-9]{1,5}"


def register_converters() -> None:
    register_converter(SmallNumberConverter, "short")
    for name, regex in PATTERNS.items():
        register_converter(type(name, (StringConverter,), {"regex": regex}), name)
