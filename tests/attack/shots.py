"""Requests that somebody would send who means no good: every route, every method, rubbish in every part.

All of them follow from a seed, so that a run can be repeated.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver

from tests.openapi import contract

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW")
BODIES = ("POST", "PUT", "PATCH", "DELETE")
HEADERS = (
    *(
        "Accept",
        "Accept-Encoding",
        "Accept-Language",
        "Content-Encoding",
        "Cookie",
        "Host",
        "Idempotency-Key",
    ),
    *("If-None-Match", "Last-Event-ID", "Origin", "Range", "Referer", "X-Forwarded-For"),
)
BOUNDARY = "boundary0123456789"
JSON = "application/json"


class Shot(NamedTuple):
    """One request as bytes on the wire, and what to call it."""

    label: str
    data: bytes
    path: str


class Operation(NamedTuple):
    """A route of the API with what its description says may be sent."""

    method: str
    path: str
    query: tuple[str, ...]
    fields: tuple[str, ...]
    takes_file: bool


def operations() -> list[Operation]:
    """Every method of every route that the description names."""
    found = []
    for path, methods in contract()["paths"].items():
        for method, described in methods.items():
            names = [_followed(parameter) for parameter in described.get("parameters", [])]
            content = _followed(described.get("requestBody", {})).get("content", {})
            shapes = [_followed(body.get("schema", {})) for body in content.values()]
            found.append(
                Operation(
                    method.upper(),
                    path,
                    tuple(parameter["name"] for parameter in names if parameter["in"] == "query"),
                    tuple(dict.fromkeys(name for shape in shapes for name in shape.get("properties", {}))),
                    "multipart/form-data" in content,
                )
            )
    return found


def _followed(part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = contract()
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


def addresses() -> list[str]:
    """Every address of site and admin as a template, ``{name}`` for what varies."""
    return sorted(set(_walked(get_resolver(), "/")))


def _walked(resolver: URLResolver, before: str) -> Iterator[str]:
    for found in resolver.url_patterns:
        text = before + re.sub(r"\(\?P<(\w+)>.*?\)|<(?:\w+:)?(\w+)>", r"{\1\2}", str(found.pattern))
        text = re.sub(r"[\^$]|\\[AZ]|\(\?:.*?\)|\.\*", "", text).replace("\\", "")
        if isinstance(found, URLResolver):
            yield from _walked(found, text)
        elif isinstance(found, URLPattern) and not text.startswith("/api/"):
            yield text


def values(rng: random.Random) -> list[Any]:
    """What is put where a field of JSON is expected."""
    many = rng.choice([1_000, 20_000])
    return [
        None,
        True,
        -1,
        10**30,
        -(1 << 63) - 1,
        1e308,
        "",
        "\x00",
        "\ud800",
        "a\x00b\nc",
        "x" * rng.choice([501, 100_000]),
        "‮" * 50,
        "'; DROP TABLE users;--",
        "<script>alert(1)</script>",
        [],
        ["x"] * many,
        [{}] * many,
        list(range(many)),
        {},
        {f"k{n}": n for n in range(many)},
        {"a": {"a": {"a": []}}},
        [[[[]]]],
        {"": None},
        "2026-02-30T25:61:00Z",
        "0001-01-01T00:00:00+23:59",
    ]


def texts(rng: random.Random) -> list[str]:
    """What is put into paths, queries and headers, percent-encoded already."""
    return [
        "",
        "%00",
        "%0A",
        "x%0A",
        "%FF%FE",
        "%F0%9F%83%8F",
        "..%2F..%2Fetc%2Fpasswd",
        "-1",
        "0",
        "99999999999999999999",
        "NaN",
        "null",
        "true",
        "%25s%25n",
        "a" * rng.choice([17, 300, 6_000]),
        "%E2%80%AE",
        ",".join("a" for _ in range(2_000)),
        "2026-01-01T00:00:00Z",
        "".join(f"%{rng.randrange(256):02X}" for _ in range(rng.randrange(1, 60))),
    ]


def json_bodies(rng: random.Random, fields: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """Bodies that claim to be JSON, by name."""
    names = fields or ("name",)
    wild = {name: rng.choice(values(rng)) for name in names}
    single = {rng.choice(names): rng.choice(values(rng))}
    return [
        ("wild fields", _dumped(wild)),
        ("one wild field", _dumped(single)),
        ("deep list", b"[" * rng.choice([100, 100_000])),
        ("deep object", b'{"a":' * rng.choice([100, 50_000])),
        ("closed deep list", b"[" * 50_000 + b"]" * 50_000),
        ("deep field", _dumped({names[0]: 0}).replace(b"0", b"[" * 500 + b"]" * 500)),
        ("many digits", b'{"%s": %s}' % (names[0].encode(), b"9" * 100_000)),
        ("exponent", b'{"%s": 1e999999}' % names[0].encode()),
        ("not a number", b'{"%s": NaN}' % names[0].encode()),
        ("same key often", b"{" + b",".join(b'"a":1' for _ in range(50_000)) + b"}"),
        ("many keys", _dumped({f"k{n}": n for n in range(20_000)})),
        ("no object", rng.choice([b"null", b"0", b'""', b"[]", b"[{}]", b""])),
        ("broken", b'{"name": "x'),
        ("utf-16", '{"name": "x"}'.encode("utf-16")),
        ("bytes", rng.randbytes(rng.randrange(1, 3_000))),
        ("large", b'{"name": "' + b"x" * 3_000_000 + b'"}'),
    ]


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def archives(rng: random.Random) -> list[tuple[str, bytes]]:
    """Bundles nobody should have to unpack, by name."""
    return [
        ("long name", _zip_of("a" * 60_000, b"")),
        ("zeros", _zip_of("zeros", bytes(64 << 20))),
        ("gzip", gzip.compress(bytes(64 << 20))),
        ("many members", _zip(30_000)),
        ("random", rng.randbytes(20_000)),
        ("cut short", _zip_of("bot.py", b"pass")[:-20]),
        ("deep toml", _zip_of("rensho.toml", b"a = " + b"[" * 50_000)),
        ("dotted toml", _zip_of("rensho.toml", b".".join([b"a"] * 50_000) + b" = 1")),
    ]


def _zip(members: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number in range(members):
            archive.writestr(f"{number}", b"")
    return buffer.getvalue()


def _zip_of(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def multipart(field: str, content: bytes) -> bytes:
    """A form with one file."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="bot.zip"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


