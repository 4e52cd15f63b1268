"""The folders an entrant copies work as they stand, under every preset of their game."""

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import bots.template
from bots.kit.local.new import POLICY, template_folder
from bots.sdk import Bot
from engine import all_games, preset_named
from tests.bots.asking import answer_to, line_for, play_board, position

ROOT = Path(bots.template.__file__).parent
TEMPLATES = sorted(path.name for path in ROOT.iterdir() if (path / "rensho.toml").is_file())
TEMPLATES.remove(POLICY)  # Needs files that only ``rensho new`` writes: tests/bots/rl/test_policies.py.
PRESETS = [preset for game in all_games().values() for preset in game.presets]


def template_bot(name):
    found = import_module(f"bots.template.{name}.main").MyBot()
    assert isinstance(found, Bot)
    return found


def test_games_have_templates_of_their_own_and_one_plays_any():
    assert {"kakeya", "kakkuri", "generic"} <= {*TEMPLATES} <= {*all_games(), "generic"}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_manifest_names_the_program(name):
    manifest = tomllib.loads((ROOT / name / "rensho.toml").read_text())
    assert manifest == {"name": template_bot(name).name, "runtime": "python/1", "entry_point": "main.py"}
    assert (ROOT / name / manifest["entry_point"]).is_file()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("is_own", [True, False])
def test_it_plays_deals_under_every_preset_with_legal_answers_only(preset, is_own):
    game, ruleset = preset_named(preset)
    name = template_folder(game.key).name if is_own else "generic"
    for number in range(1, 7):
        bots_by_seat = {seat: template_bot(name) for seat in range(1, game.seats(ruleset) + 1)}
        # apply refuses whatever is not legal.
        _, state = play_board(bots_by_seat, preset, number=number)
        assert state.outcome() is not None


@pytest.mark.parametrize(
    "preset", ["kakeya4.league", "kakeya6.league", "etori.simple6", "etori.meiji", "kakkuri"]
)
def test_it_plays_whole_games(preset):
    game, ruleset = preset_named(preset)
    name = template_folder(game.key).name
    bots_by_seat = {seat: template_bot(name) for seat in range(1, game.seats(ruleset) + 1)}
    _, state = play_board(bots_by_seat, preset, kind="game")
    assert state.outcome() is not None


def played(hands, plays):
    state = position(hands, plays)
    return answer_to(template_bot("kakeya"), line_for(state, state.to_act[0]))


def test_it_does_what_its_comments_say():
    gift = {3: ["9H"], 4: ["AH"], 1: ["2H"], 2: ["3H", "JH", "QH"]}
    assert played(gift, ["9H", "AH", "2H"]) == "JH"
    winner = {3: ["JH"], 4: ["2H"], 1: ["4H"], 2: ["3H", "QH", "KH"]}
    assert played(winner, ["JH", "2H", "4H"]) == "QH"
    assert played(winner, ["JH"]) == "2H"
