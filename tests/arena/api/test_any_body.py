"""Whatever JSON is sent to whatever address: an answer as agreed, short, and never a fault of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from tests.arena.api.conftest import caller
from tests.chance import examples
from tests.factories import odo, sota
from tests.openapi import contract

pytestmark = pytest.mark.django_db

CONTRACT = contract()
WRITING = ("post", "put", "patch")
PARTS = 3
"""Of the addresses, so that no test takes long."""
MOST_BYTES = 16 << 10
"""Of a problem: 20 errors of at most 500 characters and a little."""
FIXED = settings(examples(8), suppress_health_check=list(HealthCheck))

WORDS = [
    "",
    " ",
    "\n",
    "x" * 5000,
    "kakeya4",
    "kakkuri",
    "swiss",
    "2026-01-01T00:00:00Z",
    "20:00",
    "-1",
    "1e5",
]
TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.sampled_from(WORDS)
)
ANY = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | st.just("format"), inner, max_size=4),
    max_leaves=12,
)


def resolved(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, if it is named."""
    if "$ref" in described:
        return resolved(CONTRACT["components"]["schemas"][described["$ref"].rpartition("/")[2]])
    return described


def lawful(described: Mapping[str, Any], known: list[str]) -> st.SearchStrategy[Any]:
    """Values mostly as the schema says; texts often such as there are here."""
    described = resolved(described)
    parts = [part for key in ("allOf", "oneOf", "anyOf") for part in described.get(key, ())]
    choices = [lawful(part, known) for part in parts]
    match described.get("type"):
        case list(kinds):
            choices += [lawful({**described, "type": kind}, known) for kind in kinds]
        case _ if "enum" in described:
            choices.append(st.sampled_from(described["enum"]))
        case "string" if described.get("format") == "date-time":
            choices.append(st.datetimes().map(lambda at: at.isoformat() + "Z"))
        case "string":
            choices += [st.sampled_from(known), st.sampled_from(WORDS), TEXT]
        case "integer":
            choices.append(st.integers(described.get("minimum", 0), described.get("maximum", 100)))
        case "boolean":
            choices.append(st.booleans())
        case "array":
            most = min(described["maxItems"], 4)
            choices.append(st.lists(lawful(described["items"], known), max_size=most))
        case "object":
            choices.append(object_of(described, known))
    return st.one_of([*choices * 8, ANY])


def object_of(described: Mapping[str, Any], known: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Its fields, some of them left out, mostly with values as they should be."""
    fields = {name: lawful(inner, known) for name, inner in described.get("properties", {}).items()}
    needed = {name: fields.pop(name) for name in described.get("required", ())}
    return st.fixed_dictionaries(needed, optional=fields)


def operations() -> list[tuple[str, str, Mapping[str, Any]]]:
    """Method, address and schema of every body in JSON."""
    found = []
    for path, described in CONTRACT["paths"].items():
        for method in WRITING:
            content = described.get(method, {}).get("requestBody", {}).get("content", {})
            if "application/json" in content:
                found.append((method, path, resolved(content["application/json"]["schema"])))
            elif method in described and "multipart/form-data" not in content:
                found.append((method, path, {"type": "object"}))
    return found


def address_of(path: str, names: Mapping[str, Any]) -> str:
    """The address about things that there are."""
    things = {**names, "tournament": names["registration"], "fixture": names["open_fixture"]}
    things |= {"table": names["quarantined_table"], "player": "ben", "ruling": "none"}
    things |= {"board_set": names["open_set"], "number": 1, "public_id": "none", "key": "none"}
    things |= {"invitation": "none"}
    return re.sub(r"{(\w+)}", lambda place: str(things[place[1]]), path)


def looked_at(answer: Any, label: str) -> None:
    """Fails unless the answer is as agreed for anything that may be sent."""
    assert answer.status_code < 500, (label, answer.content[:2000])
    if answer.status_code < 400:
        return
    assert answer["Content-Type"] == "application/problem+json", label
    assert len(answer.content) <= MOST_BYTES, (label, len(answer.content))
    problem = answer.json()
    assert len(problem["detail"]) <= 500, label
    assert len(problem.get("errors", ())) <= 20, label
    assert all(len(error["detail"]) <= 500 for error in problem.get("errors", ())), label


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_any_body_has_an_answer(names: dict[str, Any], part: int) -> None:
    clients = {"the organiser": caller(odo()), "staff": caller(sota())}
    known = [name for name in names.values() if isinstance(name, str)]
    listed = operations()
    assert len(listed) > 35
    for method, path, described in listed[part::PARTS]:
        bombard(clients, method, address_of(path, names), object_of(described, known) | ANY)


def bombard(
    clients: Mapping[str, APIClient], method: str, address: str, bodies: st.SearchStrategy[Any]
) -> None:
    """Send drawn bodies to one address; each finds the world as it was."""

    @FIXED
    @given(body=bodies, who=st.sampled_from(sorted(clients)), is_dry=st.booleans())
    def send(body: Any, who: str, is_dry: bool) -> None:
        cache.clear()
        text = json.dumps(body)
        query = "?dry_run=true" if is_dry else ""
        client = clients[who]
        client.raise_request_exception = False
        with transaction.atomic():
            answer = client.generic(method.upper(), address + query, text, content_type="application/json")
            transaction.set_rollback(True)
        looked_at(answer, f"{who}: {method} {address}{query} {text[:1000]}")

    send()
