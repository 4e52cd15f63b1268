"""The example of docs/kit.md#matches-from-python."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

PAGE = (Path(__file__).parents[3] / "docs" / "kit.md").read_text()
SECTION = PAGE[PAGE.index("## Matches from Python") : PAGE.index("## From Python")]


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(example, "docs/kit.md", "exec"), {})
    assert "highest (in process)" in capsys.readouterr().out
    assert (tmp_path / "board-2.html").read_text().startswith("<!doctype html>")
