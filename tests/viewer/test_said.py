"""What a replay says of a deal beside its cards: who is out, who leads, what ended it, marks and keys."""

import json
import re

import pytest

from tests.engine.games.kakkuri.positions import deck_for
from tests.viewer.answers import THREE_ACES, said
from tests.viewer.records import recorded, view_for
from tests.viewer.tree import tree
from viewer import render
from viewer.banks import Bank
from viewer.build import view_of
from viewer.position import TablePosition, positions_at
from viewer.scene import Name, Reader
from viewer.seat_view.pieces import reader_of
from viewer.seat_view.texts import seat_view_texts
from viewer.texts import ENGLISH, signed, viewer_texts

WENT_OUT = {1: "4S 9S 9H JS JH JD", 2: "3H 5H 6H 7H 8H 4H"}


def turns_view(hands, *answers, dealer=1, box="", **options):
    """The view of one deal of Kakkuri."""
    options = {"seats": len(hands), "fuwaru": False, **options}
    decks = (deck_for(hands, dealer, box),)
    table = recorded("kakkuri", "deal", (dealer,), decks=decks, options=options, choose=said(*answers))
    return view_of(table.record, decks_from_seed=False)


def page_of(view, at=0, language="en", names=None, reader=None):
    """The deal on the first board, read."""
    board = view["boards"][0]["board"]
    around = render.Around(names or {}, reader=reader)
    scene = render.scene_of(view, TablePosition(board, 1, at), texts=viewer_texts(language), around=around)
    return tree(render.deal_part(scene, around))


def last_of(view):
    board = view["boards"][0]["board"]
    return positions_at(view, TablePosition(board, 1, 0)).last


def texts(page, kind, at):
    """What elements of a class say at a position, empty ones left out."""
    found = [node for node in page.below if kind in node.classes]
    parts = [part for node in found for part in [node, *node.below[1:]] if part.is_there(at)]
    leaves = [p.text for p in parts if p.children and not any(not isinstance(c, str) for c in p.children)]
    return [text for text in leaves if text]


def test_the_last_seat_in_takes_the_pot() -> None:
    view = turns_view({1: WENT_OUT[1], 2: WENT_OUT[2]}, "1:PASS", "2:DROP", box="3S")
    page, last = page_of(view), last_of(view)
    assert texts(page, "follow-head", last) == [ENGLISH.about_seat(ENGLISH.ended["lone"], 1)]
    assert texts(page, "follow-pot", last) == [ENGLISH.pot[0]]


def test_three_aces_stand_in_the_middle() -> None:
    view = turns_view(THREE_ACES)
    page = page_of(view)
    assert texts(page, "follow-head", 0) == [ENGLISH.about_seat(ENGLISH.starts, 1)]
    assert texts(page, "follow-head", 1) == [ENGLISH.about_seat(ENGLISH.ended["utazu"], 2)]


def test_once_declared_the_middle_names_the_seat_that_leads() -> None:
    view = view_for("kakeya4")
    page, deal = page_of(view), view["boards"][0]["deals"][0]
    first, other = deal["leaders"]
    numbers = [[re.findall(r"\d", text) for text in texts(page, "trick-head", at)] for at in range(3)]
    assert numbers[0] == [["1"], [str(first), str(other)]]
    assert numbers[1] == [["1"], [str(deal["steps"][0]["s"])]]
    assert numbers[2] == [["1"], []]


@pytest.mark.parametrize(
    ("preset", "seats", "partner", "language", "number"),
    [
        ("kakeya4", 4, 4, "en", "[Ss]eat [0-9]"),
        ("kakeya4", 4, 4, "ja", "席[0-9]"),
        ("kakkuri", 4, None, "en", "[Ss]eat [0-9]"),
        ("kakkuri", 4, None, "ja", "席[0-9]"),
    ],
)
def test_sentences_name_the_seats_as_their_reader_does(
    preset: str, seats: int, partner: int | None, language: str, number: str
) -> None:
    view = view_for(preset, seats if preset == "kakkuri" else None)
    reader = reader_of(2, seats, partner, seat_view_texts(language))

    def spoken(reader: Reader | None) -> str:
        page = page_of(view, 0, language, reader=reader)
        heads = [node.text for node in page.below if node.classes & {"follow-head", "trick-head"}]
        captions = [node.text for node in page.all(data_in=None) if "follow-laid" in node.classes]
        return " ".join([page.all(data_states=None)[0].text, *heads, *captions])

    assert re.search(number, spoken(None))
    own = spoken(reader)
    assert re.search(number, own) is None
    for seat in range(1, seats + 1):
        assert reader.names[seat].lower() in own.lower()


def test_own_declarations_are_in_the_second_person() -> None:
    view = view_for("kakeya4")
    declared = [item for item in view["boards"][0]["deals"][0]["before"] if "s" in item]
    assert declared
    for item in declared:
        for seat in range(1, 5):
            reader = reader_of(seat, 4, (seat + 1) % 4 + 1, seat_view_texts("en"))
            spoken = json.loads(page_of(view, reader=reader).all(data_states=None)[0].text)[1][4]
            form = ENGLISH.said[f"{item['k']} {item['a']}"]
            own = ENGLISH.second_person.get(f"{item['k']} {item['a']}", form)
            name = reader.names[item["s"]]
            assert f"{name[:1].upper()}{name[1:]} {own if item['s'] == seat else form}." in spoken


