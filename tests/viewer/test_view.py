"""What a view says beside the play: hands in order, faults, options, spelling, sizes, refusals."""

import contextlib
import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board, preset_named
from tests.chance import examples
from tests.engine.games.kakkuri.positions import deck_for
from tests.engine.records import joined, lines_of
from tests.viewer.agreement import agreed_view
from tests.viewer.records import recorded
from viewer import build
from viewer.build import ViewError, view_bytes, view_of
from viewer.games.kakeya.deals import sorted_hands


def test_a_hand_without_a_suit_still_goes_red_and_black_where_it_can():
    assert sorted_hands({1: ["2S", "3D", "4C"]}, "S") == {"1": ["2S", "3D", "4C"]}
    assert sorted_hands({1: ["2S", "3H", "4C"]}, "S") == {"1": ["2S", "3H", "4C"]}
    assert sorted_hands({1: ["2S", "3D", "4H"]}, "D") == {"1": ["3D", "2S", "4H"]}


def test_faults_show_with_their_verdict_and_who_forfeited():
    faults = {(2, 3): "OUT_OF_TIME", (2, 7): "CRASHED", (4, 1): "ILLEGAL_ACTION"}
    view = agreed_view(recorded("kakeya4", faults=faults, forfeits={2: 7}))
    deal = view["boards"][0]["deals"][0]
    given = [item for item in [*deal["before"], *deal["steps"]] if item.get("by") == "referee"]
    assert {(item["s"], item["verdict"]) for item in given} == {
        (2, "OUT_OF_TIME"),
        (2, "CRASHED"),
        (4, "ILLEGAL_ACTION"),
    }
    assert all("us" not in item for item in given)
    assert view["forfeited"] == [2]


def test_a_verdict_is_taken_as_it_is_written():
    verdict = "<script>alert(1)</script>"
    view = view_of(recorded("kakeya4", faults={(2, 3): verdict}).record)
    assert verdict in json.dumps(view)


def test_a_view_has_one_spelling_and_names_its_record():
    table = recorded("kakeya4", "deal", (1, 4))
    view = view_of(table.record, table.timings)
    data = view_bytes(view)
    assert json.loads(data) == view
    assert data == view_bytes(json.loads(data))
    assert data == json.dumps(view, sort_keys=True, separators=(",", ":")).encode("ascii")
    assert view["record_sha256"] == hashlib.sha256(table.record).hexdigest()
    assert view["numbers"] == [1, 4]


@pytest.mark.parametrize(
    ("preset", "kind", "boards", "options", "most", "most_zipped"),
    [
        ("kakeya4", "deal", 4, {}, 20_000, 4_000),
        ("kakeya4", "deal", 32, {}, 150_000, 25_000),
        ("kakkuri", "deal", 4, {"seats": 4}, 25_000, 5_000),
        ("kakkuri.league", "game", 1, {"seats": 4, "hands": 50}, 250_000, 40_000),
    ],
)
def test_views_are_as_small_as_the_documentation_says(preset, kind, boards, options, most, most_zipped):
    table = recorded(preset, kind, range(1, boards + 1), options=options)
    data = view_bytes(view_of(table.record, table.timings))
    assert len(data) < most
    assert len(gzip.compress(data, 6)) < most_zipped


TABLE = recorded("kakeya4", "deal", (1, 2))


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"", "record"),
        (b"\xff\xfe" * 20, "JSON"),
        (b"[" * 60_000, "JSON"),
        (b"{}\n", "record"),
        (b'{"e":"table","format":"rensho-record/2"}\n', "record"),
        (TABLE.record[:-10], "line"),
        (TABLE.record[: len(TABLE.record) // 2], "line"),
        (TABLE.record + b"\n", "end"),
        (TABLE.record.replace(b'"rules_version":1', b'"rules_version":9'), "rules_version 9"),
        (TABLE.record.replace(b'"game":"kakeya"', b'"game":"whist"'), "'whist'"),
        (TABLE.record.replace(b'"trump":"S"', b'"trump":"H"', 1), "rules"),
        (b'{"e":"table","x":"' + b"y" * 70_000 + b'"}\n', "line"),
    ],
    ids=range(12),
)
def test_what_is_no_record_is_refused_with_its_reason(record, reason):
    with pytest.raises(ViewError, match=reason) as refusal:
        view_of(record)
    assert "\n" not in str(refusal.value)


@examples(100)
@given(st.data())
def test_a_changed_record_is_refused_or_shown_and_nothing_else_happens(data):
    lines = lines_of(TABLE.record)
    at = data.draw(st.integers(0, len(lines) - 1))
    name = data.draw(st.sampled_from(sorted(lines[at])))
    values = st.one_of(
        st.none(), st.integers(), st.text(max_size=5), st.lists(st.integers(), max_size=3), st.booleans()
    )
    lines[at][name] = data.draw(values)
    with contextlib.suppress(ViewError):
        view_of(joined(lines), TABLE.timings)


@pytest.mark.parametrize(
    "timings",
    [
        b"",
        b"{",
        b"\xff",
        b"[]\n[]\n",
        b'{}\n{"board":1}\n',
        b'{}\n{"board":1,"seat":1,"n":1,"cpu_us":"x"}\n',
        b"[" * 9999,
    ],
    ids=range(7),
)
def test_times_that_cannot_be_read_are_left_out(timings):
    assert view_of(TABLE.record, timings) == view_of(TABLE.record)


def test_times_that_do_not_fit_the_answers_of_a_seat_are_left_out_for_that_seat():
    lines = lines_of(TABLE.timings)
    del lines[1]  # the first request of seat 1
    view = view_of(TABLE.record, joined(lines))
    items = [
        item
        for board in view["boards"]
        for deal in board["deals"]
        for item in (*deal["before"], *deal["steps"])
    ]
    assert {item["s"] for item in items if "us" in item} == {2, 3, 4}
    assert all("us" in item for item in items if item["s"] != 1)


def test_a_game_without_a_module_has_no_view(monkeypatch):
    monkeypatch.setattr(build, "deals_of", lambda game: None)
    with pytest.raises(ViewError, match=r"viewer/games/kakeya.*DEALS"):
        view_of(TABLE.record)


def test_a_deal_over_at_its_first_state_and_games_of_such_deals():
    deck = deck_for({1: "", 2: "AS AD AH", 3: ""}, 1)
    following = deck_for({1: "AS AD AH", 2: "", 3: ""}, 2)
    options = {"seats": 3, "fuwaru": False, "hands": 2}
    game, ruleset = preset_named("kakkuri")
    ruleset = ruleset.replace(**options)
    seats_first = [
        number
        for number in range(1, 40)
        if game.start(ruleset, Board("game", number, f"seed {number}", (deck, following))).outcome()
    ]
    view = agreed_view(
        recorded("kakkuri", "game", seats_first[:2], decks=(deck, following), options=options), has_decks=True
    )
    assert [[len(deal["steps"]) for deal in board["deals"]] for board in view["boards"]] == [[0, 0], [0, 0]]
