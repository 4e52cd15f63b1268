"""Tables played by the real referee in this process, with bots that fail on purpose."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from arena.accounts.models import User
from arena.common.blobs import blob_put
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import Table, TableSeat
from arena.matches.results import table_finish
from arena.roster.models import BotVersion
from referee.contract import Fault, SeatReport, TableReport, Verdict
from referee.inprocess import InProcessDriver, ReplyFunction
from referee.table import play_table
from tests.arena.play import claimed, waiting

Misdeed = Callable[[Mapping[str, Any]], bytes | None]
"""What a bot answers to a request instead of an answer; None is silence."""

HOSTILE = "<script>alert('owned')</script><img src=x onerror=alert(1)>"
LONG_WORD = "w" * 1500


def honest(message: Mapping[str, Any]) -> bytes | None:
    """Plays the last legal action."""
    if message["type"] == "hello":
        return b'{"type":"ready","name":"honest"}'
    if message["type"] != "request":
        return None
    return json.dumps({"id": message["id"], "action": message["legal"][-1]}).encode()


def bot(misdeeds: Mapping[int, Misdeed] | None = None) -> ReplyFunction:
    """An honest bot but for its misdeeds, by the number of the request."""
    asked = 0

    def speak(line: bytes) -> bytes | None:
        nonlocal asked
        message = json.loads(line)
        asked += message["type"] == "request"
        misdeed = (misdeeds or {}).get(asked) if message["type"] == "request" else None
        return (misdeed or honest)(message)

    return speak


def illegal(message: Mapping[str, Any]) -> bytes:
    """A card that is not in the hand."""
    gone = next(
        f"{rank}{suit}" for suit in "SHDC" for rank in "A5" if f"{rank}{suit}" not in message["legal"]
    )
    return json.dumps({"id": message["id"], "action": gone}).encode()


def markup(message: Mapping[str, Any]) -> bytes:
    """An action and a remark that a careless page would run."""
    return json.dumps({"id": message["id"], "action": HOSTILE, "debug": HOSTILE}).encode()


def endless_word(message: Mapping[str, Any]) -> bytes:
    """No JSON, and nowhere to break the line."""
    return LONG_WORD.encode()


def crash(message: Mapping[str, Any]) -> bytes:
    """An error whose text is markup."""
    raise KeyError(HOSTILE)


def think(message: Mapping[str, Any]) -> bytes | None:
    """More CPU than there is."""
    end = time.thread_time() + 0.9
    while time.thread_time() < end:
        pass
    return honest(message)


def play(table: Table, misdeeds: Mapping[int, Mapping[int, Misdeed]] | None = None) -> TableReport:
    """Claim, play and finish a table; ``misdeeds`` by version and number of the request."""
    lease = claimed(table)
    versions = dict(TableSeat.objects.filter(table=table).values_list("seat", "version"))
    drivers = {
        seat: InProcessDriver(bot((misdeeds or {}).get(version))) for seat, version in versions.items()
    }
    report = play_table(lease.order, drivers, lambda *_: None, _keep)
    assert table_finish(lease.table_id, lease.fence, report)
    return report


def _keep(data: bytes) -> str:
    return blob_put(data, "record")


def play_round(tournament: Tournament, misdeeds: Mapping[int, Mapping[int, Misdeed]]) -> None:
    """Play every table of the open round and close it."""
    for table in waiting(tournament):
        play(table, misdeeds)
    tournament_advance(tournament)
    tournament.refresh_from_db()


def version_of(tournament: Tournament, owner: User) -> BotVersion:
    """The version an owner entered."""
    return tournament.entries.get(player__user=owner).version


def a_fault(**fields: Any) -> Fault:
    """A fault as a report tells it, without any table."""
    given: dict[str, Any] = {
        "verdict": Verdict.PROTOCOL,
        "reason": "the answer is not JSON",
        "board": 1,
        "decision": 3,
        "phase": "play",
        "request": None,
        "answer": None,
        "log_tail": "",
        "clock": {"bank_ms": 500.0, "limit_cpu_ms": 520.0, "used_cpu_ms": 3.5},
        "fingerprint": "0123456789abcdef",
        "action": "2S",
    }
    return Fault(**{**given, **fields})


def a_trial_report(*faults: Fault) -> dict[str, Any]:
    """The report of a check's trial in which the bot on seat 1 had these faults."""
    seat = SeatReport(1, faults[0].verdict if faults else Verdict.OK, False, 9, 1, 1, 0, faults, None)
    return TableReport("trial", 1, None, None, (), (seat,), None, "FULL1", "test").to_json()
