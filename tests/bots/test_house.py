"""House bots play whole boards legally, and each decision follows from its one line."""

import ast
import json
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from bots.house import house_folders
from engine import all_games, preset_named
from engine.games.kakeya.options import OPTIONS as kakeya_options
from engine.games.kakeya.options import Choice
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from engine.wire import BYE, parse_answer, parse_ready
from tests.bots.asking import (
    HOUSE,
    SEARCHES,
    answer_to,
    hello_for,
    house_bot,
    house_class,
    house_of,
    play_board,
    position,
    request_for,
    rules_of,
)
from tests.referee.orders import play

PRESETS = [preset for game in all_games().values() for preset in game.presets]
GAME_OF = {preset: game.key for game in all_games().values() for preset in game.presets}
PLAYERS = [(name, preset) for preset in PRESETS for name in house_of(GAME_OF[preset])]
"""Every house bot with every preset of its game."""
DEFAULT = {"kakeya": "kakeya4", "kakkuri": "kakkuri"}
BOUNDED = {"kakeya": {"hand_cap": 6}, "kakkuri": {"hands": 3}}
"""Options that keep a game board short."""


LONG_BANK_MS = 60_000
"""A bank with which searches end after their number of simulations, however busy the machine is."""


def preset_of(name):
    return DEFAULT[name.partition("_")[0]]


def seats_of(name, preset=None, options=None):
    game, ruleset = rules_of(preset or preset_of(name), options)
    return {seat: house_bot(name) for seat in range(1, game.seats(ruleset) + 1)}


def speakers_of(name, preset=None, options=None):
    return {seat: bot.reply_to for seat, bot in seats_of(name, preset, options).items()}


def short(preset):
    """Options that end a game board of this preset soon."""
    _, ruleset = preset_named(preset)
    if preset == "etori.meiji":
        return {"hands": 4}
    return {name: value for name, value in BOUNDED[GAME_OF[preset]].items() if name in ruleset.as_dict()}


def test_every_folder_is_a_bundle_with_a_manifest():
    assert list(house_folders()) == sorted(HOUSE)
    for name, folder in house_folders().items():
        manifest = tomllib.loads((folder / "rensho.toml").read_text())
        parameters = manifest.pop("parameters", {})
        assert SEARCHES.get(name, {}).keys() <= parameters.keys()
        runtime = "python/2" if name in SEARCHES else "python/1"
        assert manifest == {"name": name, "runtime": runtime, "entry_point": "main.py"}
        assert (folder / manifest["entry_point"]).is_file()
        assert house_class(name).name == name


def test_house_bots_import_only_what_is_offered_to_entrants():
    for name, folder in house_folders().items():
        nodes = list(ast.walk(ast.parse((folder / "main.py").read_text())))
        names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        names |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        offered = {"bots.sdk"} | ({"bots.sdk.kakeya_search", "engine.kernel"} if name in SEARCHES else set())
        assert {found for found in names if found.split(".")[0] not in sys.stdlib_module_names} <= offered


def test_games_with_house_bots_have_a_random_a_greedy_and_a_rule_based_player():
    games = dict.fromkeys(name.partition("_")[0] for name in HOUSE)
    assert [name for name in HOUSE if name not in SEARCHES] == [
        f"{game}_{kind}" for game in games for kind in ("random", "greedy", "rules")
    ]
    assert {"kakeya", "kakkuri"} <= games.keys() <= all_games().keys()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("kind", "boards"), [("deal", 12), ("game", 1)])
@pytest.mark.parametrize(("name", "preset"), PLAYERS)
def test_the_referee_finds_no_fault(name, preset, kind, boards):
    options = short(preset) if kind == "game" else None
    speakers = speakers_of(name, preset, options)
    report, _ = play(speakers, preset=preset, kind=kind, boards=boards, options=options)
    assert [(seat.verdict, bool(seat.faults)) for seat in report.seats] == [("OK", False)] * len(speakers)


OPTIONS = {
    preset: {name: domain.values for name, domain in domains.items() if isinstance(domain, Choice)}
    for preset, domains in kakeya_options.items()
} | {"kakkuri": {**CHOICES, **dict.fromkeys(SWITCHES, (False, True)), "seats": tuple(range(2, 9))}}
"""What is drawn from, by preset; contradictions are drawn again."""


def test_every_option_that_matters_is_drawn():
    for preset, drawn in OPTIONS.items():
        _, ruleset = preset_named(preset)
        applying = {name for name, value in ruleset.as_dict().items() if value is not None}
        assert applying - {"stones", "hands", "hand_cap"} <= set(drawn), preset


