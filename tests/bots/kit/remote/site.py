"""A small site with the protocol of remote bots, on loopback, whose faults a test chooses."""

import json
import queue
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from engine import Board
from engine.wire import Tokens
from tests.bots.asking import hello_for, line_for, rules_of

CLOCK = {"bank_ms": 125_000, "increment_ms": 5_000, "grace_ms": 300, "disconnect_ms": 60_000}
SCORING = {"state": "played", "score": None}
PATIENCE_S = 30.0
"""A guard against hanging, not a measure."""


class Table:
    """One deal in which seat 1 is remote and all other seats play their first legal action."""

    def __init__(self, table_id, preset="kakeya4", decisions=4, seed="remote"):
        self.id, self.decisions = table_id, decisions
        game, ruleset = rules_of(preset)
        self.state = game.start(ruleset, Board("deal", 1, seed))
        self.hello = json.loads(hello_for(preset, 1))
        self.answers = {}
        """Accepted answers by request id, as text."""
        self.played = []
        """Actions of the remote seat in the order played."""
        self.count = 0
        self.message = None
        self.is_over = False
        self.advance()

    def advance(self):
        """Play until the remote seat has to act or the table is over."""
        while self.state.to_act and 1 not in self.state.to_act:
            seat = self.state.to_act[0]
            self.state = self.state.apply(seat, self.state.legal(seat)[0])
        self.count += 1
        self.is_over = self.count > self.decisions or not self.state.to_act
        self.message = None
        if not self.is_over:
            tokens = Tokens(self.id.encode().hex())
            request_id = tokens.request_id(1, self.count)
            self.message = {**json.loads(line_for(self.state, 1)), "id": request_id}

    def settle(self, action):
        legal = self.state.legal(1)
        is_legal = action in legal
        self.played.append(action)
        self.state = self.state.apply(1, action if is_legal else legal[0])
        self.advance()
        return is_legal

    def pending(self):
        message = self.message
        return {
            "message": message,
            "events": [{"type": "event", "e": "act", "n": self.count}] if message else [],
            "deadline": None,
            "left_ms": 125_300 if message else None,
            "clock": CLOCK,
        }

    def as_json(self):
        return {
            "table": self.id,
            "seat": 1,
            "rated": True,
            "commitment": "0" * 64,
            "hello": self.hello,
            **self.pending(),
        }


