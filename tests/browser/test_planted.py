"""The checks of this folder refuse what they are for: each planted fault is found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.addresses import Row
from tests.browser.groups import FIRST
from tests.browser.planted import FAULTS, INVALID, SOUND, Planted, serving
from tests.browser.readers import Readers
from tests.browser.site import Site
from tests.browser.stepping import betrayed, cards_on_the_way, misshown, table_of, walk
from tests.browser.survey import survey
from tests.browser.validator import findings

pytestmark = [FIRST, pytest.mark.full]

PAGE = Row("planted", "/planted")


def test_the_page_without_a_fault_passes(readers: Readers, tmp_path: Path) -> None:
    with serving(SOUND, tmp_path) as site:
        assert survey(readers, site, PAGE).defects == []
    (tmp_path / "sound.html").write_text(SOUND.html)
    assert findings(tmp_path) == {}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found(readers: Readers, tmp_path: Path, fault: Planted) -> None:
    with serving(fault, tmp_path) as site:
        defects = survey(readers, site, PAGE).defects
    assert [line for line in defects if line.startswith(fault.expected)], defects


def test_invalid_html_is_found(tmp_path: Path) -> None:
    for fault in INVALID:
        (tmp_path / f"{fault.name}.html").write_text(fault.html)
    found = findings(tmp_path)
    rules = {name: {line.partition(":")[0] for line in lines} for name, lines in found.items()}
    assert [fault.name for fault in INVALID if fault.expected not in rules.get(fault.name, ())] == []


@pytest.mark.parametrize("place", ["body", ".replay", ".replay-side"])
def test_a_card_of_another_hand_is_found_wherever_it_is(site: Site, readers: Readers, place: str) -> None:
    row, deals = table_of(site, "kakeya4")
    card = deals[0].frames[0].hands["2"][0]
    with readers.visit(site, row) as seen:
        seen.page.keyboard.press("1")
        assert betrayed(cards_on_the_way(seen.page), deals[0], "1") == []
        seen.page.evaluate(
            """([place, card]) => {
              const hidden = document.createElement("i");
              hidden.className = "gone";
              hidden.dataset.card = card;
              document.querySelector(place).append(hidden);
            }""",
            [place, card],
        )
        found = betrayed(cards_on_the_way(seen.page), deals[0], "1")
    assert found[0] == f"position 0: {card} of seat 2"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("hands", "document.querySelector('[data-hand] [data-card]').remove()"),
        ("trick", "document.querySelector('[data-slot] [data-card]').dataset.card = 'ZZ'"),
        ("captured", "document.querySelector('[data-captured]').remove()"),
        ("stones", "document.querySelector('.replay-result .n b').textContent = '+7'"),
        ("winner", "document.querySelectorAll('[data-slot]').forEach((e) => { e.dataset.slot += '0'; })"),
    ],
)
def test_a_position_that_shows_something_else_is_found(
    site: Site, readers: Readers, name: str, change: str
) -> None:
    row, deals = table_of(site, "kakeya4")
    with readers.visit(site, row) as seen:
        seen.page.evaluate(change)
        shown, _ = walk(seen.page, "ArrowRight")
    found = [line for at, there in enumerate(shown) for line in misshown(there, at, deals[0])]
    assert [line for line in found if f", {name}: " in line]