def drawn_options(preset, chance):
    """Options of a preset by chance."""
    game, _ = preset_named(preset)
    while True:
        options = {name: chance.choice(values) for name, values in OPTIONS[preset].items()} | short(preset)
        try:
            game.ruleset(preset, options)
        except ValueError:
            continue
        return options


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", HOUSE)
def test_no_option_brings_a_house_bot_to_a_fault(name):
    """Under options drawn by chance, against a mixture of the others of its game."""
    others = house_of(name.partition("_")[0])
    for preset in (preset for preset in OPTIONS if GAME_OF[preset] == name.partition("_")[0]):
        chance = random.Random(f"{name} {preset}")
        for _ in range(6):
            options = drawn_options(preset, chance)
            seats = seats_of(name, preset, options)
            speakers = {
                seat: (bot if seat % 2 else house_bot(chance.choice(others))).reply_to
                for seat, bot in seats.items()
            }
            for kind, boards in (("deal", 4), ("game", 1)):
                report, _ = play(speakers, preset=preset, kind=kind, boards=boards, options=options)
                assert {seat.verdict for seat in report.seats} == {"OK"}, options


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "preset"), PLAYERS)
def test_a_decision_needs_hello_and_one_line_and_nothing_else(name, preset):
    options = short(preset)
    bots = seats_of(name, preset, options)
    said, state = play_board(bots, preset, "game", 3, options=options, bank_ms=LONG_BANK_MS)
    assert sum(state.outcome().stones.values()) == 0
    for line, action in reversed(said):
        bot = house_bot(name)
        bot.reply_to(hello_for(preset, 1, options))
        assert answer_to(bot, line) == action


@pytest.mark.parametrize("name", HOUSE)
def test_a_bot_runs_as_a_program(name):
    preset = preset_of(name)
    bots = {seat: house_class(name)() for seat in seats_of(name)}
    said, _ = play_board(bots, preset, number=2, bank_ms=LONG_BANK_MS)
    lines = [hello_for(preset, 1), *(line for line, _ in said), BYE]
    done = subprocess.run(
        [sys.executable, str(house_folders()[name] / "main.py")],
        input=b"".join(line + b"\n" for line in lines),
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    ready, *answers = done.stdout.splitlines()
    assert parse_ready(ready).name == name
    assert len(answers) == len(said)
    for (line, action), answer in zip(said, answers, strict=True):
        assert parse_answer(answer, json.loads(line)["id"]).action == action


def test_random_plays_different_cards_for_different_requests():
    said, _ = play_board(seats_of("kakeya_random"))
    opening = [action for line, action in said if json.loads(line)["phase"] == "play"]
    assert len(set(opening)) == 52
    free = [
        json.loads(line)["legal"].index(action) for line, action in said if len(json.loads(line)["legal"]) > 5
    ]
    assert len(set(free)) > 3


HEARTS = {3: ["5H", "KH", "2S", "AC"], 4: ["3H", "QH", "AH"], 1: ["4H", "9H", "JH"], 2: ["2H", "7H", "TH"]}
VOID = {2: ["AC", "AS", "3S", *(f"{rank}D" for rank in "23456789TJ")], 3: ["KH"], 4: ["2H"], 1: ["3H"]}


@pytest.mark.parametrize(
    ("hands", "plays", "card"),
    [
        # Pictures are taken with the cheapest winner, even from the partner; else it plays low.
        (HEARTS, "KH", "AH"),
        (HEARTS, "5H", "3H"),
        (HEARTS, "KH 3H", "4H"),
        (HEARTS, "KH AH", "4H"),
        (HEARTS, "5H QH JH", "2H"),
        (HEARTS, "5H 3H JH", "2H"),
        (HEARTS, "5H 3H 4H", "2H"),
        ({3: ["JH"], 4: ["3H"], 1: ["QH", "KH", "2H"], 2: ["4H"]}, "JH 3H", "QH"),
        # The lowest trump comes before Rensho, and plain cards before trumps.
        (VOID, "KH 2H 3H", "3S"),
        ({3: ["2S", "AC", "4D", "3H", "4H"]}, "", "3H"),
    ],
)
def test_greedy_takes_pictures_cheaply_and_else_plays_low(hands, plays, card):
    state = position(hands, plays.split())
    assert house_bot("kakeya_greedy").act(request_for(state, state.to_act[0])) == card


def test_greedy_neither_changes_trumps_nor_asks_to_lead():
    said, _ = play_board(seats_of("kakeya_greedy"), preset="kakeya4.league", kind="game")
    words = {action for line, action in said if json.loads(line)["phase"] != "play"}
    assert words == {"KEEP", "DEFER"}
