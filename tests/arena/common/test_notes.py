"""Notes in the reader's language."""

from __future__ import annotations

import re

import pytest
from django.utils import translation
from django.utils.html import conditional_escape

from arena.common.notes import TEXTS, Note, note_in_english, note_text, typed_note
from arena.web.templatetags.rensho import noted


class Values(dict[str, int]):
    """1 for every value that a text needs."""

    def __missing__(self, name: str) -> int:
        self[name] = 1
        return 1


def note_of(code: str) -> Note:
    values = Values()
    _ = TEXTS[code] % values
    return {**values, "code": code, "text": "<rain>", "why": "<a bracket needs 2>"}


@pytest.mark.parametrize("code", sorted(set(TEXTS) - {"typed", "fault"}))
def test_every_note_has_a_text_in_each_language(code: str) -> None:
    note = note_of(code)
    with translation.override("ja"):
        japanese = note_text(note)
        assert note_in_english(note) != japanese
    assert not re.search(r"%\(|\{", japanese)


def test_words_of_people_stay_as_they_are() -> None:
    with translation.override("ja"):
        assert note_text(typed_note("closed early")) == "closed early"
    assert note_text({}) == noted({}) == ""


def test_errors_in_a_note_are_marked_as_english_and_nothing_is_taken_for_markup() -> None:
    note = note_of("audit_found")
    assert conditional_escape(noted(note)) == conditional_escape(note_text(note)).replace(
        "&lt;a bracket needs 2&gt;", '<span lang="en">&lt;a bracket needs 2&gt;</span>'
    )
    assert "<rain>" not in conditional_escape(noted(typed_note("<rain>")))
