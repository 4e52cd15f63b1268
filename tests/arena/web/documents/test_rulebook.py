"""Every preset and every option of the engine is explained, and what names one links there."""

from __future__ import annotations

import pytest
from django.utils.html import strip_tags

from arena.web.base.documents import rulebook
from arena.web.base.documents.links import option_link, preset_link
from engine import all_games

PRESETS = [(game, preset) for game in all_games().values() for preset in game.presets]


def test_every_preset_has_a_page() -> None:
    assert set(rulebook.presets()) == {preset for _, preset in PRESETS}


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_every_option_that_applies_is_explained(game: object, preset: str) -> None:
    game_of = {name: found for found, name in PRESETS}
    has = game_of[preset].presets[preset].as_dict()
    explained = {option.name: option for option in rulebook.options(preset)}
    assert [name for name, value in has.items() if value is not None and name not in explained] == []
    assert [name for name, option in explained.items() if len(option.meaning) < 10] == []
    assert {name: option.value for name, option in explained.items()} == {
        name: rulebook.format_value(has[name]) for name in explained
    }


def test_what_differs_from_the_family_is_marked() -> None:
    changed = {preset: [o.name for o in rulebook.options(preset) if o.differs] for _, preset in PRESETS}
    assert changed["kakeya6.league"] == ["hand_cap"]
    assert changed["kakeya4.nakayoshi"] == ["schedule"]
    assert changed["kakkuri.league"] == ["fuwaru"]
    assert changed["kakkuri"] == changed["etori.meiji"] == []


def test_names_link_to_what_they_mean() -> None:
    page, title = "/rules/presets/kakeya4.league", "Kakeya, 4 players, league rules"
    assert preset_link("kakeya4.league") == f'<a href="{page}">{title}</a>'
    assert option_link("kakeya4", "hand_cap") == '<a href="/rules/presets/kakeya4#hand_cap">hand_cap</a>'
    assert preset_link("<b>") == "&lt;b&gt;"
    assert option_link("kakeya4", "meiji_score") == "meiji_score", "it does not apply"


@pytest.mark.parametrize("preset", ["kakeya6", "etori.simple6", "etori.meiji", "kakkuri"])
def test_every_meaning_can_be_read_in_japanese(preset: str) -> None:
    pairs = zip(rulebook.options(preset), rulebook.options(preset, "ja"), strict=True)
    assert [english.name for english, other in pairs if english.meaning == other.meaning] == []
    assert rulebook.options(preset, "ja")[0].meaning.isascii() is False
    terms = zip(rulebook.glossary(), rulebook.glossary("ja"), strict=True)
    assert [english.anchor for english, other in terms if english.meaning == other.meaning] == []


def test_values_can_be_read_in_japanese() -> None:
    values = {option.name: strip_tags(option.values) for option in rulebook.options("kakeya4.league", "ja")}
    assert values["stones"] == "5、または1〜1000"
    assert not [name for name, text in values.items() if " or " in text]


def test_the_glossary_marks_japanese() -> None:
    terms = rulebook.glossary()
    assert len(terms) > 12
    assert len({term.anchor for term in terms}) == len(terms)
    assert all('lang="ja"' in term.name for term in terms if not term.name.isascii())