class Gunner:
    """Draws shots; the same seed, the same shots."""

    def __init__(self, seed: int, names: Mapping[str, Any], tokens: Mapping[str, str]) -> None:
        """``names``: ids of things that there are. ``tokens``: by account."""
        self.rng = random.Random(seed)
        self.ids = [str(value) for value in names.values()]
        self.names = {key: str(value) for key, value in names.items()}
        self.tokens = dict(tokens)
        self.operations = operations()
        self.addresses = addresses()
        self.archives = archives(self.rng)
        self.uploads = [operation for operation in self.operations if operation.takes_file]

    def every_route(self, *, is_whole: bool) -> Iterator[Shot]:
        """Each operation as each account, and each method of each address once, about things there are.

        Not ``is_whole``: each operation as one account, each address by one method, in turn.
        """
        accounts = ["", *self.tokens]
        for number, operation in enumerate(self.operations):
            for who in accounts if is_whole else [accounts[number % len(accounts)]]:
                yield self._drawn(operation, who)
        for number, address in enumerate(self.addresses):
            for method in METHODS if is_whole else [METHODS[number % len(METHODS)]]:
                yield self._request(method, self._filled(address), who="", label=f"{method} {address}")

    def endless(self) -> Iterator[Shot]:
        """Drawn shots without end."""
        kinds: list[Callable[[], Shot]] = [
            *[self._api] * 10,
            self._address,
            self._garbage_path,
            self._upload,
            self._garbage_bytes,
        ]
        while True:
            yield self.rng.choice(kinds)()

    def _api(self) -> Shot:
        return self._drawn(self.rng.choice(self.operations), self.rng.choice(["", *self.tokens]))

    def _drawn(self, operation: Operation, who: str) -> Shot:
        rng = self.rng
        path = self._filled(operation.path)
        if operation.query and rng.random() < 0.6:
            path += "?" + "&".join(
                f"{name}={rng.choice(texts(rng))}"
                for name in rng.choices(operation.query, k=rng.randrange(1, 4))
            )
        elif rng.random() < 0.1:
            path += "?" + "&".join(["a=1"] * 2_000)
        body, kind, label = b"", JSON, ""
        if operation.method in BODIES:
            label, body = rng.choice(json_bodies(rng, operation.fields))
            kind = rng.choice(
                [JSON] * 8
                + [
                    "application/json; charset=utf-16",
                    "text/plain",
                    "application/x-www-form-urlencoded",
                    "\xff",
                ]
                + [f"multipart/form-data; boundary={BOUNDARY}"]
            )
        whole_label = f"{operation.method} {operation.path} as {who or 'nobody'} {label}"
        return self._request(operation.method, path, who=who, body=body, kind=kind, label=whole_label)

    def _address(self) -> Shot:
        template, method = self.rng.choice(self.addresses), self.rng.choice(METHODS)
        body = b"&".join(b"a=%d" % n for n in range(3_000)) if method in BODIES else b""
        kind = "application/x-www-form-urlencoded"
        path = self._filled(template) + self.rng.choice(["", "?page=" + self.rng.choice(texts(self.rng))])
        return self._request(method, path, body=body, kind=kind, label=f"{method} {template}")

    def _garbage_path(self) -> Shot:
        parts = [
            self.rng.choice([*texts(self.rng), "tournaments", "bots", "tables", *self.ids[:5]]) for _ in "abc"
        ]
        path = self.rng.choice(["/", "/api/v1/", "/admin/", "/static/"]) + "/".join(parts)
        return self._request(self.rng.choice(METHODS), path, label="garbage path")

    def _upload(self) -> Shot:
        name, content = self.rng.choice(self.archives)
        operation = self.rng.choice(self.uploads)
        path = operation.path.replace("{bot}", self.names["bot"])
        body = multipart(self.rng.choice(["bundle", "bundle", "other"]), content)
        kind = f"multipart/form-data; boundary={BOUNDARY}"
        return self._request("POST", path, who="aya", body=body, kind=kind, label=f"upload of {name}")

    def _garbage_bytes(self) -> Shot:
        rng = self.rng
        data = rng.choice(
            [
                rng.randbytes(rng.randrange(1, 2_000)),
                b"GET / HTTP/9.9\r\n\r\n",
                b"GET /\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n",
                b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 5_000 + b"\r\n",
                b"GET / HTTP/1.1\r\nHost: " + b"a" * 9_000 + b"\r\n\r\n",
            ]
        )
        return Shot("garbage bytes", data, "")

    def _filled(self, template: str) -> str:
        """A template with ids of things that there are, most of the time of the right kind."""

        def chosen(match: re.Match[str]) -> str:
            name = match[1]
            alike = [value for key, value in self.names.items() if name in key or key in name]
            draw = self.rng.random()
            if alike and draw < 0.7:
                return self.rng.choice(alike)
            return self.rng.choice(self.ids if draw < 0.85 else texts(self.rng))

        return re.sub(r"\{(\w+)\}", chosen, template)

    def _request(
        self, method: str, path: str, *, label: str, who: str = "", body: bytes = b"", kind: str = JSON
    ) -> Shot:
        rng = self.rng
        headers = {"Host": "localhost", "Connection": "close", "Accept": "*/*"}
        if who:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        if body or method in BODIES:
            headers |= {"Content-Type": kind, "Content-Length": str(len(body))}
        if rng.random() < 0.15:
            name = rng.choice(HEADERS)
            headers[name] = rng.choice(
                [
                    "",
                    "\xff" * 20,
                    ", ".join(['"x"'] * 1_500),
                    "a" * 7_000,
                    "1" * 40,
                    "-1",
                    "gzip",
                    "text/event-stream",
                ]
            )
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        data = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body
        return Shot(f"{label} {path[:100]}", data, path.partition("?")[0])
