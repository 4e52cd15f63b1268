"""Which ladders an environment asks for, or one sentence that says what is wrong with it."""

from __future__ import annotations

import pytest

from arena.settings.ladders import LadderSettings, ladder_settings_of


def test_what_is_not_named_keeps_its_default() -> None:
    assert ladder_settings_of({}) == LadderSettings()
    assert ladder_settings_of({"RENSHO_LADDERS": " ", "RENSHO_LADDER_BOARDS": "16"}).boards == 16


def test_presets_are_named_whole_or_by_their_seats() -> None:
    found = ladder_settings_of({"RENSHO_LADDERS": "kakeya4.league, kakkuri:3"})
    wanted = [("kakeya4.league", 4), ("kakkuri", 3), ("kakkuri", 4), ("kakeya4", 4)]
    assert [found.includes(*each) for each in wanted] == [True, True, False, False]
    assert LadderSettings().includes("kakeya4", 4)
    assert not ladder_settings_of({"RENSHO_LADDERS": "none"}).includes("kakeya4", 4)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("RENSHO_LADDER_BOARDS", "1", "whole number"),
        ("RENSHO_LADDER_SEASON_MONTHS", "4", "1, 3, 6, 12"),
        ("RENSHO_LADDER_BOT", "1", "RENSHO_LADDER_BOT "),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(name: str, text: str, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        ladder_settings_of({name: text})
