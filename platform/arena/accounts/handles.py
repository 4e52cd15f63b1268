"""Rules for names chosen at sign-up: ASCII, not reserved, and not confusable with another name."""

from __future__ import annotations

import re
import unicodedata

from django.utils.translation import gettext as _

from arena.accounts.house import is_house_account

HANDLE_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,25}")
HANDLE_RULE = "2 to 26 characters (a to z, digits, - or _), starting with a letter or digit"
RESERVED_NAMES = frozenset(
    {"admin", "administrator", "anonymous", "api", "gone", "me", "moderator", "nobody", "operator"}
    | {"organiser", "rensho", "root", "security", "sign-in", "sign-up", "staff", "support", "system"}
)
DELETED_NAME_PREFIX = "gone-"
"""Prefix of the names that deleted accounts get."""
_CONFUSABLES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "_": "-"})


def name_key(name: str) -> str:
    """Return the key shared by names that differ only in case or in characters that look alike.

    >>> name_key("Kita_1O") == name_key("kita-l0"), name_key("kita") == name_key("kite")
    (True, False)
    """
    key = unicodedata.normalize("NFKC", name).casefold().translate(_CONFUSABLES)
    return key.replace("rn", "m").replace("vv", "w")[:150]


def handle_problem(name: str) -> str:
    """Return why a name cannot be chosen at sign-up, as a translated sentence; empty if it can."""
    if not HANDLE_PATTERN.fullmatch(name):
        return _("A name has 2 to 26 characters (a to z, digits, - or _) and starts with a letter or digit.")
    if (
        is_house_account(name.lower())
        or name.lower().startswith(DELETED_NAME_PREFIX)
        or name.lower() in RESERVED_NAMES
    ):
        return _("%(name)s is reserved. Choose another name.") % {"name": repr(name)}
    return ""
