"""The folder an entrant copies works as it stands."""

import tomllib
from importlib import import_module
from pathlib import Path

import bots
from bots.sdk import Bot
from tests.bots.asking import answer_to, line_for, position
from tests.referee.orders import play

FOLDER = Path(bots.__file__).parent / "template" / "kakeya"


def template_bot():
    found = import_module("bots.template.kakeya.main").MyBot()
    assert isinstance(found, Bot)
    return found


def test_the_manifest_names_the_program():
    manifest = tomllib.loads((FOLDER / "rensho.toml").read_text())
    assert manifest == {"name": template_bot().name, "runtime": "python/1", "entry_point": "main.py"}
    assert (FOLDER / manifest["entry_point"]).is_file()


def test_it_plays_deal_boards_and_games_without_a_fault():
    for kind, preset in (("deal", "kakeya4"), ("game", "kakeya4.league")):
        speakers = {seat: template_bot().reply_to for seat in (1, 2, 3, 4)}
        report, _ = play(speakers, boards=2, kind=kind, preset=preset)
        assert {seat.verdict for seat in report.seats} == {"OK"}


def played(hands, plays):
    state = position(hands, plays)
    return answer_to(template_bot(), line_for(state, state.to_act[0]))


def test_it_does_what_its_comments_say():
    gift = {3: ["9H"], 4: ["AH"], 1: ["2H"], 2: ["3H", "JH", "QH"]}
    assert played(gift, ["9H", "AH", "2H"]) == "JH"
    winner = {3: ["JH"], 4: ["2H"], 1: ["4H"], 2: ["3H", "QH", "KH"]}
    assert played(winner, ["JH", "2H", "4H"]) == "QH"
    assert played(winner, ["JH"]) == "2H"
