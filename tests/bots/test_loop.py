"""The loop of a bot: over real pipes as the referee uses them, and line by line."""

import io
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bots.sdk import Answer, Bot, ProtocolError
from engine import preset_named
from engine.wire import BYE, event_line, hello_line, parse_answer, parse_ready
from engine.wire import Answer as ParsedAnswer
from tests.bots.asking import TOKENS, line_for, position

ROOT = Path(__file__).parents[2]
STATE = position({})
REQUEST = line_for(STATE, 3)
REQUEST_ID = TOKENS.request_id(3, 1)


def hello(**changes):
    line = hello_line(
        *preset_named("kakeya4"),
        seat=3,
        clock={"start_ms": 3000, "bank_ms": 500, "increment_ms": 20, "decision_cap_ms": 2000},
        rng=TOKENS.rng(3),
    )
    return json.dumps({**json.loads(line), **changes}).encode()


class First(Bot):
    name = "first"

    def act(self, request):
        return request.legal[0]


def run(bot, *lines):
    sink = io.BytesIO()
    bot.run(io.BytesIO(b"".join(line + b"\n" for line in lines)), sink)
    return sink.getvalue().splitlines()


def run_program(code, *lines):
    """A bot as a process of its own; gives its exit status, lines and log."""
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom bots.sdk import Bot\n{code}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        input=b"".join(line + b"\n" for line in lines),
        capture_output=True,
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr.decode()


PROGRAM = "class B(Bot):\n    name = 'b'\n    def act(self, request):\n        {body}\nB().run()\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return request.legal[0]", ""),
        ("print('thinking'); return request.legal[0]", "thinking\n"),
        ("self.log('deal', 1); return request.legal[0]", "deal 1\n"),
    ],
)
def test_a_bot_says_ready_answers_and_stops_at_bye(body, told):
    status, lines, log = run_program(PROGRAM.format(body=body), hello(), REQUEST, BYE, REQUEST)
    assert (status, log, len(lines)) == (0, told, 2)
    assert parse_ready(lines[0]).name == "b"
    assert parse_answer(lines[1], REQUEST_ID) == ParsedAnswer(STATE.legal(3)[0], None, None)


