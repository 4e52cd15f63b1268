"""Titles and notes that formats give in English, in the reader's language."""

from __future__ import annotations

import pytest
from django.utils import translation

from arena.web.titles import KNOWN, localized
from league.formats import all_formats
from league.formats.single_elimination import match_name, round_name


@pytest.mark.parametrize(
    ("text", "japanese"),
    [
        ("Round 3", "第3ラウンド"),
        ("Round of 16", "ベスト16"),
        (
            "winner of match 3 of the round of 16, loser of semi-final 2",
            "ベスト16第3試合の勝者、準決勝第2試合の敗者",
        ),
        ("level, to be replayed", "同点のため再戦"),
        ("bye", "不戦勝"),
        ("a note of tomorrow", "a note of tomorrow"),
    ],
)
def test_numbers_and_matches_are_put_where_the_language_wants_them(text: str, japanese: str) -> None:
    assert localized(text) == text
    with translation.override("ja"):
        assert localized(text) == japanese


def test_every_format_and_match_of_a_bracket_is_known() -> None:
    texts = [found.title for found in all_formats().values()]
    texts += [round_name(matches) for matches in (1, 2, 4, 8, 64)]
    texts += [match_name(matches, 1) for matches in (1, 2, 4, 8, 64)]
    with translation.override("ja"):
        assert [text for text in texts if localized(text) == text] == []
    assert len(KNOWN) > len(texts)
