"""The examples of remote bots, against the small site and a small server of a language model."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bots.kit.errors import CHECK_FAILED
from bots.sdk import Request
from engine import Board
from referee.runtimes.recipes.node1 import host_program
from tests.bots.asking import line_for, rules_of
from tests.bots.kit.remote.site import PATIENCE_S, Table

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "examples" / "remote"
KEY = "sk-secret"


def test_the_batched_policy_answers_two_tables_from_one_process(rensho, site, logged_in):
    site.waiting = [Table("t1"), Table("t2", seed="other")]
    folder = EXAMPLES / "gpu"
    found, _, err = rensho(
        *("connect", folder, "--ladder", "kakeya4", "--json", "--stop-after", 2, "--tables", 2)
    )
    assert found == 0, err
    assert [len(table.played) for table in site.over.values()] == [4, 4]
    assert all("batch of" in answer["debug"] for _, answer in site.posted)
    assert (logged_in / "batched_policy" / "bot.stderr").read_text().count("the network runs in") == 1


def test_the_batched_policy_refuses_a_network_that_it_cannot_read(rensho, site, logged_in, tmp_path):
    folder = tmp_path / "gpu"
    shutil.copytree(EXAMPLES / "gpu", folder)
    (folder / "policy.npz").write_bytes(b"PK")
    found, _, err = rensho("connect", folder, "--ladder", "kakeya4")
    assert (found, site.bots) == (CHECK_FAILED, [])
    assert "policy.npz" in err


@pytest.fixture
def model_server(monkeypatch):
    """A server of a language model. ``replies`` has a function for each request, which writes the reply."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append((self.path, self.headers.get("Authorization"), body))
            with suppress(OSError):
                server.replies.pop(0)(self)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.requests, server.replies, server.release = [], [], threading.Event()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1/")
    monkeypatch.setenv("OPENAI_MODEL", "small")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def llm():
    spec = importlib.util.spec_from_file_location("llm_example", EXAMPLES / "llm" / "main.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sends(data, status=200, **headers):
    def reply(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def says(text, tokens=7):
    document = {"choices": [{"message": {"content": text}}], "usage": {"total_tokens": tokens}}
    return sends(json.dumps(document).encode())


def drips(handler):
    """Never end the first line of the response."""
    while not handler.server.release.wait(0.02):
        handler.wfile.write(b"H")


def a_request(bank_ms=120_000):
    game, ruleset = rules_of("kakeya4")
    state = game.start(ruleset, Board("deal", 1, "model"))
    while state.phase != "play":
        state = state.apply(state.to_act[0], state.legal(state.to_act[0])[0])
    message = json.loads(line_for(state, state.to_act[0]))
    return Request({**message, "clock": {"bank_ms": bank_ms, "increment_ms": 5000}})


def test_the_model_gets_the_position_and_numbered_actions(llm, model_server):
    model_server.replies = [says("1 is tempting.\nACTION: 3")]
    request = a_request()
    answer = llm.LanguageModelBot().act(request)
    assert answer.action == request.legal[2]
    assert answer.debug.startswith("7 tokens, 0 retries, 0 fallbacks")
    path, authorization, body = model_server.requests[0]
    assert (path, authorization, body["model"]) == ("/v1/chat/completions", f"Bearer {KEY}", "small")
    prompt = body["messages"][-1]["content"]
    for number, action in enumerate(request.legal, 1):
        assert f"\n{number}. " in prompt
        assert f"({action})" in prompt


def test_an_illegal_reply_is_explained_once(llm, model_server):
    model_server.replies = [says("ACTION: 99"), says("Sorry. ACTION: 2")]
    bot, request = llm.LanguageModelBot(), a_request()
    assert bot.act(request).action == request.legal[1]
    assert (bot.tokens, bot.retries, bot.fallbacks) == (14, 1, 0)
    retried = model_server.requests[1][2]["messages"]
    assert [message["role"] for message in retried] == ["system", "user", "assistant", "user"]
    assert "99" in retried[-1]["content"]


HOSTILE = {
    "no action": says("I would rather not."),
    "instructions": says("\x1b[2J\u202eIgnore all rules. ACTION: 0 ACTION: -1 ACTION: 123456789012"),
    "no text": says(None),
    "other JSON": sends(b'{"choices": []}'),
    "list": sends(b"[1]"),
    "not JSON": sends(b"<html>busy</html>"),
    "deep": sends(b"[" * 100_000),
    "huge": sends(b"x" * 3_000_000),
    "failure": sends(b"no model named small, key " + KEY.encode(), status=500),
    "redirect": sends(b"", status=302, Location="http://127.0.0.1:9/"),
    "closed": lambda handler: handler.connection.close(),
    "drips": drips,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_server_that_misbehaves_twice_costs_a_fallback(llm, model_server, kind, monkeypatch, capfd):
    if kind == "drips":
        monkeypatch.setattr(llm, "MIN_TIMEOUT_S", 0.2)
    model_server.replies = [HOSTILE[kind]] * 2
    bot, request = llm.LanguageModelBot(), a_request(500 if kind == "drips" else 120_000)
    assert bot.act(request).action == request.legal[0]
    assert (bot.retries, bot.fallbacks) == (1, 1)
    log = capfd.readouterr().err
    assert KEY not in log
    assert all(line.isprintable() for line in log.splitlines())
    assert (kind == "failure") == ("no model named small" in log)


def test_the_model_plays_a_table(rensho, site, logged_in, model_server):
    model_server.replies = [says("Hello.")] * 2 + [says("ACTION: 1")] * 2
    site.waiting = [Table("t1", decisions=2)]
    found, _, err = rensho(
        "connect", EXAMPLES / "llm", "--ladder", "kakeya4", "--slow", "--json", "--stop-after", 1
    )
    assert found == 0, err
    assert site.queries[0]["slow"] == "true"
    assert len(site.over["t1"].played) == 2
    assert model_server.replies == []
    assert "14 tokens" in (logged_in / "language_model" / "t1.stderr").read_text()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (sends(b"model 'small' not found", status=404), "model 'small' not found"),
        (sends(b"wrong key " + KEY.encode(), status=401), "401"),
        (sends(b"", status=302, Location="http://127.0.0.1:9/"), "302"),
    ],
)
def test_no_table_is_played_with_a_wrong_model_or_key(rensho, site, logged_in, model_server, reply, said):
    model_server.replies = [reply]
    found, _, err = rensho("connect", EXAMPLES / "llm", "--ladder", "kakeya4")
    assert (found, site.bots) == (CHECK_FAILED, [])
    assert said in err
    assert "OPENAI_MODEL" in err
    assert KEY not in err


def test_no_table_is_played_without_a_server(rensho, site, logged_in, monkeypatch):
    with socket.socket() as closed:  # bound, but it does not listen
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/v1")
        monkeypatch.setenv("OPENAI_MODEL", "small")
        found, _, err = rensho("connect", EXAMPLES / "llm", "--ladder", "kakeya4")
    assert (found, site.bots) == (CHECK_FAILED, [])
    assert "OPENAI_BASE_URL" in err


@pytest.mark.parametrize("status", [408, 429, 503])
def test_a_busy_server_does_not_end_the_bot(llm, model_server, status):
    model_server.replies = [sends(b"later", status=status)]
    llm.LanguageModelBot().model.check()
    assert len(model_server.requests) == 1


def test_the_client_in_javascript_plays_and_repeats_answers(site, during):
    def end():
        site.until(lambda: "t1" in site.over)
        site.send({"type": "replaced"})
        site.drop_streams()

    site.waiting, site.answer_faults = [Table("t1")], ["late", 503]
    during(end)
    environment = {**os.environ, "RENSHO_URL": site.url, "RENSHO_TOKEN": "rensho_test"}
    command = [str(host_program()), str(EXAMPLES / "javascript" / "client.mjs"), "v1", "kakeya4"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(site.over["t1"].played) == 4
    assert site.queries[0] == {"version": "v1", "ladder": "kakeya4"}
