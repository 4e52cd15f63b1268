"""The guide of the API and its error codes are true: every code is listed, every example runs."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from tests.arena.api.conftest import caller
from tests.factories import a_bot, a_token, a_version, aya, sota

REPOSITORY = Path(__file__).resolve().parents[3]
GUIDE = (REPOSITORY / "docs" / "api.md").read_text()
PROBLEMS = (REPOSITORY / "docs" / "problems.md").read_text()
SOURCES = REPOSITORY / "platform" / "arena"
ERRORS = {
    *("NotFound", "Forbidden", "Conflict", "Invalid", "KeyReused", "problem", "BodyRefused", "Refusal"),
    "QuotaUsed",
}
OF_THE_FRAMEWORK = {"permission_denied"}
NOT_HERE = {"key_rotated"}
"""Told to the operator by a command."""
CODE = re.compile(r"[a-z]+(_[a-z]+)*")


def codes_listed() -> set[str]:
    listed = re.findall(r"^\| `([a-z_]+)` \| (\d{3}(?:, \d{3})*) \| \w", PROBLEMS, re.MULTILINE)
    assert [code for code, _ in listed] == sorted({code for code, _ in listed}), "each once, in order"
    return {code for code, _ in listed}


def codes_raised() -> set[str]:
    """The second argument of every error made anywhere in the platform, where it is written out."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or len(node.args) < 2:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            code = node.args[1]
            if name in ERRORS and isinstance(code, ast.Constant) and CODE.fullmatch(str(code.value)):
                found.add(str(code.value))
    return found


def test_every_code_is_listed() -> None:
    assert len(codes_raised()) > 60
    assert codes_raised() - NOT_HERE - codes_listed() == set()


def test_every_listed_code_is_used() -> None:
    written = " ".join(path.read_text() for path in SOURCES.rglob("*.py"))
    unused = {code for code in codes_listed() - OF_THE_FRAMEWORK if f'"{code}"' not in written}
    assert unused == set()


def examples() -> list[str]:
    """Every curl command of the guide."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("curl ")]


def asked(command: str, names: dict[str, str]) -> Any:
    """The answer to a curl command, its variables being those of the guide."""
    for name, value in {**names, "API": "/api/v1"}.items():
        command = re.sub(rf"\${name}\b", value, command)
    words = shlex.split(command)[1:]
    sent: dict[str, Any] = {"headers": {}, "method": None, "json": None, "form": {}, "url": ""}
    while words:
        match words.pop(0):
            case "-H":
                name, value = words.pop(0).split(": ", 1)
                sent["headers"][name] = value
            case "-X":
                sent["method"] = words.pop(0)
            case "--json":
                sent["json"] = json.loads(words.pop(0))
            case "-F":
                name, value = words.pop(0).split("=", 1)
                sent["form"][name] = SimpleUploadedFile("bot.py", b"x") if value[0] == "@" else value
            case "-o":
                words.pop(0)
            case "-N" | "-OJ":
                pass
            case url:
                sent["url"] = url
    assert "$" not in command, command
    client = caller()
    if sent["form"]:
        return client.post(sent["url"], sent["form"], format="multipart", headers=sent["headers"])
    method = sent["method"] or ("POST" if sent["json"] is not None else "GET")
    return client.generic(
        method,
        sent["url"],
        json.dumps(sent["json"]) if sent["json"] is not None else "",
        content_type="application/json",
        headers=sent["headers"],
    )


@pytest.mark.full
@pytest.mark.django_db
def test_every_example_runs(names: dict[str, str]) -> None:
    """Against a world in which some of it has happened already: then 409 says so, and what is sealed 423."""
    things = {
        "auth": f"Authorization: Bearer {a_token(sota())}",
        "TOKEN": names["token"],
        "BOT": names["bot"],
        "VERSION": names["version"],
        "LIST": names["list"],
        "LADDER": names["ladder"],
        "SEASON": names["season"],
        "PLACEMENT": names["placement"],
        "OTHER": a_version(a_bot(aya())).public_id,
        "NEW": names["version"],
        "OLD": names["partners_version"],
        "EXPERIMENT": names["experiment"],
        "NOTICE": names["notice"],
        "FINGERPRINT": names["fault"],
        "TOURNAMENT": names["event"],
        "ENTRY": names["playing"],
        "OTHER_ENTRY": names["bens_entry"],
        "FIXTURE": names["open_fixture"],
        "TABLE": names["open_table"],
        "SET": names["open_set"],
    }
    assert len(examples()) > 50
    wrong = {}
    for command in examples():
        if "-N" in command:
            continue  # a stream has no end
        with transaction.atomic():
            answer = asked(command, things)
            transaction.set_rollback(True)
        # Rights and ids are the cast's, not the reader's; what the guide must not do is misspell.
        is_known = answer.status_code in (200, 201, 202, 204, 403, 409, 423)
        is_others = answer.status_code == 404 and answer.json()["code"] == "notice_not_found"
        if not is_known and not is_others:
            wrong[command] = (answer.status_code, answer.getvalue()[:300])
    assert wrong == {}
