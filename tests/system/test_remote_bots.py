"""Remote bots on a real installation: ``rensho connect`` up to the score, and clients with faults."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from arena.common.packs import blob_path
from benchmarks.demo.client import DemoClient
from bots.kit.client.errors import Refused
from engine.record import replay
from league.fairness import board_seed, commitment, field_digest
from tests.system.conftest import PATIENCE_S, REPOSITORY, Installation

pytestmark = [pytest.mark.full, pytest.mark.timeout(600), pytest.mark.xdist_group("installation")]

LADDER = "kakeya4"
SCOPES = ("read", "bots:connect")
SILENCE_S = 25.0
TEN_MEGABYTES = 10 << 20


class Connected:
    """A running ``rensho connect``, with its events."""

    def __init__(self, client: DemoClient, folder: Path, *options: str) -> None:
        self.log = folder / "log"
        environment = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "XDG_CONFIG_HOME": str(folder),
            "RENSHO_URL": client.url,
            "RENSHO_TOKEN": client.token,
        }
        bot = REPOSITORY / "bots" / "house" / "kakeya_greedy"
        command = [sys.executable, "-m", "bots.kit.cli", "connect", str(bot), "--log", str(self.log)]
        self.process = subprocess.Popen(
            [*command, "--json", *options],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def event(self, kind: str) -> dict[str, Any]:
        """Return the next event of a kind."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        for line in self.process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["type"] == kind:
                return event
        raise AssertionError(self.process.stderr.read())

    def decisions(self, table: str) -> list[dict[str, Any]]:
        lines = map(json.loads, (self.log / f"{table}.ndjson").read_text().splitlines())
        return [line for line in lines if line["type"] == "decision"]


@pytest.fixture(scope="module")
def owners(fresh: Installation) -> Iterator[list[DemoClient]]:
    clients = fresh.players(2, *SCOPES)
    yield clients
    for client in clients:
        client.__exit__()


@contextmanager
def stream(client: DemoClient, version: str, **wishes: str) -> Iterator[Iterator[dict[str, Any]]]:
    with client.lines("remote/stream", SILENCE_S, version=version, **wishes) as lines:
        yield map(json.loads, lines)


