"""What a name of an account may be: letters everybody can type, and none that passes for another.

Names chosen at sign-up are ASCII, so that no sign of another script or direction stands in for one of them.
Within ASCII some look alike in many fonts; two names that differ in nothing else are the same to the eye.
"""

from __future__ import annotations

import re
import unicodedata

from django.utils.translation import gettext as _

from arena.accounts.house import is_house_account

HANDLE_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,25}")
"""Short enough to be a player's handle as it is."""
HANDLE_RULE = "2 to 26 letters from a to z, digits, - or _; the first is a letter or digit"
RESERVED_NAMES = frozenset(
    {"admin", "administrator", "anonymous", "api", "gone", "me", "moderator", "nobody", "operator"}
    | {"organiser", "rensho", "root", "security", "sign-in", "sign-up", "staff", "support", "system"}
)
DELETED_NAME_PREFIX = "gone-"
"""How names of deleted accounts begin."""
_CONFUSABLES = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "_": "-"})


def name_key(name: str) -> str:
    """The name as the eye takes it: the same for names that differ only in case or in signs that look alike.

    >>> name_key("Kita_1O") == name_key("kita-l0")
    True
    >>> name_key("kita") == name_key("kite")
    False
    """
    key = unicodedata.normalize("NFKC", name).casefold().translate(_CONFUSABLES)
    return key.replace("rn", "m").replace("vv", "w")[:150]


def handle_problem(name: str) -> str:
    """Why a name cannot be chosen at sign-up, in a sentence; empty if it can.

    >>> handle_problem("aya"), handle_problem("house-aya")
    ('', "'house-aya' is reserved. Choose another name.")
    """
    if not HANDLE_PATTERN.fullmatch(name):
        return _("A name has 2 to 26 letters from a to z, digits, - or _; the first is a letter or digit.")
    if (
        is_house_account(name.lower())
        or name.lower().startswith(DELETED_NAME_PREFIX)
        or name.lower() in RESERVED_NAMES
    ):
        return _("%(name)s is reserved. Choose another name.") % {"name": repr(name)}
    return ""
