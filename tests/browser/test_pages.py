"""Every page in a real browser: both themes, phone and desk, with script and without, and what it weighs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.browser.addresses import PAGES, Row
from tests.browser.groups import FIRST, SECOND
from tests.browser.readers import Readers
from tests.browser.site import Site
from tests.browser.survey import Look, looks_of, survey
from tests.chance import EXHAUSTIVE

Record = Callable[[str, object], None]

IN_JAPANESE = [EXHAUSTIVE or at // 4 % 4 == 0 for at in range(len(PAGES))]
"""In ``make check`` a quarter of the pages."""
KINDS = [re.sub(r"\{.*?\}", "{}", re.split("[?#]", row.address)[0]) for row in PAGES]
"""Addresses without the facts in them: pages of one kind are of one template."""
EARLIER = [KINDS[:at].count(kind) for at, kind in enumerate(KINDS)]
"""How many pages of the same kind come before each."""
WITHOUT_SCRIPT = [EXHAUSTIVE or not earlier for earlier in EARLIER]
"""In ``make check`` the first page of a kind."""
WITH_AXE = [EXHAUSTIVE or earlier < 2 or earlier % 2 == 0 for earlier in EARLIER]
"""In ``make check`` the first three pages of a kind, and then every other one."""
ROWS = [
    pytest.param(
        row,
        looks_of(at // 2) if WITH_AXE[at] else (),
        IN_JAPANESE[at],
        WITHOUT_SCRIPT[at],
        marks=SECOND if at % 2 else FIRST,
        id=row.name,
    )
    for at, row in enumerate(PAGES)
]
"""With the looks, whether in Japanese, and whether without script."""


@pytest.mark.full
@pytest.mark.parametrize(("row", "looks", "in_japanese", "without_script"), ROWS)
def test_a_page_keeps_what_every_page_promises(
    site: Site,
    readers: Readers,
    row: Row,
    looks: tuple[Look, ...],
    in_japanese: bool,
    without_script: bool,
    record_property: Record,
) -> None:
    """No error, nothing grave for axe, no sideways scrolling, content without script, budgets."""
    found = survey(readers, site, row, looks, in_japanese=in_japanese, without_script=without_script)
    record_property("figures", found.figures.line(row.name))
    assert "\n".join(found.defects) == ""
