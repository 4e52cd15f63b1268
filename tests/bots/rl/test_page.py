"""The examples and tables of docs/rl.md."""

import re
from pathlib import Path

import pytest

from bots.rl.layouts import LAYOUTS

PAGE = (Path(__file__).parents[3] / "docs" / "rl.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(EXAMPLES[number], f"docs/rl.md, example {number}", "exec"), {})


@pytest.mark.parametrize("game", LAYOUTS)
def test_the_table_of_a_layout_has_its_fields(game):
    layout = LAYOUTS[game]
    said = f"Layout `{game}`, version {layout.version}: {layout.size} inputs, {len(layout.actions)} actions"
    section = PAGE[PAGE.index(said) :].partition("\n### ")[0].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\dx ]+) \|", section, re.MULTILINE)
    assert rows == [(field.name, " x ".join(map(str, field.shape))) for field in layout.fields]
