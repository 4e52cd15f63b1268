"""Messages as bytes: exact fields, and a reader that survives anything."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import game_named
from engine.errors import ProtocolError
from engine.wire import (
    BYE,
    DEBUG_BYTES,
    Answer,
    Ready,
    Tokens,
    event_line,
    hello_line,
    parse_answer,
    parse_ready,
    request_line,
)
from tests.refusals import refusal

ID = "0123456789abcdef"

texts = st.text(alphabet="aé7\x1b\ud800", max_size=4)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["id", "action", "debug", "policy", "type", "name", "events", "skip_forced", "x"])
near_answers = st.dictionaries(fields, json_values | st.just(ID) | st.just("ready"), max_size=6).map(
    lambda message: json.dumps(message).encode()
)


def answer(**message):
    return json.dumps({"id": ID, "action": "KH", **message}).encode()


class TestWhatTheRefereeSays:
    def test_hello_has_exactly_the_fields_of_the_protocol(self):
        game = game_named("kakeya")
        ruleset = game.ruleset("kakeya4")
        line = hello_line(game, ruleset, seat=1, clock={"bank_ms": 500}, rng=ID)
        assert json.loads(line) == {
            "type": "hello",
            "protocol": 1,
            "game": "kakeya",
            "preset": "kakeya4",
            "ruleset": ruleset.as_dict(),
            "seat": 1,
            "seats": 4,
            "partner": 3,
            "clock": {"bank_ms": 500},
            "rng": ID,
        }

    def test_a_request_has_exactly_the_fields_of_the_protocol(self):
        line = request_line(ID, "play", ["KH"], {"hand": ["KH"]}, bank_ms=480, increment_ms=20)
        assert line == (
            b'{"type":"request","id":"0123456789abcdef","phase":"play","legal":["KH"],'
            b'"observation":{"hand":["KH"]},"clock":{"bank_ms":480,"increment_ms":20}}'
        )

    def test_an_event_keeps_its_own_fields(self):
        assert json.loads(event_line({"e": "act", "seat": 2})) == {"type": "event", "e": "act", "seat": 2}

    def test_bye_is_one_object(self):
        assert json.loads(BYE) == {"type": "bye"}


class TestTokens:
    def test_they_follow_from_the_key_and_nothing_else(self):
        assert Tokens("aa" * 32).request_id(2, 7) == Tokens("aa" * 32).request_id(2, 7)
        assert Tokens("aa" * 32).rng(2) == Tokens("aa" * 32).rng(2)

    def test_they_do_not_depend_on_the_order_of_asking(self):
        tokens = Tokens("aa" * 32)
        in_order = [tokens.request_id(seat, n) for n in range(1, 20) for seat in (1, 2)]
        assert in_order == [Tokens("aa" * 32).request_id(seat, n) for n in range(1, 20) for seat in (1, 2)]
        assert tokens.request_id(1, 3) == in_order[4]

    def test_in_a_row_they_are_those_asked_for_one_by_one(self):
        tokens = Tokens("aa" * 32)
        assert list(islice(tokens.request_ids(3), 200)) == [tokens.request_id(3, n) for n in range(1, 201)]

    def test_no_two_are_alike(self):
        tokens, other = Tokens("aa" * 32), Tokens("ab" * 32)
        made = [t.request_id(seat, n) for t in (tokens, other) for seat in range(1, 5) for n in range(1, 60)]
        made += [t.rng(seat) for t in (tokens, other) for seat in range(1, 5)]
        assert len(set(made)) == len(made)
        assert all(len(token) == 16 and set(token) <= set("0123456789abcdef") for token in made)


class TestReady:
    def test_the_shortest_is_enough(self):
        assert parse_ready(b'{"type":"ready"}') == Ready("", events=False, skip_forced=False)

    def test_all_fields_are_read_and_unknown_ones_ignored(self):
        line = b'{"type":"ready","name":"n","events":true,"skip_forced":true,"more":[1]}'
        assert parse_ready(line) == Ready("n", events=True, skip_forced=True)

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            (b'{"type":"redy"}', '"redy"'),
            (b"{}", "null"),
            (b'{"type":"ready","events":1}', "true or false"),
            (b'{"type":"ready","name":7}', "text"),
            (b"ready", "not JSON"),
            (b'["ready"]', "JSON"),
        ],
    )
    def test_anything_else_is_refused_with_what_to_change(self, line, complaint):
        with pytest.raises(ProtocolError, match=complaint):
            parse_ready(line)


class TestAnswer:
    def test_an_action_is_enough(self):
        assert parse_answer(answer(), ID) == Answer("KH", None, None)

    @pytest.mark.parametrize("spaces", [(",", ":"), (", ", ": ")])
    @pytest.mark.parametrize("action", ["KH", "PREFER", "7H+7D+AC@7", "a\\b", 'a"b', "\u00e9", "", "\u0661"])
    def test_however_it_is_spelt(self, action, spaces):
        line = json.dumps({"id": ID, "action": action}, separators=spaces).encode()
        assert parse_answer(line, ID) == Answer(action, None, None)
        line = json.dumps({"id": ID, "action": action}, separators=spaces, ensure_ascii=False).encode()
        assert parse_answer(line, ID) == Answer(action, None, None)

    def test_debug_is_cut_and_policy_kept(self):
        found = parse_answer(answer(debug="é" * 2000, policy={"KH": 0.75, "7H": 1}), ID)
        assert found.debug == "é" * (DEBUG_BYTES // 2)
        assert found.policy == {"KH": 0.75, "7H": 1}

    def test_the_answer_to_a_stale_request_gives_its_id_whatever_else_it_says(self):
        assert parse_answer(b'{"id":"feed"}', ID, {"feed"}) == "feed"

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            (b'{"action":"KH"}', "no 'id'"),
            (answer(id="feed"), '"feed"'),
            (answer(id=7), "id 7"),
            (answer(id=["feed"]), "the id"),
            (b'{"id":"%s"}' % ID.encode(), "no 'action'"),
            (answer(action=None), "'action'"),
            (answer(action=["KH"]), "legal"),
            (answer(debug=1), "'debug'"),
            (answer(policy=[0.5]), "'policy'"),
            (answer(policy={"KH": 2}), "probability"),
            (answer(policy={"KH": True}), "probability"),
            (b'{"id":"%s","action":"KH","action":"QH"}' % ID.encode(), '"action"'),
            (b'{"id":"%s","action":"KH","x":NaN}' % ID.encode(), "NaN"),
            (b'{"id":"%s","action":"KH","x":-Infinity}' % ID.encode(), "Infinity"),
            (b'{"id":"%s","action":"KH","x":1e999}' % ID.encode(), "too large"),
            (b'{"id":"%s","action":"KH","x":%s}' % (ID.encode(), b"[" * 17 + b"]" * 17), "nests deeper"),
            (b"[" * 100_000, "nests deeper"),
            (b"[" * 500 + b"]" * 500, "nests deeper"),
            (b"[1]", "JSON"),
            (b"null", "JSON"),
            (b"", "not JSON"),
            (b"KH", 'not JSON .*"KH".*standard error'),
            (b"\xff\xfe", "not UTF-8"),
            (b"\xef\xbb\xbf{}", "not JSON"),
            (b"9" * 5000, "not JSON"),
        ],
    )
    def test_anything_else_is_refused_with_what_to_change(self, line, complaint):
        with pytest.raises(ProtocolError, match=complaint):
            parse_answer(line, ID)

    def test_a_refusal_quotes_little_and_nothing_that_moves_a_terminal(self):
        caught = refusal(ProtocolError, parse_answer, b"\x1b[31m" + b"y" * 3000, ID)
        assert len(str(caught)) < 400
        assert "\x1b" not in str(caught)


class TestWhateverTheBytes:
    @given(st.binary(max_size=200) | near_answers)
    @example(b'{"id":"\\ud800","action":"\\udfff","debug":"\\ud800"}')
    @example(b'{"id":"0123456789abcdef","action":"\\ud800","debug":"\\ud800\\udc00\\ud800"}')
    def test_an_answer_is_read_or_refused(self, line):
        try:
            found = parse_answer(line, ID, {"feed"})
        except ProtocolError as error:
            str(error).encode("ascii")
        else:
            assert found == "feed" or isinstance(found, Answer)
            assert found.debug is None or len(found.debug.encode()) <= DEBUG_BYTES

    @given(st.binary(max_size=200) | near_answers)
    def test_a_ready_is_read_or_refused(self, line):
        try:
            found = parse_ready(line)
        except ProtocolError as error:
            str(error).encode("ascii")
        else:
            assert isinstance(found.name, str)
            assert isinstance(found.events, bool)
