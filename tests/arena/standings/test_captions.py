"""Texts of the headings and notes of formats."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation

from arena.standings.captions import TEXTS, caption_text, group_name
from league.formats import format_named, offered_formats
from league.stage import Caption
from tests.league.formats.simulated import names, play


def named_in(value: object) -> Iterator[Caption]:
    """All captions in a display."""
    if isinstance(value, Caption):
        yield value
    if isinstance(value, tuple):
        for part in value:
            yield from named_in(part)


@pytest.mark.parametrize("key", sorted(offered_formats()))
def test_every_caption_of_a_format_has_a_text_in_each_language(key: str) -> None:
    format_ = format_named(key)
    stage, _ = play(key, names(12), seed=1, **({"per_side": 2} if format_.mixes_partners else {}))
    captions = {
        caption
        for rounds in range(len(stage.rounds) + 1)
        for caption in named_in(format_.display(stage._replace(rounds=stage.rounds[:rounds])))
    }
    assert captions
    for caption in captions:
        english = caption_text(caption)
        number = group_name(caption.n) if caption.code == "group" else str(caption.n or "")
        assert number in english
        with translation.override("ja"):
            assert caption_text(caption) != english
            assert "{" not in caption_text(caption)


def test_every_text_is_translated() -> None:
    with translation.override("ja"):
        assert [code for code, text in TEXTS.items() if translation.gettext(text) == text] == []
