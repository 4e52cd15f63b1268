"""The client against docs/openapi.yaml: its shapes field by field, its calls address by address."""

import inspect
import re
import types
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from bots.kit.client import Client, shapes
from bots.kit.client.shapes_writer import SHAPES_FILE, class_names, shapes_text
from bots.kit.client.tournaments import VERBS
from bots.kit.client.transport import Transport
from tests.openapi import contract

REMEDY = "run: python -m bots.kit.client.shapes_writer"
CONTRACT = contract()
SCHEMAS = CONTRACT["components"]["schemas"]
NAMED = class_names(SCHEMAS)
CALLS = [
    name
    for name, _ in inspect.getmembers(Client, inspect.isfunction)
    if not name.startswith("_") and not hasattr(Transport, name)
]
VALUES = {"round": 1, "stage": 1, "number": 1, "seat": 1, "state": ["final"], "unread": True}
FILES = {"fault_file_if_changed", "log_if_changed", "record_if_changed", "remote_stream"}
"""What is given as bytes or as a stream, whatever the contract calls it."""


def test_the_shapes_are_those_of_the_contract():
    assert SHAPES_FILE.read_text() == shapes_text(), REMEDY


@pytest.mark.parametrize(
    "schema", [name for name in NAMED if "properties" in SCHEMAS[name] and hasattr(shapes, NAMED[name])]
)
def test_a_shape_has_the_fields_and_types_of_its_schema(schema):
    shape = getattr(shapes, NAMED[schema])
    assert is_typeddict(shape), REMEDY
    hints = get_type_hints(shape, include_extras=True)
    described = SCHEMAS[schema]["properties"]
    assert set(hints) == set(described), REMEDY
    for field, hint in hints.items():
        is_optional = get_origin(hint) is NotRequired
        assert is_optional == (field not in SCHEMAS[schema].get("required", [])), f"{schema}.{field}"
        bare = get_args(hint)[0] if is_optional else hint
        assert fits(bare, described[field]), f"{schema}.{field}: {bare} for {described[field]}"


def fits(hint, described):
    """Whether a type holds exactly what a schema describes; told apart from how it is written."""
    if hint is Any:
        return not described.keys() & {"type", "$ref", "allOf", "oneOf", "anyOf"}
    kinds = set(get_args(hint)) if get_origin(hint) in (types.UnionType, Union) else {hint}
    parts = described.get("allOf") or described.get("oneOf") or described.get("anyOf")
    if isinstance(described.get("type"), list):
        parts = [{**described, "type": kind} for kind in described["type"]]
    if parts:
        return len(kinds) == len(parts) and all(any(fits(kind, part) for kind in kinds) for part in parts)
    (kind,) = kinds
    if "$ref" in described:
        schema = described["$ref"].rpartition("/")[2]
        if "enum" in SCHEMAS[schema]:
            return fits(kind, SCHEMAS[schema])
        return kind is getattr(shapes, NAMED[schema]) or fits(kind, SCHEMAS[schema])
    if "enum" in described:
        return get_origin(kind) is Literal and set(get_args(kind)) == {
            v for v in described["enum"] if v != ""
        }
    match described.get("type"):
        case "array":
            return get_origin(kind) is list and fits(get_args(kind)[0], described["items"])
        case "object" if "properties" not in described:
            inner = described.get("additionalProperties")
            return get_origin(kind) is dict and fits(get_args(kind)[1], inner if inner else {})
        case "string":
            return kind is (bytes if described.get("format") == "binary" else str)
        case plain:
            return kind is {"integer": int, "number": float, "boolean": bool, "null": type(None)}.get(plain)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_of_a_tournament_is_in_the_contract(verb):
    assert operation_of("POST", f"tournaments/x/{verb}")


class Recorder(Client):
    """Notes what would be sent, and answers so that every call comes to an end."""

    def __init__(self):
        super().__init__("http://127.0.0.1:1")
        self.sent = []

    def _request(self, method, path, **request):
        self.sent.append((method, path, request))
        raise Sent

    def events(self, path, last_id="", **query):
        self.sent.append(("GET", path, {"params": query}))
        raise Sent

    def lines(self, path, silence_s, **query):
        self.events(path, **query)


class Sent(Exception):
    """Far enough."""


def sent_by(name):
    """Method, address and query a call of the client sends, every argument given."""
    client = Recorder()
    call = getattr(client, name)
    given = {}
    hints = get_type_hints(getattr(Client, name))
    for parameter in inspect.signature(call).parameters.values():
        if parameter.name in ("note", "outage_timeout_s", "reconnect_s", "poll_s"):
            given[parameter.name] = 1.0
        elif is_typeddict(hints[parameter.name]):
            given[parameter.name] = {}
        elif parameter.name == "verb" and name == "tournament_act":
            given["verb"] = "pause"
        elif hints[parameter.name] is bytes:
            given[parameter.name] = b"x"
        else:
            given[parameter.name] = VALUES.get(parameter.name, "x")
    try:
        result = call(**given)
        if hasattr(result, "__enter__"):
            result.__enter__()
        else:
            next(iter(result))
    except Sent:
        pass
    return client.sent[0]


def operation_of(method, path):
    """What the contract says of an address."""
    for template, operations in CONTRACT["paths"].items():
        pattern = re.sub(r"\{[^}]+\}", "[^/]+", template)
        if re.fullmatch(pattern, f"/api/v1/{path}") and method.lower() in operations:
            # An address without a place holder comes before one that has it there.
            exact = CONTRACT["paths"].get(f"/api/v1/{path}", operations)
            return (exact if method.lower() in exact else operations)[method.lower()]
    raise AssertionError(f"the contract has no {method} {path}")


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_in_the_contract_with_its_query_and_its_answer(name):
    method, path, request = sent_by(name)
    operation = operation_of(method, path)
    known = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
    asked = {key for key, value in (request.get("params") or {}).items() if value is not None}
    assert asked <= known, f"{name} asks for {asked - known}"
    if name not in FILES:
        returned = get_type_hints(getattr(Client, name))["return"]
        assert answer_fits(returned, operation), f"{name} gives {returned}"
    if method in ("POST", "PATCH"):
        assert body_fits(name, operation, request)


def answer_fits(returned, operation):
    """Whether what a call gives is one of the contract's answers; a dry run may have another."""
    successes = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    return any(one_answer_fits(returned, answer.get("content", {})) for answer in successes)


def one_answer_fits(returned, content):
    if not content:
        return returned is type(None)
    if "application/json" not in content:
        return True
    schema = content["application/json"]["schema"]
    if get_origin(returned) is Iterator:
        name = schema["$ref"].rpartition("/")[2]
        row = SCHEMAS[name]["properties"]["results"]["items"]
        return name.startswith("Paginated") and fits(get_args(returned)[0], row)
    return fits(returned, schema)


def body_fits(name, operation, request):
    """Whether the body a call takes is the contract's; it may be left out where nothing is needed."""
    content = operation.get("requestBody", {}).get("content", {})
    hints = get_type_hints(getattr(Client, name)).values()
    taken = [hint for hint in hints if is_typeddict(hint)]
    returned = get_type_hints(getattr(Client, name))["return"]
    taken = [hint for hint in taken if hint is not returned]
    if not content:
        return not taken and not request.get("json")
    schema = next(iter(content.values()))["schema"]
    described = SCHEMAS[schema["$ref"].rpartition("/")[2]]
    if taken:
        return fits(taken[0], schema)
    return set(request.get("json") or request.get("data") or {}) <= set(described["properties"])