def asked(lines: Iterator[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return the table and the message of the first request."""
    for line in lines:
        if line.get("message"):
            return line["table"], line["message"]
    raise AssertionError("the stream ended")


def post(client: DemoClient, path: str, body: str) -> tuple[int, str]:
    """Return the status, and the code of a problem."""
    response = httpx.post(
        f"{client.url}/api/v1/remote/{path}",
        content=body,
        headers={"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"},
    )
    return response.status_code, response.json().get("code", "")


def test_a_rated_table_from_connect_to_its_score(
    fresh: Installation, owners: list[DemoClient], tmp_path: Path
) -> None:
    owner, _ = owners
    connected = Connected(owner, tmp_path, "--ladder", LADDER)
    table = connected.event("table")["table"]
    connected.process.send_signal(signal.SIGINT)
    over = connected.event("over")
    assert (over["table"], over["state"], over["verdict"]) == (table, "finished", "OK")
    assert connected.event("end")["tables"] == 1
    assert connected.process.wait(PATIENCE_S) == 0

    shown = owner.get(f"remote/tables/{table}")
    own = next(seat for seat in shown["seats"] if seat["remote_version"])
    assert (shown["state"], shown["is_rated"], shown["is_forfeit"]) == ("finished", True, False)
    assert {each["label"] for each in shown["field"]} == {"house rules", "house greedy"}
    mean = sum(each["stones"] for each in shown["field"]) / len(shown["field"])
    assert shown["score"] == own["stones"] - mean == over["score"]

    secret = bytes.fromhex(shown["secret"])
    assert commitment(secret) == shown["commitment"]
    ((record_sha256, answers),) = fresh.rows(
        "SELECT t.record_sha256, s.answers FROM remote_remotetable t "
        f"JOIN remote_remoteseat s ON s.table_id = t.id WHERE t.public_id = '{table}'"
    )
    record = gzip.decompress((fresh.data / "blobs" / blob_path(str(record_sha256))).read_bytes())
    replay(record)
    lines = [json.loads(line) for line in record.splitlines()]
    (board,) = (line for line in lines if line["e"] == "board")
    digest = field_digest(shown["bundles"])
    assert board["board"] == shown["first_board"]
    assert board["seed"] == board_seed(secret, shown["seed_id"], digest, 0, 0, shown["first_board"])
    played = [line["action"] for line in lines if line["e"] == "act" and line["seat"] == own["seat"]]
    logged = connected.decisions(table)
    assert [each["answer"]["action"] for each in logged] == played
    stored = json.loads(answers) if isinstance(answers, str) else answers
    assert [each[0] for each in stored] == [each["request"]["id"] for each in logged]

    ladder = owner.get(f"remote/ladders/{LADDER}")["lines"]
    (line,) = (line for line in ladder if line["version"] == own["remote_version"])
    assert (line["tables"], line["mean"], line["forfeits"]) == (1, shown["score"], 0)


def test_each_fault_of_a_client_has_one_problem_and_harms_no_table(
    fresh: Installation, owners: list[DemoClient]
) -> None:
    other, owner = owners
    (uploader,) = fresh.players(1)
    bot = owner.post("remote/bots", {"name": "raw", "game": "kakeya"})["id"]
    version = owner.post(f"remote/bots/{bot}/versions", {"label": ""})["id"]
    for client, code in ((uploader, "scope_missing"), (other, "not_owner")):
        with pytest.raises(Refused) as refusal, stream(client, version):
            pass
        assert refusal.value.code == code

    with stream(owner, version, ladder=LADDER) as first:
        table, message = asked(first)
        with stream(owner, version) as second:
            *_, last = first
            assert last == {"type": "replaced"}
            state = next(second)
            assert [each["message"]["id"] for each in state["tables"]] == [message["id"]]
            sign = {"version": version, "generation": state["generation"]}
            assert post(owner, "alive", json.dumps(sign)) == (200, "")
            sign["generation"] -= 1
            assert post(owner, "alive", json.dumps(sign)) == (409, "stream_replaced")

            answers = f"tables/{table}/answers"
            good = json.dumps({"id": message["id"], "action": message["legal"][0]})
            assert post(other, answers, good) == (404, "not_your_table")
            assert post(uploader, answers, good) == (403, "scope_missing")
            assert post(owner, answers, "QS") == (400, "malformed_answer")
            assert post(owner, answers, "x" * 5000) == (413, "answer_too_large")
            assert post(owner, answers, "x" * TEN_MEGABYTES) == (413, "body_too_large")
            assert post(owner, answers, '{"id": "0123456789abcdef"}') == (409, "unknown_request")

            illegal = json.dumps({"id": message["id"], "action": "XX"})
            for text, response in (
                (illegal, (200, "")),
                (illegal, (200, "")),
                (good, (409, "answer_differs")),
            ):
                assert post(owner, answers, text) == response
            settled = next(line for line in second if line["type"] == "settled")
            assert (settled["id"], settled["by"], settled["verdict"]) == (
                message["id"],
                "referee",
                "ILLEGAL_ACTION",
            )
            assert post(owner, answers, illegal) == (200, "")
            assert post(owner, answers, good) == (409, "answer_differs")

            over: dict[str, Any] = {}
            while over.get("state") != "finished":
                line = next(second)
                if line["type"] == "request":
                    last = {"id": line["message"]["id"], "action": line["message"]["legal"][-1]}
                    assert post(owner, answers, json.dumps(last)) == (200, "")
                if line["type"] == "over":
                    over = line
            assert post(owner, answers, json.dumps(last)) == (200, "")
            assert post(owner, answers, '{"id": "0123456789abcdef"}') == (409, "table_over")
    shown = owner.get(f"remote/tables/{table}")
    assert (shown["state"], shown["score"]) == ("finished", over["score"])
