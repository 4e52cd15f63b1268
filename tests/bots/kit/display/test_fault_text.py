"""A fault in words: an error of the bot's program where there is one, otherwise what the referee saw."""

import pytest

from bots.kit.display.fault_text import fault_message
from referee.contract import Fault, Verdict

SIGNAL = "a signal ended the bot (SIGSEGV)"
ERROR = "the bot ended with an error (exit code 1)"
TRACEBACK = """\
Traceback (most recent call last):
  File "/bot/main.py", line 16, in act
    return self.weights[card]
KeyError: 'QH'
"""
NODE = """\
/bot/main.js:8
  foo.bar
  ^

ReferenceError: foo is not defined
    at act (/bot/main.js:8:3)

Node.js v20.20.2
"""


def crashed(reason: str, log: str) -> Fault:
    return Fault(Verdict.CRASHED, reason, 1, 5, "play", "{}", None, log, {}, "", None)


@pytest.mark.parametrize(
    ("reason", "log", "message"),
    [
        (ERROR, TRACEBACK, "KeyError: 'QH' (main.py, line 16)"),
        (ERROR, NODE, "ReferenceError: foo is not defined (main.js, line 8)"),
        (SIGNAL, "", SIGNAL),
        (SIGNAL, "KS\n", f"{SIGNAL}; its log ends: KS"),
        (ERROR, "lost\n", f"{ERROR}; its log ends: lost"),
    ],
)
def test_a_note_in_the_log_does_not_take_the_place_of_how_a_bot_ended(reason, log, message):
    assert fault_message(crashed(reason, log)) == message
