"""A seat's view tells nothing that seat could not know: hidden cards changed, the text stays."""

import json
import random

import pytest

from bots.kit.display.console import console_for
from bots.kit.replay.command import replay_json, replay_pages
from bots.kit.replay.presenter import Presenter
from bots.kit.replay.scene_renderer import SceneRenderer
from bots.kit.replay.stops import board_stops
from engine import Board, EngineError, preset_named
from tests.bots.kit.replay.records import played, replay_of
from viewer.games import module_of

pytestmark = pytest.mark.full

GAMES = ["kakeya4", "kakeya6", "etori.simple", "etori.simple6", "etori.meiji", "kakkuri", "kakkuri.league"]


def twins(preset, seat, seed):
    """Two replays that differ only in cards this seat has not seen, as far as the longest such play."""
    game, ruleset = preset_named(preset)
    rng = random.Random(seed)
    deck = random_deck(game, ruleset, rng)
    board = Board("deal", 1, "same", (tuple(deck),))
    decisions = played(game, ruleset, board, rng)
    best = None
    for _ in range(30):
        first, second = rng.sample(range(len(deck)), 2)
        changed = list(deck)
        changed[first], changed[second] = changed[second], changed[first]
        other = Board("deal", 1, "same", (tuple(changed),))
        length = common(game, ruleset, board, other, decisions, seat)
        if length is None or (best is not None and length <= best[0]):
            continue
        pair = [replay_of(game, ruleset, which, decisions[:length]) for which in (board, other)]
        if hands(pair[0]) != hands(pair[1]):
            best = length, pair
    assert best is not None
    return best[1]


def hands(replayed):
    """Every hand at every stop, as nobody at the table can see them all."""
    stops = board_stops(replayed, replayed.boards[0], None)
    return [{seat: eyes["hand"] for seat, eyes in stop.eyes.items()} for stop in stops]


def random_deck(game, ruleset, rng):
    """A shuffled pack of this game."""
    state = game.start(ruleset, Board("deal", 1, f"pack {rng.random()}"))
    deck = next(event for event in state.happened_since(None) if event.kind == "deal").recorded()["deck"]
    rng.shuffle(deck)
    return deck


def common(game, ruleset, board, other, decisions, seat):
    """How many decisions this seat cannot tell the two boards apart by; None if not even the deal."""
    states = [game.start(ruleset, dealt) for dealt in (board, other)]
    before = [None, None]
    for length in range(len(decisions) + 1):
        seen = [
            (state.observe(seat), state.events_since(earlier, seat))
            for state, earlier in zip(states, before, strict=True)
        ]
        if seen[0] != seen[1]:
            return length - 1 if length else None
        if length == len(decisions):
            break
        before = list(states)
        try:
            for act in decisions[length]:
                states = [state.apply(act.seat, act.action) for state in states]
        except EngineError:
            return length
    return len(decisions)


def text_of(replayed, seat):
    """Everything the kit can print of a replay."""
    stops = [stop for board in replayed.boards for stop in board_stops(replayed, board, seat)]
    console = console_for(has_color=False)
    ink = SceneRenderer("utf-8")
    present = Presenter(replayed, ink, seat)
    with console.capture() as captured:
        for part in replay_pages(replayed, stops, present, ink, console, seat):
            console.print(part)
        for stop in stops:
            console.print(present.table(stop), *present.event_lines(stop))
    return captured.get() + json.dumps(replay_json(replayed, stops, seat, {}))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("preset", GAMES)
def test_records_that_differ_in_hidden_cards_give_the_same_text(monkeypatch, preset, seat):
    pairs = [twins(preset, seat, seed) for seed in range(2)]
    for part in ("", "SAID", "SCENE"):
        monkeypatch.delattr(module_of(pairs[0][0].game.key), part, raising=False)
        for first, second in pairs if not part else pairs[:1]:
            assert text_of(first, seat) == text_of(second, seat)
            if not part:
                assert text_of(first, None) != text_of(second, None)
