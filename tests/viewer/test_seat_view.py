"""What a seat sees while it plays, through random deals of every preset: all it may do, and no other hand."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from engine import Board, State, all_games, preset_named
from engine.cards import KAKEYA_PACK, KAKKURI_PACK
from viewer import cards
from viewer.markup import Html
from viewer.seat_view import SeatView, seat_view_of, table_symbols
from viewer.seat_view.pieces import SeatContext
from viewer.seat_view.texts import seat_view_texts
from viewer.texts import ENGLISH, viewer_texts

TABLES = [
    *((name, {}, "deal") for game in all_games().values() for name in game.presets),
    *(("kakkuri", {"seats": seats}, "deal") for seats in range(2, 9)),
    ("kakeya4", {"lead_protocol": "iku_koi"}, "deal"),
    ("kakeya4", {"lead_protocol": "decider"}, "deal"),
    ("kakeya4", {"rensho_free": True}, "deal"),
    ("kakkuri", {"seats": 3, "court_order": "QJK", "wild_mode": "reset"}, "deal"),
    ("kakkuri", {"seats": 3, "wild_in_sansoku": True}, "deal"),
    ("kakeya4.league", {"hand_cap": 2}, "game"),
    ("kakeya6.league", {"hand_cap": 3}, "game"),
    ("kakkuri", {"seats": 2, "hands": 3, "deal_pass": True}, "game"),
]


class Buttons(HTMLParser):
    """The actions that can be chosen, and every card that is drawn, by its symbol."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.actions: list[str] = []
        self.drawn: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "button" and "disabled" not in found:
            assert found["name"] == "action"
            self.actions.append(str(found["value"]))
        if tag == "use" and re.fullmatch(r"#[ck]-..", href := str(found.get("href"))):
            self.drawn.append(href[3:])
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def played(preset: str, options: dict[str, object], kind: str, seed: int) -> Iterator[tuple[State, list]]:
    """Every state of a board played at random, those between simultaneous answers too, with what was last."""
    game, ruleset = preset_named(preset)
    ruleset = ruleset.replace(**options)
    state = game.start(ruleset, Board(kind, 1, f"seed {seed}", ()))
    rng, last = random.Random(seed), []
    yield state, last
    while state.to_act:
        for seat in state.to_act:
            action = rng.choice(state.legal(seat))
            last = [(seat, action)] if len(state.to_act) == 1 else []
            state = state.apply(seat, action)
            yield state, last


def drawn(state: State, seat: int, last: list, language: str) -> SeatView:
    names = dict.fromkeys(range(1, 9), "house <greedy>")
    return seat_view_of(
        state.observe(seat), legal=state.legal(seat), names=names, last=last, texts=viewer_texts(language)
    )


def may_see(observation: dict) -> set[str]:
    """Every card in an observation."""
    return set(re.findall(r"\b[2-9TJQKA][SHDC]\b", repr(observation)))


@pytest.mark.parametrize(("preset", "options", "kind"), TABLES)
def test_a_seat_sees_what_it_may_do_and_no_other_hand(preset: str, options: dict, kind: str) -> None:
    game, _ = preset_named(preset)
    pack = KAKEYA_PACK if game.key == "kakeya" else KAKKURI_PACK
    phases = set()
    for number, (state, last) in enumerate(played(preset, options, kind, 7)):
        seats = len(state.observe(1)["stones"])
        seat = number % seats + 1
        language = "ja" if number % 7 == 3 else "en"
        observation = state.observe(seat)
        phases.add(observation["phase"])
        sitting = drawn(state, seat, last, language)
        page = "".join([*sitting[:5], *sitting.spoken])
        assert "<greedy>" not in "".join(sitting[:4])
        found = Buttons("".join(sitting[:4]))
        legal = list(state.legal(seat))
        if observation["phase"] == "trump" and legal:
            legal.remove(observation["trump"])
        assert sorted(found.actions) == sorted(legal)
        known = may_see(observation) | {code for _, action in last for code in may_see({"": action})}
        assert set(found.drawn) <= known
        hidden = set(pack.cards) - known
        deck = "french" if game.key == "kakeya" else "komatsu"
        for code in hidden:
            assert f'"{code}"' not in page
            if not last:
                name = cards.card_name(code, deck, viewer_texts(language), options.get("court_order", "JQK"))
                assert re.search(rf"(?<![\w\d]){re.escape(name)}(?![\w\d])", page) is None
        assert (legal != []) == (seat in state.to_act)
    assert "over" in phases


def test_seats_go_round_from_the_reader_s_right() -> None:
    state = next(state for state, _ in played("kakeya6", {}, "deal", 1))
    mat = drawn(state, 5, [], "en").mat
    places = dict(re.findall(r'play-at-(\w)[^"]*" data-seat="(\d)"', mat))
    assert places == {"b": "6", "c": "1", "n": "2", "x": "3", "y": "4"}


def test_a_name_that_reads_like_markup_is_text_whatever_was_drawn_before() -> None:
    seen = SeatContext(
        {"seat": 1, "seats": 4, "partner": 3}, (), {2: "<b>2</b>"}, (), ENGLISH, seat_view_texts("en")
    )
    drawn = [seen._replace(names={2: name}).label(2, []) for name in (Html("<b>2</b>"), "<b>2</b>")]
    assert "<b>2</b></b>" in drawn[0]
    assert "&lt;b&gt;2&lt;/b&gt;</b>" in drawn[1]


def test_nothing_said_before_the_lead_has_no_panel_once_a_card_lies() -> None:
    for preset, is_said in (("etori.meiji", False), ("kakeya4", True)):
        states = [state for state, _ in played(preset, {}, "deal", 3)]
        first = next(state for state in states if state.observe(1)["trick"])
        later = next(state for state in states if len(state.observe(1)["tricks"]) == 3)
        for state in (first, later):
            assert (seat_view_texts("en").before_lead in drawn(state, 1, [], "en").panels) == is_said
        assert seat_view_texts("en").before_lead in drawn(states[0], 1, [], "en").panels


def test_kakkuri_at_the_table_ends_its_sentences_in_japanese() -> None:
    for state, last in played("kakkuri", {"seats": 4}, "deal", 3):
        sitting = drawn(state, 1, last, "ja")
        assert not [text for text in (sitting.said, *sitting.spoken) if re.search(r"\D\.|, ", text)]


def test_the_table_of_kakkuri_has_the_french_cards_in_store() -> None:
    assert "data-french><svg" in table_symbols("kakkuri")
    assert "data-french" not in table_symbols("kakeya")


def test_the_line_of_words_stays_above_the_hand_of_a_game_of_tricks() -> None:
    for state, last in played("kakeya4", {}, "deal", 3):
        for seat in range(1, 5):
            assert '<div class="play-actions"' in drawn(state, seat, last, "en").choices


def test_what_the_reader_did_last_is_known_in_words() -> None:
    for preset in ("kakeya4", "kakkuri"):
        for state, last in played(preset, {}, "deal", 3):
            for seat, action in last:
                if state.observe(seat)["phase"] == "over":
                    continue
                did = drawn(state, seat, last, "en").did
                assert did
                if re.fullmatch(r"[2-9TJQKA][SHDC]", action):
                    assert did == viewer_texts("en").card_name(action)
                other = seat % state.observe(seat)["seats"] + 1
                assert drawn(state, other, last, "en").did == ""
