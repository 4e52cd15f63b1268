"""docs/contracts.md says what the code has: states, exit reasons, orders and reports, clocks, tokens."""

import dataclasses
import hashlib
import hmac
import re
from pathlib import Path

import pytest

from arena.competition.models import Round, Series, Stage, Tournament
from arena.features.webhooks.models import Delivery
from arena.matches.models import Fixture, Table
from arena.roster.models import BotVersion, CheckRun
from engine import all_games
from engine.game import Board
from engine.games.kakkuri.notation import WORDS
from engine.wire import Tokens
from league.fairness import board_seed, local_board_seed, lot
from referee.clocks import CPU_RESERVE_MS, WALL_EXTRA_MS, WALL_PER_CPU
from referee.contract import (
    MACHINE_DELAY_EXTRA_MS,
    MACHINE_DELAY_PER_CPU,
    MACHINE_DELAY_PER_WALL,
    MACHINE_DELAY_TURN_MS,
    TABLE_SLACK_S,
    WALL_BANK_EXTRA_MS,
    WALL_BANK_PER_CPU,
    Clock,
    Limits,
    TableOrder,
    TableReport,
    Verdict,
)
from referee.driver import DriverFault, ExitReason
from referee.errors import PlatformFault
from referee.verdicts import verdict_of

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "contracts.md").read_text()
PARTS = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
MODELS = {
    "Table": Table,
    "Fixture": Fixture,
    "Round": Round,
    "Stage": Stage,
    "Tournament": Tournament,
    "Version": BotVersion,
    "Check": CheckRun,
    "Series": Series,
    "Delivery of a webhook": Delivery,
}


