"""Positions drawn from what bots are really asked."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string

from engine import Board, game_named
from viewer.position_scene import card_chip, card_sign, position_of

PRESETS = [(key, preset) for key in ("kakeya", "kakkuri") for preset in game_named(key).presets]


def requests(key: str, preset: str, kind: str = "game", most: int = 200) -> Iterator[dict[str, Any]]:
    """What the seats of a game played at random are asked."""
    game = game_named(key)
    state = game.start(game.ruleset(preset), Board(kind, 1, "ab" * 32))
    chance = random.Random(preset)
    for _ in range(most):
        if not state.to_act:
            return
        for seat in state.to_act:
            yield json.loads(json.dumps({"observation": state.observe(seat)}))
        for seat in state.to_act:
            state = state.apply(seat, chance.choice(state.legal(seat)))


@pytest.mark.parametrize(("key", "preset"), PRESETS)
def test_every_position_of_a_game_is_drawn(key: str, preset: str) -> None:
    seen = 0
    for kind in ("game", "deal"):
        for request in requests(key, preset, kind):
            legal = request["observation"]["legal"]
            position = position_of(request, legal[-1], legal[0])
            assert position is not None
            assert position.kind != "plain", request
            chips = [*position.legal, *(chip for line in position.hand for chip in line.chips)]
            assert {chip.code for chip in chips if chip.is_legal} == set(legal)
            assert {chip.code for chip in chips if chip.is_answer} == {legal[-1]}
            assert {chip.code for chip in chips if chip.is_played} == {legal[0]}
            seen += 1
    assert seen > 50


@pytest.mark.parametrize(
    ("key", "preset"), [("kakeya", "kakeya6"), ("kakeya", "etori.simple6"), ("kakkuri", "kakkuri")]
)
def test_every_card_the_seat_sees_is_on_the_page(key: str, preset: str) -> None:
    for request in list(requests(key, preset, "deal"))[::7]:
        observation = request["observation"]
        position = position_of(request, None, None)
        assert position is not None
        html = render_to_string("web/positions/_position.html", {"position": position, "report": None})
        cards = (
            set(observation["hand"])
            | {card for _, card in observation.get("trick", [])}
            | set(observation.get("turned", []))
        )
        for trick in observation.get("tricks", []):
            cards |= set(trick["cards"])
        for _, meld in observation.get("plays", []):
            cards |= set(meld.partition("@")[0].split("+"))
        for card in cards:
            assert f"{card_sign(card)}" in html, card


@pytest.mark.parametrize(
    "broken", [{"tricks": 7}, {"trump": "X"}, {"hand": ["ZZ"]}, {"stones": {}}, {"active": None}]
)
def test_what_a_presenter_cannot_read_is_shown_field_by_field(broken: dict[str, Any]) -> None:
    request = list(requests("kakeya", "kakeya4", "deal"))[30]
    shown = position_of(request, None, None)
    assert shown is not None
    assert shown.kind == "trick"
    request["observation"].update(broken)
    plain = position_of(request, None, None)
    assert plain is not None
    assert plain.kind == "plain"
    assert len(plain.facts) == len(request["observation"]) - 1


def test_a_seat_that_leads_sees_an_empty_table() -> None:
    asked = [request["observation"] for request in requests("kakeya", "kakeya4", "deal")]
    leads = [seen for seen in asked if seen["tricks"] and not seen["trick"]]
    assert len(leads) == 12
    for seen in asked:
        position = position_of({"observation": seen}, None, None)
        assert position is not None
        assert [(play.seat, play.chip.code) for play in position.laid] == [*map(tuple, seen["trick"])]
        assert sum(play.is_winner for play in position.laid) == bool(seen["trick"])


def test_a_card_tells_its_name() -> None:
    chip = card_chip("QH")
    assert (chip.meaning, chip.is_red) == ("queen of hearts", True)
    with pytest.raises(ValueError, match="not a card"):
        card_chip("<b>")


@pytest.mark.parametrize(
    "request_", [{}, {"observation": None}, {"observation": "hand"}, {"observation": [1]}]
)
def test_a_request_without_an_observation_has_no_position(request_: dict[str, Any]) -> None:
    assert position_of(request_, None, None) is None
