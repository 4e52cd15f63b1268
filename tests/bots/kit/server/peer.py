"""A peer that says what a test wants it to say: other programs, failing servers, broken streams."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Peer:
    """Answers by a script: (status, headers, body) in the order of requests, the last one for ever."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.asked = []
        self.cut = 0
        """So many bytes more are announced than come; ``cuts`` says it for each answer, first come first."""
        self.cuts = []
        peer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length") or 0)
                peer.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(length)))
                status, headers, body = peer.answers.pop(0) if len(peer.answers) > 1 else peer.answers[0]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                cut = peer.cuts.pop(0) if peer.cuts else peer.cut
                self.send_header("Content-Length", str(len(body) + cut))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def peer(*answers):
    """A peer while the block lasts."""
    scripted = Peer(answers)
    thread = threading.Thread(target=scripted.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield scripted
    finally:
        scripted.server.shutdown()
        thread.join()
        scripted.server.server_close()


def plain(value, status=200, **headers):
    """An answer in JSON."""
    return status, {"Content-Type": "application/json", **headers}, json.dumps(value).encode()


def problem(status, code, detail="No.", **headers):
    """A refusal as the API words it."""
    return plain({"status": status, "code": code, "detail": detail}, status, **headers)


def page(status=200, body=b"<html>hello</html>", **headers):
    """What some other program answers."""
    return status, {"Content-Type": "text/html", **headers}, body