def rows(section: str) -> dict[str, list[str]]:
    """The cells of each table row by the first of them; ``\\|`` is no border."""
    found = {}
    for line in SECTIONS[section].splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            first, *rest = (cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            found[first] = rest
    return found


def quoted(text: str) -> list[str]:
    """What stands in backquotes."""
    return re.findall(r"`([^`]+)`", text)


@pytest.mark.parametrize("name", MODELS)
def test_the_states_are_those_of_the_code(name):
    documented = set(re.findall(r"\b[a-z]+\b", rows("States and deadlines")[name][0]))
    documented -= {"or", "back", "to", "before"}
    assert documented == set(MODELS[name].State.values)


def test_every_exit_reason_has_the_verdict_told():
    documented = {}
    for reasons, (verdict,) in rows("Clocks, faults, verdicts").items():
        for reason in quoted(reasons) if verdict[:1] == "`" else []:
            documented[reason] = quoted(verdict)[0]
    found = {}
    for reason in ExitReason:
        try:
            found[reason.value] = verdict_of(DriverFault(reason, "")).value
        except PlatformFault:
            assert reason in (ExitReason.OK, ExitReason.INFRA)
    assert documented == found
    assert set(found.values()) == set(Verdict) - {Verdict.OK, Verdict.ILLEGAL_ACTION}


def test_the_clock_is_that_of_the_code():
    clock = Clock()
    assert [list(map(int, re.findall(r"\d+", text))) for (text,) in clock_rows().values()] == [
        [clock.start_wall_ms],
        [clock.bank_cpu_ms_per_deal_board, clock.bank_cpu_ms_per_game_board],
        [clock.increment_cpu_ms],
        [clock.decision_cpu_cap_ms],
        [WALL_PER_CPU, WALL_EXTRA_MS // 1000],
        [WALL_BANK_PER_CPU, WALL_BANK_EXTRA_MS // 1000],
        [CPU_RESERVE_MS // 1000],
        [TABLE_SLACK_S],
        [
            MACHINE_DELAY_EXTRA_MS // 1000,
            MACHINE_DELAY_TURN_MS,
            MACHINE_DELAY_PER_CPU,
            MACHINE_DELAY_PER_WALL,
        ],
    ]
    assert f"`faults_before_forfeit` is {Limits().faults_before_forfeit}" in PAGE


def clock_rows() -> dict[str, list[str]]:
    """The rows of the first table of the section, its head left out."""
    parts = SECTIONS["Clocks, faults, verdicts"].split("\n\n")
    table = next(part for part in parts if part.startswith("| What |"))
    names = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    return {name: cells for name, cells in rows("Clocks, faults, verdicts").items() if name in names}


@pytest.mark.parametrize("kind", [TableOrder, TableReport])
def test_orders_and_reports_have_the_fields_told(kind):
    item = re.search(rf"- `{kind.__name__}`: `([^`]+)`", SECTIONS["Referee"])
    assert item is not None
    fields = dataclasses.fields(kind)
    documented = re.sub(r"\[\{.*?\}\]", "", item[1], flags=re.DOTALL).split()
    assert sorted(documented) == sorted(field.name for field in fields)


def test_the_words_of_kakkuri_come_in_the_order_told():
    assert f"the words `{' '.join(WORDS)}` in this order" in " ".join(SECTIONS["Engine"].split())


def test_tokens_follow_from_the_key_as_told():
    key = bytes(range(32))
    tokens = Tokens(key.hex())

    def digest(text: str) -> str:
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    assert {"rensho-rng/1|s", "rensho-id/1|s|q"} <= set(quoted(SECTIONS["Wire protocol"]))
    assert tokens.rng(3) == digest("rensho-rng/1|3")[:16]
    for c in (0, 5, 70):
        block = c % 4
        assert tokens.request_id(3, c) == digest(f"rensho-id/1|3|{c // 4}")[16 * block : 16 * block + 16]


def test_seeds_follow_from_the_texts_told():
    secret, field = bytes(range(32)), "ab" * 32
    texts = {name: cells[0] for name, cells in rows("Fair deals").items() if "rensho-" in cells[0]}

    def text_of(name: str, *values: object) -> str:
        given = iter(values)
        return re.sub(r"<[^>]+>", lambda _: str(next(given)), quoted(texts[name])[0])

    def digest(text: str) -> str:
        return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()

    assert board_seed(secret, "cup", field, 2, 3, 16) == digest(text_of("board seed", "cup", field, 2, 3, 16))
    assert lot(secret, "cup", field, 2, "aya") == digest(text_of("lot", "cup", field, 2, "aya"))
    local = hashlib.sha256(text_of("local board seed", "demo", 4).encode()).hexdigest()
    assert local_board_seed("demo", 4) == local


def seat_pairs(cell: str) -> list[list[list[int]]]:
    """The lists of pairs of a cell: ``2&4 if .., else 1&3, 2&5`` has two."""
    lists = re.findall(r"\d&\d(?:, \d&\d)*", cell)
    return [[[int(seat) for seat in pair.split("&")] for pair in pairs.split(", ")] for pairs in lists]


def told_trump(cell: str, number: int) -> str:
    """The trump suit that a cell of the table of conditions gives to board ``number``."""
    suits = quoted(cell)[0].split()
    by = re.search(r"by (?:\(\(b-1\) div (\d)\)|\(b-1\)) mod (\d)", cell)
    return suits[(number - 1) // int(by[1] or 1) % int(by[2])] if by else suits[0]


GAMES = ("kakeya", "kakkuri")
"""Whose conditions the page gives; those of a game that is added stand in its README."""
PRESETS = [
    (game, ruleset) for game in all_games().values() if game.key in GAMES for ruleset in game.presets.values()
]


@pytest.mark.parametrize(("game", "ruleset"), PRESETS, ids=[ruleset.preset for _, ruleset in PRESETS])
def test_deal_boards_have_the_conditions_told(game, ruleset):
    cells = {quoted(first)[0]: rest for first, rest in rows("Unit of play").items() if quoted(first)}
    family = next(name for name in sorted(cells, reverse=True) if ruleset.preset.startswith(name))
    dealers, leaders, trumps = cells[family]
    for number in range(1, 30):
        state = game.start(ruleset, Board("deal", number, "demo"))
        deal = next(event for event in state.happened_since(None) if event.kind == "deal").public
        if trumps:
            assert deal["trump"] == told_trump(trumps, number), number
        if dealers.startswith("seat ((b-1) mod "):
            assert deal["dealer"] == (number - 1) % game.seats(ruleset) + 1, number
        if family == "kakeya4":
            choices = seat_pairs(dealers)
            assert deal["dealers"] == choices[(number - 1) % 2][0], number
            assert (deal["leaders"], leaders) == (choices[number % 2][0], "the other pair"), number
        if family == "kakeya6":
            turn, place = divmod(number - 1, 3)
            assert deal["dealers"] == seat_pairs(dealers)[0][place], number
            assert deal["leaders"] == seat_pairs(leaders)[turn % 2][place], number
        if family.startswith("etori.simple"):
            pairs = cells["kakeya6" if family.endswith("6") else "kakeya4"][0]
            turn = (number - 1) // len(game.sides(ruleset))
            assert f"((b-1) div {len(game.sides(ruleset))}) is even" in dealers
            assert deal["dealer"] == deal["dealers"][turn % 2], number
            choices = seat_pairs(pairs)
            dealing = choices[0][(number - 1) % 3] if len(choices) == 1 else choices[(number - 1) % 2][0]
            assert deal["dealers"] == dealing, number
