"""``make words``: collect the texts of the pages and compile their translations."""

from __future__ import annotations

import os
import sys

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.test")
    django.setup()
    from tests.arena.web.translation.catalogue import LANGUAGES, po_path, update

    for language in LANGUAGES:
        missing = update(language)
        sys.stdout.write(f"{po_path(language)}: {len(missing)} without a translation\n")
        for text in missing:
            sys.stdout.write(f"  {text!r}\n")
