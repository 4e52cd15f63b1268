"""What the demo would play, from the games a site has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.competition.games import games_described, preset_described
from benchmarks.demo.programme import DemoEvent, plans_of, programme

BOTS = Path(__file__).resolve().parents[2] / "bots"


def events_shown(games: list[dict[str, Any]], bots: Path = BOTS, boards: int = 16) -> list[DemoEvent]:
    sides = {}
    for game in games:
        for preset in plans_of(game):
            known = game["key"] in {row["key"] for row in games_described()}
            sides[preset] = len(preset_described(game["key"], preset)["sides"]) if known else 3
    return programme(games, sides, bots, boards)


def test_every_game_with_house_bots_is_played() -> None:
    events = events_shown(games_described())
    assert [event.name for event in events] == ["kakeya4", "kakeya6", "kakkuri"]
    played = {part.game for event in events for part in event.parts}
    assert played == {folder.name.partition("_")[0] for folder in (BOTS / "house").glob("*_greedy")}
    for event in events:
        assert all((part.folder / "rensho.toml").is_file() for part in event.parts)
        accounts = [part.account for part in event.parts]
        assert len(set(accounts)) == len(accounts), "nobody meets a bot of the same owner"


def test_the_house_bots_of_kakkuri_come_twice_and_one_of_them_sits_out() -> None:
    kakkuri = events_shown(games_described())[-1]
    assert (kakkuri.ruleset, len(kakkuri.parts)) == ({"seats": 5}, 6)
    folders = [part.folder.name for part in kakkuri.parts]
    assert sorted(set(folders)) == ["kakkuri_greedy", "kakkuri_random", "kakkuri_rules"]
    assert [part.account for part in kakkuri.parts][::3] == ["house", "guest"]


def test_a_bot_that_plays_two_events_is_uploaded_once() -> None:
    kakeya4, kakeya6, _ = events_shown(games_described())
    assert set(kakeya6.parts) < set(kakeya4.parts)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """One house bot of a game nobody has heard of."""
    folder = tmp_path / "house" / "toy_plain"
    folder.mkdir(parents=True)
    (folder / "rensho.toml").write_text('name = "toy_plain"\n')
    (tmp_path / "house" / "toy_notes").mkdir()
    return tmp_path


def test_a_new_game_is_shown_with_its_first_preset_and_a_full_table(bots: Path) -> None:
    toy = {"key": "toy", "presets": ["toy3", "toy5"]}
    (event,) = events_shown([toy, *games_described()], bots)
    assert (event.preset, event.boards) == ("toy3", 16)
    assert [part.account for part in event.parts] == ["house-plain", "guest-plain", "guest2-plain"]


def test_a_known_preset_that_is_missing_is_left_out() -> None:
    (event,) = events_shown([{"key": "kakeya", "presets": ["kakeya4.league"]}])
    assert event.preset == "kakeya4.league"


def test_few_boards_stay_boards() -> None:
    assert {event.boards for event in events_shown(games_described(), boards=1)} == {1}