def test_a_bot_answers_each_line_before_it_reads_the_next():
    program = PROGRAM.format(body="return request.legal[0]")
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom bots.sdk import Bot\n{program}"
    with subprocess.Popen(
        [sys.executable, "-I", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        rescue = threading.Timer(30, process.kill)
        rescue.start()
        for line in (hello(), REQUEST, REQUEST):
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())
        process.stdin.close()
        rescue.cancel()
        assert process.wait(timeout=60) == 0


def test_the_end_of_input_ends_the_bot_quietly():
    status, lines, log = run_program(PROGRAM.format(body="return request.legal[0]"), hello())
    assert (status, len(lines), log) == (0, 1, "")


def test_an_exception_ends_the_bot_with_its_traceback():
    status, lines, log = run_program(PROGRAM.format(body="raise KeyError('x')"), hello(), REQUEST, BYE)
    assert status == 1
    assert len(lines) == 1
    assert "KeyError: 'x'" in log


def test_remarks_travel_with_the_answer():
    class Talkative(First):
        def act(self, request):
            return Answer(request.legal[0], debug="because", policy={request.legal[0]: 1.0})

    _, answer = run(Talkative(), hello(), REQUEST, BYE)
    assert parse_answer(answer, REQUEST_ID) == ParsedAnswer(
        STATE.legal(3)[0], "because", {STATE.legal(3)[0]: 1.0}
    )


def test_wishes_are_told_in_ready():
    class Wishful(First):
        events = True
        skip_forced = True

    (ready,) = run(Wishful(), hello(), BYE)
    assert parse_ready(ready) == ("first", True, True)


def test_hello_and_events_reach_their_hooks_and_events_are_not_answered():
    class Listener(First):
        events = True

        def __init__(self):
            super().__init__()
            self.heard = []

        def on_hello(self, hello):
            self.heard.append((hello.seat, hello.seats, hello.partner, hello.preset, hello.game))
            self.heard.append((hello.protocol, hello.rng, hello.clock["bank_ms"], hello.ruleset["stones"]))

        def on_event(self, event):
            self.heard.append(event["e"])

        def on_bye(self):
            self.heard.append("bye")

    bot = Listener()
    event = event_line({"e": "trick", "n": 1, "pictures": 0, "winner": 2})
    assert len(run(bot, hello(), event, REQUEST, BYE)) == 2
    assert bot.heard == [(3, 4, 1, "kakeya4", "kakeya"), (1, TOKENS.rng(3), 500, 5), "trick", "bye"]
    assert bot.is_over


def test_unknown_messages_and_fields_are_passed_over():
    news = b'{"type":"weather","is":"fine"}'
    request = json.dumps({**json.loads(REQUEST), "colour": "blue"}).encode()
    assert len(run(First(), hello(colour="blue"), news, request, BYE)) == 2


def test_a_request_gives_typed_access():
    class Looking(First):
        def act(self, request):
            assert request.id == REQUEST_ID
            assert (request.phase, request.seat) == ("play", 3)
            assert (request.bank_ms, request.increment_ms) == (500, 20)
            assert request.legal == STATE.legal(3)
            assert request.observation == STATE.observe(3)
            return request.legal[0]

    assert len(run(Looking(), hello(), REQUEST, BYE)) == 2


class Drawing(First):
    def act(self, request):
        return Answer(request.legal[0], debug=f"{request.rng.random()} {self.rng.random()}")


def drawn(*lines):
    return [json.loads(line)["debug"].split() for line in run(Drawing(), *lines)[1:]]


def test_draws_of_a_request_follow_from_its_line_alone():
    other = line_for(STATE, 3, count=2)
    (first, _), (second, _), (again, _) = drawn(hello(), REQUEST, other, REQUEST)
    assert first == again != second
    assert drawn(hello(rng="00" * 8), REQUEST)[0][0] == first


def test_draws_of_a_table_follow_from_hello():
    (_, first), (_, second) = drawn(hello(), REQUEST, REQUEST)
    assert first != second
    assert drawn(hello(), REQUEST)[0][1] == first
    assert drawn(hello(rng="00" * 8), REQUEST)[0][1] != first


@pytest.mark.parametrize("line", [b"nonsense", b"[1]", b"\xff", b""])
def test_a_line_that_is_no_message_is_refused_with_what_was_expected(line):
    with pytest.raises(ProtocolError, match="object"):
        First().reply_to(line)


def test_another_protocol_is_refused():
    with pytest.raises(ProtocolError, match="rensho/2"):
        First().reply_to(hello(protocol=2))


def test_an_answer_that_is_no_action_is_refused_by_name():
    class Mute(Bot):
        def act(self, request):
            return None

    with pytest.raises(ProtocolError, match=r"None.*'play'"):
        Mute().reply_to(REQUEST)


def test_a_bot_without_act_says_what_is_missing():
    with pytest.raises(NotImplementedError, match=r"Bot.* act"):
        Bot().reply_to(REQUEST)


def test_hello_is_asked_for_too_early():
    with pytest.raises(ProtocolError, match="on_hello"):
        _ = First().hello


def test_a_closed_output_ends_the_bot_quietly():
    class Closed(io.BytesIO):
        def write(self, data):
            raise BrokenPipeError

    First().run(io.BytesIO(hello() + b"\n"), Closed())


def test_run_gives_standard_output_back():
    before = sys.stdout
    run(First(), hello(), BYE)
    assert sys.stdout is before


@pytest.mark.parametrize("options", [{}, {"court_order": "QJK"}])
def test_a_request_knows_the_options_that_hello_told(options):
    class Ruled(Bot):
        def act(self, request):
            assert request.ruleset == options
            return request.legal[0]

    bot = Ruled()
    if options:
        bot.reply_to(hello(ruleset=options))
    assert bot.reply_to(REQUEST)