def test_forms_in_the_second_person_stand_for_texts_of_the_same_keys() -> None:
    assert set(ENGLISH.second_person) <= {*ENGLISH.said, *ENGLISH.acts, "trump"}


def test_a_seat_that_leads_unasked_is_named_at_once() -> None:
    view = view_for("etori.meiji")
    leader = view["boards"][0]["deals"][0]["steps"][0]["s"]
    assert re.findall(r"\d", texts(page_of(view), "trick-head", 0)[1]) == [str(leader)]


@pytest.mark.parametrize(("preset", "seats"), [("kakeya4", None), ("kakkuri", 4)])
def test_the_mark_of_a_fault_is_explained_where_there_is_one(preset: str, seats: int | None) -> None:
    options = {"seats": seats} if seats else {}
    clean = view_of(recorded(preset, options=options).record)
    for view, has_factor in ((view_for(preset, seats), True), (clean, False)):
        for language in ("en", "ja"):
            legend = next(n for n in page_of(view, 0, language).below if "plays-legend" in n.classes)
            has_mark = any("verdict" in item for item in view["boards"][0]["deals"][0]["steps"])
            text = f"! {viewer_texts(language).legend_referee}"
            assert (text in legend.text, has_mark) == (has_factor, has_factor)


def test_a_seat_is_not_told_of_a_fault_to_come() -> None:
    view = view_for("kakeya4")
    last = last_of(view)
    told = [
        "played by the referee" in render.deal_part(render.scene_of(view, TablePosition(1, 1, at), seat=1))
        for at in (0, last)
    ]
    assert told == [False, True]


@pytest.mark.parametrize(("language", "word"), [("en", "trick"), ("ja", "トリック")])
def test_a_game_of_turns_has_no_trick_among_its_keys(language: str, word: str) -> None:
    def controls(view):
        page = page_of(view, 5, language)
        hint = next(node.text for node in page.below if "replay-keys" in node.classes)
        return " ".join([hint, *(node.attributes["aria-label"] for node in page.all(data_control=None))])

    assert word not in controls(view_for("kakkuri", 4)).lower()
    assert controls(view_for("kakeya4")).lower().count(word) == 3


@pytest.mark.parametrize(("preset", "seats"), [("kakeya4", None), ("kakeya6", None), ("kakkuri", 4)])
def test_japanese_has_its_own_full_stops_and_commas(preset: str, seats: int | None) -> None:
    view = view_for(preset, seats)
    page = page_of(view, 0, "ja")
    labels = [node.attributes[name] for name in ("aria-label", "title") for node in page.all(**{name: None})]
    text = " ".join([page.text.replace('","', ""), *labels])
    assert re.findall(r".{0,8}[぀-ヿ一-鿿][.,:](?!\d).{0,8}|.{0,8}(?<!\d)[,](?= ).{0,8}", text) == []
    spoken = json.loads(page.all(data_states=None)[0].text)
    assert [said for row in spoken for said in row if re.search("[。：、] ", str(said))] == []
    hint = next(node.text for node in page.below if "replay-hint" in node.classes)
    assert not re.search("[。：] ", hint)


@pytest.mark.parametrize(("language", "first"), [("en", "Lap 1"), ("ja", "1周目")])
def test_laps_of_the_race_have_their_names(language: str, first: str) -> None:
    page = page_of(view_for("kakkuri", 4), 0, language)
    laps = [node.parent for node in page.below if "race-lap" in node.classes]
    names = [lap.attributes["aria-label"] for lap in laps]
    assert names[0] == first
    assert len(set(names)) == len(names) > 1


def test_results_of_two_sides_are_those_of_the_first() -> None:
    view = view_for("kakeya4")
    for link, board in zip(page_of(view).all(data_board=None), view["boards"], strict=True):
        stones = signed(board["deals"][0]["end"]["stones"]["1"])
        assert link.text == f"{board['board']}{stones}"
        assert link.attributes["title"] == f"Board {board['board']}: Seats 1 & 3 {stones}"
        assert link.attributes["aria-label"] == link.attributes["title"]


def test_the_bar_of_a_clock_is_the_part_of_the_banks_that_was_used() -> None:
    table = recorded("kakeya4")
    full = view_of(table.record, table.timings, bank=Bank(0, 1, {}))
    half = view_of(table.record, table.timings)
    used = [sum(us for (_, _, seat), us in table.times.items() if seat in side) for side in half["sides"]]
    half["boards"][0]["deals"][0]["bank"] = {"1": used[0], "3": 0, "2": used[1], "4": 2 * used[1]}
    without = view_of(table.record, table.timings)

    def widths(view):
        page = page_of(view)
        bars = [node for node in page.below if "cpu-bar" in node.classes]
        legend = ENGLISH.bank_bars in page.text
        return [bar.children[0].attributes["width"] for bar in bars], legend

    assert widths(full) == (["100.0%", "100.0%"], True)
    assert widths(half) == (["50.0%", "25.0%"], True)
    assert widths(without) == ([], False)


def test_a_name_that_is_cut_is_whole_in_its_title() -> None:
    names = {1: Name("kakeya_greedy v1", "/bots/x"), 2: Name("<b>")}
    page = page_of(view_for("kakeya4"), 0, names=names)
    titles = [node.attributes.get("title") for node in page.below if "seat-name" in node.classes]
    assert titles == ["kakeya_greedy v1", "<b>"]
