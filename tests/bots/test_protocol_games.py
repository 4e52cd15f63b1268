"""docs/bot-protocol.md against the code: what it says of each game, under every preset."""

import re

import pytest

from engine import Board, all_games, preset_named
from engine.games.kakkuri.notation import WORDS
from tests.bots.asking import rules_of
from tests.bots.protocol_talk import TABLES, sent
from tests.bots.protocol_text import GAMES, PRESETS, check, fields, is_meld, names, section, tables

pytestmark = pytest.mark.xdist_group("protocol")  # they play the tables of the document once


def observation_fields(game):
    """Type by field, of every observation and then of the game's."""
    common, own = fields("Every observation"), fields(f"The observation of {GAMES[game]}")
    assert not common.keys() & own.keys()
    return common, own


@pytest.mark.parametrize("game", GAMES)
def test_observations_are_as_described(game):
    common, own = observation_fields(game)
    for message in sent("request", game):
        check(message["observation"], common | own)


@pytest.mark.parametrize("game", GAMES)
def test_the_order_of_the_fields_is_the_order_sent(game):
    common, own = observation_fields(game)
    field_names = list(sent("request", game)[0]["observation"])
    assert [name for name in field_names if name in common] == list(common)
    assert [name for name in field_names if name in own] == list(own)
    assert list(sent("hello", game)[0]) == list(fields("hello"))


@pytest.mark.parametrize("game", GAMES)
def test_no_field_is_described_that_is_empty_for_ever(game):
    common, own = observation_fields(game)
    for name in common | own:
        values = [message["observation"][name] for message in sent("request", game)]
        assert any(value not in (None, [], {}, 0, False) for value in values), name


@pytest.mark.parametrize("game", GAMES)
def test_events_are_as_described(game):
    described = {names(row[0])[0]: row[1] for row in tables(f"Events of {GAMES[game]}")[0]}
    heard = sent("event", game)
    assert {message["e"] for message in heard} == set(described)
    named = set(fields("event"))
    for message in heard:
        cell = described[message["e"]]
        at_times = set(re.findall(r"\[`(\w+)`\]", cell))
        own_fields = set(message) - named
        assert set(names(cell)) - at_times <= own_fields <= set(names(cell)), message
    for kind, cell in described.items():
        for name in re.findall(r"\[`(\w+)`\]", cell):
            assert {name in message for message in heard if message["e"] == kind} == {True, False}


@pytest.mark.parametrize("game", GAMES)
def test_phases_actions_and_fallbacks_are_the_engine_s(game):
    described = {names(row[0])[0]: row for row in tables(f"Phases and actions of {GAMES[game]}")[0]}
    assert {message["phase"] for message in sent("request", game)} == set(described)
    asked = 0
    for preset, kind, options in TABLES:
        if PRESETS[preset] != game or (options or {}).get("lead_protocol"):
            continue
        _, ruleset = rules_of(preset, options)
        state = all_games()[game].start(ruleset, Board(kind, 1, "seed"))
        while state.to_act and state.observe(1)["deal"] <= 2:
            seat = state.to_act[0]
            _, _, legal, fallback = described[state.phase]
            if state.phase not in ("play", "turn"):
                asked += 1
                assert list(state.legal(seat)) == names(legal)
                assert [state.fallback(seat)] == names(fallback)
            state = state.apply(seat, state.legal(seat)[-1])
    assert asked


def test_the_words_of_kakkuri_are_the_engine_s_in_its_order():
    rows = tables("Phases and actions of Kakkuri")[1]
    *words, meld = (names(row[0])[0] for row in rows)
    assert tuple(words) == WORDS
    assert is_meld(meld)


def test_every_action_named_in_the_text_on_melds_is_one():
    spelt = [name for name in names(section("Melds")) if "@" in name and name not in ("@", "@12")]
    assert len(spelt) >= 3
    assert all(map(is_meld, spelt))


@pytest.mark.parametrize(("protocol", "words"), [("iku_koi", ("IKU", "KOI")), ("decider", ())])
def test_other_protocols_of_the_lead_are_named(protocol, words):
    text = section("Phases and actions of Kakeya")
    assert f"`{protocol}`" in text
    game, _ = preset_named("kakeya4")
    state = game.start(game.ruleset("kakeya4", {"lead_protocol": protocol}), Board("deal", 1, "seed"))
    assert (state.legal(state.to_act[0]) if state.phase == "lead" else ()) == words
    assert all(f"`{word}`" in text for word in words)
