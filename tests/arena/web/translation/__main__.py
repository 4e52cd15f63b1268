"""``make words``: collect the texts of the pages and compile their translations."""

from __future__ import annotations

import sys

from tests.arena.web.translation.catalogue import LANGUAGES, po_path, update

for language in LANGUAGES:
    missing = update(language)
    sys.stdout.write(f"{po_path(language)}: {len(missing)} without a translation\n")
    for text in missing:
        sys.stdout.write(f"  {text!r}\n")
