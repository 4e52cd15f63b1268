"""CPU seconds of the largest requests that the API takes, and bytes of their answers.

    python benchmarks/bench_requests.py [--bots 200] [--fixtures 2000] [--show 15] [--json]

Makes a temporary data folder, fills it with ``benchmarks.seeding`` and calls the WSGI application in this
process as a member of staff. To every address that takes a body go three: as large as the description of the
API allows (lists at their limits, texts of the longest), one step beyond, and as large as a body may be. To
every address that is read goes the longest query that it takes, about the largest event.

Status 0 if no request takes more than 2 s of CPU and no answer has more than 1,000,000 bytes. Exports,
records and logs may be longer.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from wsgiref.util import setup_testing_defaults

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "platform")]
MOST_CPU_S = 2.0
MOST_BYTES = 1_000_000
UNBOUNDED = re.compile(r"/(export|export\.ndjson|record|log|timings|file|events|schema)$")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Line(NamedTuple):
    """One request."""

    cpu_s: float
    answer_bytes: int
    status: str
    name: str

    @property
    def is_within(self) -> bool:
        """Whether both bars hold."""
        path = self.name.split()[1].partition("?")[0]
        is_short = self.answer_bytes <= MOST_BYTES or bool(UNBOUNDED.search(path))
        return self.cpu_s <= MOST_CPU_S and is_short

    def __str__(self) -> str:
        verdict = "PASS" if self.is_within else "FAIL"
        return f"{self.cpu_s:7.3f} s {self.answer_bytes:>9} B  {self.status}  {verdict}  {self.name}"


def prepared(folder: str, bots: int, fixtures: int) -> tuple[Application, str]:
    """The application on a seeded database in this folder, and the token of a member of staff."""
    os.environ.update(
        RENSHO_DATA=folder, DJANGO_SETTINGS_MODULE="arena.settings.base", RENSHO_LOG_LEVEL="ERROR"
    )
    import django
    from django.conf import settings

    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000000/s")
    django.setup()
    logging.disable(logging.WARNING)
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    from arena.accounts.models import ApiToken
    from arena.accounts.services import token_create, user_create
    from benchmarks.seeding.command import Command as Seeding

    call_command("migrate", verbosity=0)
    call_command(Seeding(), bots=bots, fixtures=fixtures, presets=["kakeya4"], quiet=True)
    user = user_create("bench")
    user.is_staff = user.is_organiser = True
    user.save()
    token = token_create(user, name="bench", scopes=list(ApiToken.Scope.values), actor=user)[1]
    application: Application = get_wsgi_application()
    return application, token


def things() -> dict[str, str]:
    """What stands in addresses: parts of the event with the most fixtures, and one of everything else."""
    from django.db.models import Count

    from arena.accounts.models import Notice
    from arena.competition.models import Series, Tournament
    from arena.matches.models import FaultGroup, Table
    from arena.roster.models import BotVersion
    from arena.webhooks.models import Webhook

    events = Tournament.objects.annotate(size=Count("fixtures")).order_by("-size")
    event = events[0]
    table = Table.objects.filter(tournament=event, state=Table.State.FINISHED).first()
    version = BotVersion.objects.filter(entries__tournament=event).first()
    fault = FaultGroup.objects.select_related("version").first()
    fixture = event.fixtures.first()
    assert fixture is not None
    assert version is not None
    entry = event.entries.first()
    assert entry is not None
    found: dict[str, Any] = {
        "game": "kakeya",
        "preset": "kakeya4",
        "tournament": event.public_id,
        "entry": entry.public_id,
        "player": entry.player.handle,
        "fixture": fixture.public_id,
        "table": table.public_id if table else "none",
        "board_set": fixture.board_set.public_id,
        "number": 1,
        "bot": version.bot.public_id,
        "version": fault.version.public_id if fault else version.public_id,
        "fingerprint": fault.fingerprint if fault else "none",
    }
    others: dict[str, Any] = {"notice": Notice, "series": Series, "webhook": Webhook}
    for name, model in others.items():
        row = model.objects.first()
        found[name] = row.public_id if row else "none"
    return {name: str(value) for name, value in found.items()}


class Requests:
    """What to send, by the description of the API."""

    def __init__(self, contract: Mapping[str, Any], known: Mapping[str, str]) -> None:
        self.contract = contract
        self.known = known

    def of_all(self) -> Iterator[tuple[str, str, bytes | None]]:
        """Method, address and body of every request."""
        for path, operations in self.contract["paths"].items():
            address = re.sub(r"{(\w+)}", lambda place: self.known.get(place[1], "none"), path)
            for method, operation in operations.items():
                content = operation.get("requestBody", {}).get("content", {}).get("application/json")
                if method == "get":
                    if not path.endswith("/events"):
                        yield "GET", address + self.query(operation), None
                elif content:
                    for step in (0, 1):
                        yield (
                            method.upper(),
                            address,
                            json.dumps(self.largest(content["schema"], step)).encode(),
                        )
                    for body in worst_bodies():
                        yield method.upper(), address, body

    def of_pages(self) -> Iterator[tuple[str, str, None]]:
        """Method and address of every page that anybody may open."""
        event, version, bot = (self.known[name] for name in ("tournament", "version", "bot"))
        for page in (
            "/",
            "/cups",
            "/bots",
            "/fairness",
            f"/tournaments/{event}",
            f"/tournaments/{event}/live",
            f"/tournaments/{event}/standings",
            f"/tournaments/{event}/rounds/1/1",
            f"/versions/{version}",
            f"/bots/{bot}",
        ):
            yield "GET", page, None

    def query(self, operation: Mapping[str, Any]) -> str:
        """The longest query of filters that may be given often, and the largest page."""
        parts = []
        for parameter in operation.get("parameters", ()):
            described = parameter["schema"]
            if parameter["in"] != "query":
                continue
            if parameter["name"] == "page_size":
                parts.append(f"page_size={described['maximum']}")
            elif parameter["name"] in ("kinds", "state", "status", "kind") and described["type"] == "array":
                parts += [f"{parameter['name']}={value}" for value in described["items"]["enum"]]
            elif parameter["name"] == "seat":
                parts.append("seat=1")
        return "?" + "&".join(parts) if parts else ""

    def largest(self, described: Mapping[str, Any], step: int) -> Any:
        """A value as large as may be; of lists and texts with ``step`` more than that."""
        if "$ref" in described:
            name = described["$ref"].rpartition("/")[2]
            return self.largest(self.contract["components"]["schemas"][name], step)
        for key in ("allOf", "oneOf", "anyOf"):
            if key in described:
                return self.largest(described[key][-1], step)
        if "enum" in described:
            return described["enum"][0]
        match described.get("type"):
            case "array":
                return [self.largest(described["items"], step)] * (described["maxItems"] + step)
            case "object":
                value = {n: self.largest(inner, step) for n, inner in described.get("properties", {}).items()}
                if more := described.get("additionalProperties"):
                    for number in range(described["maxProperties"] + step):
                        value[f"option{number}"] = self.largest(more, step)
                return value
            case "string" if described.get("format") == "date-time":
                return "2099-01-01T00:00:00Z"
            case "string" if "pattern" in described:
                return "20:00"
            case "string":
                return "\u4e00" * (described["maxLength"] + step)
            case "integer":
                return described["maximum"]
        return True


def worst_bodies() -> Iterator[bytes]:
    """Bodies at the limits of what is read at all, whatever the address."""
    from arena.api.parsers import JSON_BYTES, JSON_DEPTH, JSON_VALUES

    yield b"[" * 100_000
    yield json.dumps({f"field{number}": number for number in range(JSON_VALUES - 1)}).encode()
    yield json.dumps({"versions": [["x"] for _ in range(JSON_VALUES // 2 - 1)]}).encode()
    yield json.dumps({"name": "x" * (JSON_BYTES - 20)}).encode()
    yield b'{"ruleset":' * (JSON_DEPTH - 1) + b"1" + b"}" * (JSON_DEPTH - 1)
    yield json.dumps({"stages": [{"format": "x", str(n): n} for n in range(JSON_VALUES // 4)]}).encode()


def measured(application: Application, token: str, method: str, address: str, body: bytes | None) -> Line:
    """Send one request, take back what it did, and say what it took."""
    from django.core.signals import request_finished, request_started
    from django.db import close_old_connections, transaction

    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    path, _, query = address.partition("?")
    environ.update(
        REQUEST_METHOD=method,
        PATH_INFO=path,
        QUERY_STRING=query,
        HTTP_HOST="localhost",
        REMOTE_ADDR="127.0.0.1",
        HTTP_ACCEPT="*/*",
        HTTP_AUTHORIZATION=f"Bearer {token}",
        CONTENT_TYPE="application/json" if body is not None else "",
        CONTENT_LENGTH=str(len(body or b"")),
    )
    environ["wsgi.input"] = io.BytesIO(body or b"")
    statuses: list[str] = []
    with transaction.atomic():
        begun = time.process_time()
        answer = application(environ, lambda status, headers, *_: statuses.append(status))
        size = sum(map(len, answer))
        taken = time.process_time() - begun
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        transaction.set_rollback(True)
    note = "" if body is None else f"  body of {len(body)} B: {body[:40].decode()}"
    return Line(taken, size, statuses[0][:3], f"{method} {address}{note}")


def main() -> int:
    """Measure and print; the exit status."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--bots", type=int, default=200)
    options.add_argument("--fixtures", type=int, default=2000)
    options.add_argument("--show", type=int, default=15, help="how many of the costliest to print")
    options.add_argument("--json", action="store_true")
    asked = options.parse_args()
    import yaml

    contract = yaml.safe_load((REPOSITORY / "docs" / "openapi.yaml").read_text())
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        application, token = prepared(folder, asked.bots, asked.fixtures)
        measured(application, token, "GET", "/api/v1/games", None)
        requests = Requests(contract, things())
        lines = [measured(application, token, *request) for request in requests.of_all()]
        lines += [measured(application, token, *request) for request in requests.of_pages()]
    failed = [line for line in lines if not line.is_within or line.status >= "500"]
    if asked.json:
        print(json.dumps([line._asdict() for line in lines]))
    else:
        print(f"{len(lines)} requests; the {asked.show} that cost most CPU, then the longest answers")
        for line in sorted(lines, reverse=True)[: asked.show]:
            print(line)
        for line in sorted(lines, key=lambda line: -line.answer_bytes)[: asked.show]:
            print(line)
        for line in failed:
            print("over:", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
