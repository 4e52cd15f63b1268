"""Every page in a real browser: both themes, phone and desk, with script and without, and what it weighs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.addresses import PAGES, Row
from tests.browser.groups import FIRST, SECOND
from tests.browser.readers import Readers
from tests.browser.site import Site
from tests.browser.survey import Look, looks_of, survey
from tests.chance import EXHAUSTIVE

Record = Callable[[str, object], None]

ROWS = [
    pytest.param(
        row,
        looks_of(at // 2),
        EXHAUSTIVE or at // 4 % 2 == 0,
        marks=SECOND if at % 2 else FIRST,
        id=row.name,
    )
    for at, row in enumerate(PAGES)
]
"""With the looks, and whether in Japanese: in ``make check`` every other two pages."""


@pytest.mark.exhaustive
@pytest.mark.sampled(12, check=1)
@pytest.mark.parametrize(("row", "looks", "in_japanese"), ROWS)
def test_a_page_keeps_what_every_page_promises(
    site: Site,
    readers: Readers,
    row: Row,
    looks: tuple[Look, ...],
    in_japanese: bool,
    record_property: Record,
) -> None:
    """No error, nothing grave for axe, no sideways scrolling, content without script, budgets."""
    found = survey(readers, site, row, looks, in_japanese=in_japanese)
    record_property("figures", found.figures.line(row.name))
    assert "\n".join(found.defects) == ""
