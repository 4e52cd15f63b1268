"""Whole boards as text, compared line by line. ``make playthroughs`` writes them anew; read the diff."""

import pytest

from engine import all_games
from engine.playthrough import FOLDER, KINDS, SEED, main, playthrough, playthrough_name

NAMES = {
    playthrough_name(preset, kind, SEED): (preset, kind)
    for game in all_games().values()
    for preset in game.presets
    for kind in KINDS
}


@pytest.mark.parametrize("name", NAMES)
def test_the_game_still_goes_as_written(name):
    path = FOLDER / name
    assert path.exists(), f"{name} is missing: run make playthroughs, read it, commit it"
    now = playthrough(*NAMES[name], SEED).splitlines()
    for number, (line, written) in enumerate(zip(now, path.read_text().splitlines(), strict=False), start=1):
        assert line == written, f"{name}, line {number}"
    assert now == path.read_text().splitlines()


def test_no_file_is_left_of_a_preset_that_is_gone():
    assert sorted(path.name for path in FOLDER.glob("*")) == sorted(NAMES)


def test_writing_them_anew_changes_nothing(tmp_path, capsys):
    (tmp_path / "kakeya9-deal-demo.txt").write_text("of a preset that is gone")
    assert main(tmp_path) == 0
    assert sorted(path.name for path in tmp_path.glob("*")) == sorted(NAMES)
    assert all((tmp_path / name).read_bytes() == (FOLDER / name).read_bytes() for name in NAMES)
    assert str(len(NAMES)) in capsys.readouterr().out
