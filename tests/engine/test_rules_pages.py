"""The tables of presets and options in docs/rules against the rulesets."""

import json
import re
from pathlib import Path

import pytest

from engine import EngineError, all_games, preset_named
from tests.refusals import refusal

PAGES = Path(__file__).parents[2] / "docs" / "rules"
GAMES = {"kakeya": "kakeya", "etori": "kakeya", "kakkuri": "kakkuri"}
"""By page."""


def rows(page, heading):
    """The first table of a section, its head first."""
    text = (PAGES / f"{page}.md").read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = text[text.index("\n|") + 1 :].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table if "---" not in line]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def value(text):
    try:
        return json.loads(text)
    except ValueError:
        return None if text == "none" else text


def options(page):
    """By preset that has a column: by option, the values named, default first; none if it does not apply."""
    head, *found = rows(page, "Options")
    return {
        names(preset)[0]: {names(row[0])[0]: [*map(value, names(row[at]))] for row in found}
        for at, preset in enumerate(head[1:-1], 1)
    }


def test_every_preset_has_a_row():
    listed = [names(row[0])[0] for page in GAMES for row in rows(page, "Presets")[1:]]
    assert sorted(listed) == sorted(preset for game in all_games().values() for preset in game.presets)


@pytest.mark.parametrize("page", GAMES)
def test_the_options_of_every_preset_are_the_ruleset_s(page):
    columns = options(page)
    for name, _, differences in rows(page, "Presets")[1:]:
        preset = names(name)[0]
        own = [at for at in columns if preset == at or preset.startswith(f"{at}.")]
        documented = {option: values[0] if values else None for option, values in columns[own[-1]].items()}
        if preset not in columns:
            documented |= {option: value(text) for option, text in (n.split("=") for n in names(differences))}
        _, ruleset = preset_named(preset)
        assert documented == ruleset.as_dict(), preset


@pytest.mark.parametrize("page", GAMES)
def test_every_value_named_is_one_the_ruleset_takes(page):
    game = all_games()[GAMES[page]]
    for preset, described in options(page).items():
        for option, values in described.items():
            for given in values:
                game.ruleset(preset, {option: given})
            refusal(EngineError, game.ruleset, preset, {option: "nonsense"})
