"""Notes that the platform stores in English, for readers of another language."""

from __future__ import annotations

import pytest
from django.utils.html import conditional_escape

from arena.web import notes
from arena.web.notes import noted

PAIRS = "1 of 3 pairs of neighbours not separated"
WRITTEN = [
    "closed early",
    "closed early: the hall closes",
    "cancelled",
    "nobody of the stage before is left to play it",
    "its last edition was made",
    "after 1 pass all neighbours of the table are separated",
    f"3 passes played, the most there may be; {PAIRS}",
    f"budget_spent: after 2 passes 10 of 600 CPU-seconds remain, a pass takes 80; {PAIRS}",
    "it cannot be played by 1 entries: a bracket has 2 entries at least",
    "the audit found 2 disagreements, the first: table abc: <b>",
]
"""As ``jobs.flow``, ``standings.services``, ``standings.passes`` and ``competition.editions`` write them."""


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language in which every text is marked."""
    monkeypatch.setattr(notes, "_", lambda text: f"«{text}»")
    monkeypatch.setattr(notes, "ngettext", lambda one, many, count: f"«{one if count == 1 else many}»")


@pytest.mark.usefixtures("translated")
@pytest.mark.parametrize("note", WRITTEN)
def test_what_the_platform_writes_is_translated(note: str) -> None:
    said = noted(note)
    assert said.startswith("«")
    assert "%(" not in said


@pytest.mark.usefixtures("translated")
@pytest.mark.parametrize("note", ["", "Rain.", "雨で中止", "the hall closes early: 5 o'clock"])
def test_what_people_typed_stays_as_it_is(note: str) -> None:
    assert noted(note) == note


def test_what_is_in_english_alone_is_marked_so_and_no_markup_gets_through() -> None:
    assert conditional_escape(noted(WRITTEN[-1])) == (
        'the audit found 2 disagreements, the first: <span lang="en">table abc: &lt;b&gt;</span>'
    )
    assert conditional_escape(noted("closed early: <b>")) == "closed early: &lt;b&gt;"
    assert noted(WRITTEN[7]).startswith("the budget is spent: after 2 passes 10 of 600 CPU-seconds remain")