class Site:
    """State of the site. Faults are attributes, which a test changes at any time."""

    def __init__(self):
        self.lock = threading.RLock()
        self.scopes = ["read", "bots:connect"]
        self.is_old = False
        self.bots = []
        self.versions = []
        self.waiting = []
        """Tables that begin when a stream asks for rated tables."""
        self.tables = {}
        self.over = {}
        self.generation = 0
        self.streams = []
        """Queues of lines, one per open stream, newest last. None ends the connection."""
        self.queries = []
        """Query of each stream."""
        self.posted = []
        """Table and answer of each request, in the order of arrival, also of refused ones."""
        self.alive = []
        self.answer_faults = []
        """Faults of the next answers: ``lose`` accepts without a reply, ``late`` too, but settles the
        request only when the answer is repeated, ``drop`` does neither, a number is the HTTP status of a
        server's failure, a pair is status and code of a refusal."""
        self.stream_faults = []
        """HTTP status of the next streams."""
        self.alive_fault = None
        self.is_silent = False
        """Whether streams send nothing after their first line."""
        self.hides_results = False
        """Whether results are only on the stream, and those of a table come while the next one is played."""
        self.unsent = []
        self.misses_end = False
        """Whether the end of a table is not on the stream."""
        self.duplicates = False
        """Whether each line is sent twice."""
        self.changed = threading.Condition(self.lock)
        site = self

        class Handler(_Handler):
            pass

        Handler.site = site
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that ends closes its connections
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        with self.lock:
            self.drop_streams()
        self.server.shutdown()
        self.server.server_close()

    def until(self, claim):
        """Wait until a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        with self.changed:
            while not claim():
                assert time.monotonic() < deadline, (self.queries, self.posted[-3:])
                self.changed.wait(0.05)

    def send(self, message):
        """Send a line on the newest stream."""
        with self.changed:
            if self.streams and not self.is_silent:
                for _ in range(1 + self.duplicates):
                    self.streams[-1].put(message)
            self.changed.notify_all()

    def drop_streams(self):
        """Break all connections of streams."""
        with self.changed:
            for stream in self.streams:
                stream.put(None)
            self.streams = []
            self.changed.notify_all()

    def open_tables(self):
        """Begin waiting tables as far as the newest stream asks for them."""
        with self.lock:
            query = self.queries[-1] if self.queries else {}
            while query.get("ladder") and self.waiting and len(self.tables) < int(query.get("tables", 1)):
                table = self.waiting.pop(0)
                self.tables[table.id] = table
                self.send({"type": "table", **table.as_json()})

    def take_answer(self, table_id, answer, is_late=False):
        """Return status and body of the reply to an answer."""
        with self.changed:
            self.posted.append((table_id, answer))
            self.changed.notify_all()
            table = self.tables.get(table_id) or self.over.get(table_id)
            if table is None:
                return 404, {"code": "not_found"}
            text = json.dumps(answer)
            accepted = {"id": answer.get("id"), "accepted": True}
            if answer.get("id") in table.answers:
                if table.message is not None and answer["id"] == table.message["id"]:
                    self._settle(table, answer)
                is_same = table.answers[answer["id"]] == text
                return (200, accepted) if is_same else (409, {"code": "answer_differs"})
            if table.message is None or answer.get("id") != table.message["id"]:
                return 409, {"code": "unknown_request"}
            table.answers[answer["id"]] = text
            if not is_late:
                self._settle(table, answer)
            return 200, accepted

    def play_for(self, table_id, verdict="OUT_OF_TIME"):
        """Let the referee play, as at the end of the clock."""
        with self.changed:
            table = self.tables[table_id]
            request_id = table.message["id"]
            table.settle(table.state.legal(1)[0])
            self._tell(table, request_id, "referee", verdict)

    def _settle(self, table, answer):
        is_legal = table.settle(answer.get("action"))
        self._tell(table, answer["id"], *(("answer", None) if is_legal else ("referee", "ILLEGAL_ACTION")))

    def _tell(self, table, request_id, by, verdict):
        while self.unsent:
            self.send(self.unsent.pop())
        self.send({"type": "settled", "table": table.id, "id": request_id, "by": by, "verdict": verdict})
        if table.is_over:
            del self.tables[table.id]
            self.over[table.id] = table
            over = {"type": "over", "table": table.id, **self.result}
            if self.misses_end:
                return
            self.send({**over, **SCORING})
            if self.hides_results and self.waiting:
                self.unsent.append(over)
            else:
                self.send(over)
            self.open_tables()
        else:
            self.send({"type": "request", "table": table.id, **table.pending()})

    result = {"state": "finished", "verdict": "OK", "stones": 3, "score": 1.5}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.removeprefix("/api/v1/").partition("?")
        fields = dict(part.split("=", 1) for part in query.split("&") if part)
        site = self.site
        if path == "me":
            return self._json(200, {"handle": "aya", "username": "aya", "scopes": site.scopes})
        if site.is_old:
            return self._json(404, {"code": "not_found"})
        if path == "remote/stream":
            return self._stream(fields)
        if path == "remote/bots":
            return self._json(200, {"results": site.bots, "next": None})
        if path.startswith("remote/bots/"):
            return self._json(200, {"results": site.versions[::-1], "next": None})
        if path.startswith("remote/tables/") and not site.hides_results:
            result = site.result
            seat = {"seat": 1, "verdict": result["verdict"], "stones": result["stones"]}
            table = {"state": result["state"], "score": result["score"], "seats": [seat]}
            return self._json(200, {"id": path.rpartition("/")[2], **table})
        return self._json(404, {"code": "not_found"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path, site = self.path.removeprefix("/api/v1/remote/"), self.site
        if path == "alive":
            with site.changed:
                site.alive.append(body)
                site.changed.notify_all()
                if site.alive_fault:
                    return self._json(*site.alive_fault)
                if body["generation"] != site.generation:
                    return self._json(409, {"code": "stream_replaced"})
            return self._json(200, {"generation": site.generation})
        if path == "bots":
            site.bots.append({"id": "b1", "retired_at": None, **body})
            return self._json(201, site.bots[-1])
        if path.endswith("/versions"):
            number = len(site.versions) + 1
            site.versions.append({"id": f"v{number}", "number": number, **body})
            return self._json(201, site.versions[-1])
        fault = site.answer_faults.pop(0) if site.answer_faults else None
        table_id = path.split("/")[1]
        if fault == "drop":
            self.close_connection = True
            return None
        if isinstance(fault, tuple):
            return self._json(fault[0], {"code": fault[1]})
        if isinstance(fault, int):
            return self._json(fault, {"code": "unavailable"})
        status, reply = site.take_answer(table_id, body, fault == "late")
        if fault in ("lose", "late"):
            self.close_connection = True
            return None
        return self._json(status, reply)

    def _json(self, status, body):
        data = json.dumps({"detail": "", **body} if status >= 400 else body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, fields):
        site = self.site
        with site.changed:
            if site.stream_faults:
                fault = site.stream_faults.pop(0)
                return self._json(*fault)
            site.generation += 1
            lines = queue.SimpleQueue()
            for older in site.streams:
                older.put({"type": "replaced"})
                older.put(None)
            site.streams = [lines]
            site.queries.append(fields)
            lines.put(
                {
                    "type": "state",
                    "generation": site.generation,
                    "version": fields["version"],
                    "heartbeat_s": 10,
                    "tables": [table.as_json() for table in site.tables.values()],
                }
            )
            site.open_tables()
            site.changed.notify_all()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            while (line := lines.get()) is not None:
                self.wfile.write(json.dumps(line).encode() + b"\n")
                self.wfile.flush()
        return None
