"""The pages of the rules name every preset, option, decision and test vector, with what the code has."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Game, RulesetError, all_games
from engine.games import family_of
from engine.games.kakeya.options import OPTIONS, Choice
from engine.games.kakeya.ruleset import VARIANT_OF
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES

RULES = Path(__file__).resolve().parents[1] / "docs" / "rules"

VECTORS = {
    "kakeya": {*range(1, 41), 45, 46},
    "etori": {*range(41, 45), 84, 85},
    "kakkuri": {*range(47, 84)},
}
DECISIONS = {"kakeya": {*range(1, 19)}, "etori": {14, *range(18, 22)}, "kakkuri": {*range(22, 53)}}
"""Those that each page must list; Etori's also repeats decisions of Kakeya."""

GAMES = [game for game in all_games().values() if (RULES / f"{game.key}.md").is_file()]
PRESETS = [(game, preset) for game in GAMES for preset in game.presets]

WORDS = {"none": None, "true": True, "false": False}


def page(name: str) -> str:
    return (RULES / f"{name}.md").read_text()


def section(name: str, heading: str) -> str:
    """What a page has below a heading, as far as the next one of the same level."""
    _, found, rest = page(name).partition(f"\n## {heading}\n")
    assert found, f"docs/rules/{name}.md has no heading '## {heading}'"
    return rest.split("\n## ")[0]


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a text, each as rows of cells; the first row is the head."""
    found = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    lines = [[line for line in table.splitlines() if not re.fullmatch(r"[|\-: ]+", line)] for table in found]
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in table] for table in lines]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def value(text: str) -> Any:
    """An option's value as Python has it. Any, as options are of several types."""
    return WORDS.get(text, int(text) if text.isdecimal() else text)


def numbered(name: str, heading: str, letter: str) -> list[int]:
    """The numbers in the first column of a section's tables."""
    cells = [row[0] for table in tables(section(name, heading)) for row in table]
    return [int(cell[1:]) for cell in cells if re.fullmatch(rf"{letter}\d+", cell)]


def options(name: str, preset: str) -> dict[str, list[Any]]:
    """By option, its values for a preset as its page lists them, the default first; None where it has none.

    A preset without a column of its own has that of the one whose name it begins with, and differs as the
    table of presets says.
    """
    head, *rows = next(t for t in tables(section(name, "Options")) if t[0][0] == "Option")
    columns = {code(cell)[0]: index for index, cell in enumerate(head) if code(cell)}
    base = preset if preset in columns else preset.rpartition(".")[0]
    listed = {code(row[0])[0]: [*map(value, code(row[columns[base]]))] or [None] for row in rows}
    (differences,) = [row[-1] for row in tables(section(name, "Presets"))[0] if row[0] == f"`{preset}`"]
    for difference in code(differences):
        option, found, other = difference.partition("=")
        if found:
            listed[option].insert(0, value(other))
    return listed


def not_offered(name: str) -> Iterator[tuple[str, str]]:
    """Options and values that a page says the engine does not offer."""
    for head, *rows in tables(section(name, "Options")):
        if head[0] == "Reading":
            for row in rows:
                option, _, other = code(row[0])[0].partition("=")
                yield option, other


def choices(game: Game, preset: str) -> dict[str, set[Any]]:
    """The values of every option that is one of a few, as the code knows them."""
    if game.key == "kakkuri":
        return {
            **{name: set(values) for name, values in CHOICES.items()},
            **{name: {True, False} for name in SWITCHES},
        }
    domains = OPTIONS[VARIANT_OF[preset]]
    return {name: set(domain.values) for name, domain in domains.items() if isinstance(domain, Choice)}


def test_the_pages_name_the_presets_of_the_code_and_no_others():
    named = {name: [code(row[0])[0] for row in tables(section(name, "Presets"))[0][1:]] for name in VECTORS}
    assert sorted(preset for presets in named.values() for preset in presets) == sorted(
        preset for _, preset in PRESETS
    )
    assert {name: {family_of(preset) for preset in presets} for name, presets in named.items()} == {
        name: {name} for name in VECTORS
    }


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_every_option_stands_in_the_page_with_the_default_of_the_code(game, preset):
    defaults = {name: values[0] for name, values in options(family_of(preset), preset).items()}
    has = game.presets[preset].as_dict()
    assert {name: (type(default), default) for name, default in defaults.items()} == {
        name: (type(default), default) for name, default in has.items()
    }


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_every_value_that_a_page_lists_is_one_the_code_takes(game, preset):
    for name, values in options(family_of(preset), preset).items():
        for listed in values:
            assert game.ruleset(preset, {name: listed}).as_dict()[name] == listed


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_every_value_that_the_code_takes_is_listed(game, preset):
    listed = options(family_of(preset), preset)
    known = choices(game, preset)
    assert known
    assert {name: set(listed.get(name, ())) for name in known} == known


@pytest.mark.parametrize(("game", "preset"), PRESETS, ids=[preset for _, preset in PRESETS])
def test_what_a_page_leaves_out_the_code_refuses(game, preset):
    readings = list(not_offered(family_of(preset)))
    assert readings
    for name, other in readings:
        with pytest.raises(RulesetError):
            game.ruleset(preset, {name: value(other)})


@pytest.mark.parametrize("name", VECTORS)
def test_every_option_of_a_decision_is_offered_or_left_out_with_a_reason(name):
    explained = {row[0] for row in not_offered(name)}
    for head, *rows in tables(section(name, "Options")):
        explained |= {code(row[0])[0] for row in rows} if head[0] == "Option" else set()
    (decisions,) = tables(section(name, "Decisions"))
    cited = {(row[0], span.split("=")[0]) for row in decisions for span in code(row[-1])}
    assert cited
    assert {(number, option) for number, option in cited if option not in explained} == set()
    left_out = {f"{option}={other}" for option, other in not_offered(name)}
    assert {span for row in decisions for span in code(row[-1].partition("not offered:")[2])} == left_out


@pytest.mark.parametrize("name", VECTORS)
def test_a_page_has_its_decisions(name):
    found = numbered(name, "Decisions", "D")
    assert found == sorted(set(found)), "each once, in order"
    extra = set() if name != "etori" else DECISIONS["kakeya"]
    assert DECISIONS[name] <= set(found) <= DECISIONS[name] | extra


@pytest.mark.parametrize("name", VECTORS)
def test_a_page_has_its_test_vectors(name):
    assert numbered(name, "Test vectors", "T") == sorted(VECTORS[name]), "each once, in order"


def test_no_number_is_missing():
    assert set().union(*DECISIONS.values()) == set(range(1, 53))
    assert sorted(number for numbers in VECTORS.values() for number in numbers) == list(range(1, 86))
