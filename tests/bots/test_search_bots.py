"""The search bots of examples/python and of docs/searching.md play legal boards."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from bots.house.kakkuri_search import main
from engine import preset_named
from tests.bots.asking import hello_for, house_bot, play_board

ROOT = Path(__file__).parents[2]
FOLDERS = {"kakeya": "KakeyaSearch", "kakkuri": "KakkuriSearch"}


def loaded(game):
    path = ROOT / "examples" / "python" / f"{game}_search" / "main.py"
    spec = importlib.util.spec_from_file_location(f"{game}_search", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.THINK_MS, module.DEALS = 1.0, 20
    return getattr(module, FOLDERS[game])


@pytest.mark.parametrize(
    ("preset", "kind"),
    [("kakeya6.league", "deal"), ("etori.meiji", "deal"), ("kakkuri", "deal"), ("kakkuri.league", "deal")],
)
def test_an_example_plays_with_legal_answers_only(preset, kind):
    game, ruleset = preset_named(preset)
    bots = {seat: house_bot(f"{game.key}_rules") for seat in range(1, game.seats(ruleset) + 1)}
    bots[2] = loaded(game.key)()
    # apply refuses whatever is not legal.
    _, state = play_board(bots, preset, kind, number=2)
    assert state.outcome() is not None


def test_the_house_bot_that_searches_says_that_the_kernel_is_slow(monkeypatch, capsys):
    for is_compiled in (True, False):
        monkeypatch.setattr(main, "is_compiled", is_compiled)
        house_bot("kakkuri_search").reply_to(hello_for("kakkuri", 1))
    (line,) = capsys.readouterr().err.splitlines()
    assert "make setup" in line


@pytest.mark.parametrize("game", FOLDERS)
def test_an_example_is_a_bundle_of_under_60_lines(game):
    folder = ROOT / "examples" / "python" / f"{game}_search"
    manifest = tomllib.loads((folder / "rensho.toml").read_text())
    assert manifest == {"name": f"{game}-search", "runtime": "python/2", "entry_point": "main.py"}
    assert loaded(game).name == manifest["name"]
    assert len((folder / "main.py").read_text().splitlines()) < 60


@pytest.mark.parametrize("preset", ["kakeya4", "kakkuri.league"])
def test_the_bot_of_the_page_plays(preset):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "searching.md").read_text(), re.DOTALL)
    assert code.endswith('if __name__ == "__main__":\n    Mine().run()\n'), "or it ends before it is asked"
    names = {}
    exec(code.replace("range(40)", "range(2)"), names)
    game, ruleset = preset_named(preset)
    bots = {seat: names["Mine"]() for seat in range(1, game.seats(ruleset) + 1)}
    _, state = play_board(bots, preset)
    assert state.outcome() is not None


def test_the_example_of_the_kernel_page_prints_every_legal_card(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "kernel.md").read_text(), re.DOTALL)
    exec(code, {})
    assert len(capsys.readouterr().out.splitlines()) == 13
