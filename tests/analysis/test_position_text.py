"""Position text: every position survives writing and reading, and every mistake is named."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.deal_position import DealPosition, deal_position
from analysis.position_errors import PositionError
from analysis.position_text import MAX_CHARS, format_position_text, parse_position_text
from engine import Board, preset_named
from engine.games.kakeya.options import OPTIONS
from engine.kernel import position_of
from engine.printable import printable
from engine.refusals import REFUSAL_CHARS
from tests.analysis.texts import TEXT

PRESETS = (
    ("kakeya4", {}),
    ("kakeya4", {"lead_protocol": "decider", "direction": "left", "trump_fixed": "H"}),
    ("kakeya6", {"rensho_free": True}),
    ("kakeya6", {"lead_protocol": "decider", "six_dealers": "previous_rest"}),
    ("kakeya6.nakayoshi", {"early_stop": True}),
    ("etori.simple", {}),
    ("etori.simple", {"lead_protocol": "decider"}),
    ("etori.simple6", {"lead_protocol": "decider", "direction": "right"}),
    ("etori.meiji", {}),
    ("etori.meiji", {"meiji_trump": "turn_last"}),
    ("etori.meiji", {"meiji_trump": "random"}),
)
DOCUMENT = Path(__file__).parents[2] / "docs" / "position-text.md"


def played(preset, options, board, cards, deals=0):
    """A state of play after this many cards, in a game after this many deals; None if the board ends."""
    game, ruleset = preset_named(preset)
    rng = random.Random(board.seed)
    state = game.start(ruleset.replace(**options), board)
    while state.to_act:
        if state.phase == "play" and state.deal.number > deals and state.cards_played >= cards:
            return state
        for seat in state.to_act:
            state = state.apply(seat, rng.choice(state.legal(seat)))
    return None


@pytest.mark.parametrize(("preset", "options"), PRESETS)
def test_a_position_survives_writing_and_reading(preset, options):
    """The same position for the solver, on deal boards and in games with unequal stones."""
    several_stones = 0
    for number in range(1, 31):
        for kind in ("deal", "game"):
            board = Board(kind, number, f"text {number}")
            state = played(preset, options, board, number % 40, number % 5 if kind == "game" else 0)
            if state is None:
                continue
            position = deal_position(state)
            text = format_position_text(position)
            read = parse_position_text(text)
            assert read == position
            assert position_of(read.state()) == position_of(state)
            assert read.state().legal(state.to_act[0]) == state.legal(state.to_act[0])
            several_stones += "stones" in text
    assert several_stones or preset == "etori.meiji" or not played(preset, options, board, 0, 1)


def test_a_finished_deal_is_read_with_its_result():
    state = played("kakeya4", {}, Board("deal", 3, "whole"), 51)
    state = state.apply(state.to_act[0], state.legal(state.to_act[0])[0])
    read = parse_position_text(format_position_text(deal_position(state)))
    assert read.state().outcome() == state.outcome()


def test_the_example_of_the_documentation_is_canonical():
    assert f"```\n{TEXT}```" in DOCUMENT.read_text(encoding="utf-8")
    assert format_position_text(parse_position_text(TEXT)) == TEXT


@pytest.mark.parametrize(
    "change",
    [
        lambda text: " ".join(text.split()),
        lambda text: text.lower(),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", ";  # a comment: AS\n"),
        lambda text: text.translate(str.maketrans("SHDC", "♠♥♦♣")),
        lambda text: text.replace("K5", "K 5").replace("T", "10"),
        lambda text: text.replace("KJ42", "4K2J").replace("6D QD", "D6 DQ"),
        lambda text: re.sub("3: .*", "3: rest", text),
        lambda text: text.replace("rensho: AS\n", ""),
        lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
        lambda text: "\ufeff" + text,
    ],
)
def test_people_may_write_it_in_other_ways(change):
    changed = change(TEXT)
    assert changed != TEXT
    assert parse_position_text(changed) == parse_position_text(TEXT)


@pytest.mark.parametrize(
    ("old", "new", "culprits"),
    [
        ("H 852", "H 82", ("seat 2", "12 cards", "5H")),
        ("H 852", "H 8542", ("4H", "seats 2 and 4")),
        ("H 852", "H 8552", ("5H", "seat 2")),
        ("S 83 H", "S 83 X", ("seat 1", "'X'", "S H D C")),
        ("1: S 83", "1: 83", ("seat 1", "'8'", "suit")),
        ("4: S AQ97 H KT43 D Q C KJ42\n", "", ("seat 4",)),
        ("3: S JT64 H 6 D J7642 C Q65", "3:", ("seat 3", "0 cards")),
        ("3: S", "7: S", ("'7'", "kakeya4", "1 to 4")),
        ("5H 6H", "5C 6H", ("play 9", "trick 3", "5C", "seat 2", "hand", "line 11, column 8")),
        ("6D QD KD AD", "6D KS", ("play 6", "trick 2", "KS", "seat 4")),
        ("5H 6H", "5H 9S", ("play 10", "9S")),
        ("5H 6H", "5H 1Z", ("play 10", "'1Z'")),
        ("kakeya4", "kakkuri", ("'kakkuri'", "kakeya6")),
        ("kakeya4", "bridge", ("'bridge'", "kakeya6")),
        ("trump: D", "trump: X", ("trump", "'X'")),
        ("trump: D", "trump: H D", ("'trump'",)),
        ("trump: D\n", "", ("'trump'",)),
        ("trump: D", "trump: S", ("rensho", "AS", "AC")),
        ("rensho: AS", "rensho: JD", ("JD", "AS")),
        ("lead: 1", "lead: 9", ("'9'", "1 to 4")),
        ("lead: 1", "lead: 1 lead: 2", ("'lead'", "twice")),
        ("lead: 1", "lead: 1 who: 2", ("'who'", "preset")),
        ("preset: kakeya4", "kakeya4", ("'kakeya4'",)),
        ("lead: 1", "lead: 1 stones: 5", ("stones: 1 given",)),
        ("lead: 1", "lead: 1 stones: 5 x", ("'x'",)),
        ("lead: 1", "lead: 1 stones: 5 9999999", ("9999999",)),
        ("lead: 1", "lead: 1 options: debt=false stones: 5 0", ("stones 0",)),
        ("lead: 1", "lead: 1 options: trump_fixed=H", ("trump D", "H")),
        ("lead: 1", "lead: 1 options: speed=9", ("speed",)),
        ("lead: 1", "lead: 1 options: early_stop", ("early_stop",)),
        ("lead: 1", "lead: 1\x1b[2J", ("'\\x1b'",)),
        ("lead: 1", "lead: \u202e1", ("'\\u202e'",)),
        ("lead: 1", "lead: 1" + " " * MAX_CHARS, (str(MAX_CHARS),)),
    ],
)
def test_each_mistake_is_named_in_one_printable_line(old, new, culprits):
    assert old in TEXT
    with pytest.raises(PositionError) as refused:
        parse_position_text(TEXT.replace(old, new, 1))
    message = str(refused.value)
    assert [each for each in culprits if each not in message] == [], message
    assert printable(message) == message
    assert len(message) <= REFUSAL_CHARS


def test_two_pairs_of_six_seats_have_hands():
    text = format_position_text(deal_position(played("kakeya6", {}, Board("deal", 1, "six"), 3)))
    resting = next(seat for seat in range(1, 7) if f"\n{seat}:" not in text)
    active = int(text[text.index("lead: ") + 6])
    with pytest.raises(PositionError, match="3 pairs"):
        parse_position_text(f"{text}{resting}: S A")
    with pytest.raises(PositionError, match=f"seat {resting} cannot lead"):
        parse_position_text(text.replace(f"lead: {active}", f"lead: {resting}"))


def test_the_last_card_dealt_turned_the_trump_suit():
    options = {"meiji_trump": "turn_last"}
    position = deal_position(played("etori.meiji", options, Board("deal", 1, "turned"), 0))
    suits = {seat: {card[1] for card in hand} for seat, hand in position.hands.items()}
    assert all(len(held) == 4 for held in suits.values())
    hands = {seat: list(hand) for seat, hand in position.hands.items()}
    # The dealer, who gets the last card, sits before the leader.
    dealer, leader = position.state().deal.roles.dealer, position.leader
    for card in [card for card in hands[dealer] if card[1] == position.trump]:
        other = next(c for c in hands[leader] if c[1] != position.trump)
        hands[dealer][hands[dealer].index(card)], hands[leader][hands[leader].index(other)] = other, card
    changed = position._replace(hands={seat: tuple(sorted(hand)) for seat, hand in hands.items()})
    with pytest.raises(PositionError, match=f"seat {dealer} holds no {position.trump}"):
        changed.states()


def test_every_leader_and_trump_of_every_variant_has_a_position():
    for variant in OPTIONS:
        game, preset = preset_named(variant)
        for protocol in ("simultaneous", "decider") if preset.lead_protocol else (None,):
            ruleset = preset.replace(lead_protocol=protocol)
            sides = game.sides(ruleset)
            for resting in range(len(sides)) if len(sides) == 3 else (None,):
                seats = sorted(s for index, side in enumerate(sides) if index != resting for s in side)
                cards = deal_position(played("kakeya4", {}, Board("deal", 1, "x"), 0)).hands.values()
                hands = dict(zip(seats, cards, strict=True))
                stones = (5,) * len(sides)
                for leader in seats:
                    trump = ruleset.trump_fixed or "C"
                    state = DealPosition(ruleset, trump, leader, hands, (), stones).state()
                    assert state.to_act == (leader,)


@given(st.text(max_size=300) | st.text("presttrumplad:1234SHDCAKQJT98 \n#;,-", max_size=300))
def test_arbitrary_text_is_read_or_refused(text):
    for candidate in (text, TEXT + text, text + TEXT):
        message = ""
        try:
            parse_position_text(candidate)
        except PositionError as refused:
            message = str(refused)
        assert printable(message) == message


def test_states_before_the_play_have_no_position():
    game, ruleset = preset_named("kakeya4")
    for state in (game.start(ruleset, Board("deal", 1, "x")), game.start(ruleset, Board("game", 1, "x"))):
        with pytest.raises(PositionError, match=state.phase):
            deal_position(state)
    kakkuri, rules = preset_named("kakkuri")
    with pytest.raises(PositionError, match="Kakeya"):
        deal_position(kakkuri.start(rules, Board("deal", 1, "x")))
