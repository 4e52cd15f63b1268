"""A provider that answers as a test says: valid by default, and wrong in every way that a test plants."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet
from joserfc.jws import JWSRegistry

CLIENT_ID, CLIENT_SECRET = "rensho site", "secret/with+signs %"

Handler = Callable[[http.server.BaseHTTPRequestHandler], None]


class FakeProvider:
    """A server on this machine. Tests replace ``answers`` and ``claims``."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.key = ECKey.generate_key("P-256", {"kid": "first", "use": "sig"})
        self.published: list[Any] = [self.key]
        self.algorithm = "ES256"
        self.subject = "person-1"
        self.claims: dict[str, Any] = {}
        """Claims that replace those of the ID token; None removes one."""
        self.metadata: dict[str, Any] = {}
        self.answers: dict[str, Handler] = {}
        """Handlers by path, in place of the valid answers."""
        self.codes: dict[str, dict[str, str]] = {}
        self.token_requests: list[dict[str, str]] = []
        self.authorization_headers: list[str] = []
        self.requested: list[str] = []
        self.id_token = ""
        """An ID token to answer with, as it is; empty: a new one."""

    def authorize(self, url: str, **changes: str) -> dict[str, str]:
        """The parameters with which the browser returns after the person has signed in."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"], "iss": self.issuer} | changes

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "id_token_signing_alg_values_supported": ["none", "HS256", "ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "authorization_response_iss_parameter_supported": True,
        } | self.metadata

    def signed(self, asked: dict[str, str], **more: Any) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
            "preferred_username": "hana",
        }
        if "max_age" in asked:
            claims["auth_time"] = now
        claims |= self.claims | more
        header = {"alg": self.algorithm, "kid": self.key.kid}
        kept = {name: value for name, value in claims.items() if value is not None}
        registry = JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        return jwt.encode(header, kept, self.key, registry=registry)

    def token_answer(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """As a provider with PKCE: a code counts once, for the verifier of its request."""
        self.token_requests.append(form)
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        token = self.id_token or self.signed(asked)
        return 200, {"access_token": "secret-access", "token_type": "Bearer", "id_token": token}


def send(handler: http.server.BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def fake_provider() -> Iterator[FakeProvider]:
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None: ...

    class Requests(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            provider.requested.append(path)
            if path in provider.answers:
                provider.answers[path](self)
            elif path == "/.well-known/openid-configuration":
                send(self, json.dumps(provider.document()).encode())
            elif path == "/keys":
                send(self, json.dumps(KeySet(provider.published).as_dict(private=False)).encode())
            else:
                send(self, b"{}", 404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            provider.requested.append(self.path)
            provider.authorization_headers.append(self.headers.get("Authorization", ""))
            if self.path in provider.answers:
                provider.answers[self.path](self)
                return
            form = {name: values[0] for name, values in parse_qs(body).items()}
            status, answer = provider.token_answer(form)
            send(self, json.dumps(answer).encode(), status)

    server = Server(("127.0.0.1", 0), Requests)
    provider = FakeProvider(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
