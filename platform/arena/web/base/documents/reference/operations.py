"""What the API can be asked, by tag."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from arena.common.errors import NotFound
from arena.web.base.documents.reference.schemas import (
    Field,
    Object,
    Schema,
    description,
    example_of,
    meaning,
    names_within,
    object_named,
    prose,
    ref_of,
    type_of,
)

COMMON = frozenset({"If-None-Match", "Idempotency-Key", "cursor", "page_size", "dry_run"})
"""Parameters of many operations, explained once on the first page."""
METHODS = ("get", "post", "put", "patch", "delete")
BASE = "/api/v1"


class Answer(NamedTuple):
    """What comes back."""

    status: str
    text: SafeString
    type: SafeString
    media: str
    """``application/json`` if that is not it."""


class Operation(NamedTuple):
    """A method of an address."""

    anchor: str
    method: str
    path: str
    summary: str
    text: SafeString
    account: str
    """``optional``, ``needed``."""
    parameters: tuple[Field, ...]
    """Those of its own, of the address first."""
    common: tuple[str, ...]
    """The names of those that many have."""
    body: SafeString
    """Its type, if that is not a shape whose fields are given."""
    body_media: str
    """Empty if there is no body."""
    body_fields: tuple[Field, ...]
    answers: tuple[Answer, ...]
    refusals: tuple[str, ...]
    """Statuses."""
    request_example: str
    """A command for the shell."""
    answer_example: str
    """JSON, or nothing."""


class Tag(NamedTuple):
    """A page of the reference."""

    name: str
    operations: tuple[Operation, ...]
    objects: tuple[Object, ...]
    """Every shape its operations lead to, in the order of their names."""


@functools.cache
def tags() -> dict[str, Tag]:
    """Every tag by name, sorted; each with its operations in the order of the description."""
    found: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, methods in description()["paths"].items():
        for method in METHODS:
            if method in methods:
                found.setdefault(methods[method]["tags"][0], []).append((path, method, methods[method]))
    return {name: _tag(name, found[name]) for name in sorted(found)}


def tag_named(name: str) -> Tag:
    """A page of the reference.

    Raises:
        NotFound: there is none of this name.
    """
    try:
        return tags()[name]
    except KeyError:
        raise NotFound(
            "The API has no part of this name. The reference lists them.", "no_such_address"
        ) from None


def common_parameters() -> tuple[Field, ...]:
    """The parameters that many operations have, each once."""
    found: dict[str, Field] = {}
    for methods in description()["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] in COMMON:
                    found.setdefault(parameter["name"], _parameter(parameter))
    return tuple(found[name] for name in sorted(found))


def _tag(name: str, listed: list[tuple[str, str, Schema]]) -> Tag:
    names: set[str] = set()
    for _, _, operation in listed:
        _, body = _content(operation.get("requestBody", {}))
        # Its own fields stand where it is sent.
        shape = description()["components"]["schemas"][ref_of(body)] if body and ref_of(body) else body
        names_within([shape, *_own_answers(operation).values()], names)
    return Tag(
        name,
        tuple(_operation(*entry) for entry in listed),
        tuple(object_named(shape) for shape in sorted(names)),
    )


def _operation(path: str, method: str, operation: Schema) -> Operation:
    parameters = operation.get("parameters", [])
    own = [parameter for parameter in parameters if parameter["name"] not in COMMON]
    own.sort(key=lambda parameter: ("path", "query", "header", "cookie").index(parameter["in"]))
    media, body = _content(operation.get("requestBody", {}))
    needs_account = {} not in operation.get("security", [{}])
    answers = _own_answers(operation)
    first_media, first = next((_content(answer) for answer in answers.values()), ("", None))
    is_object = body is not None and not ref_of(body) and "properties" in body
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        text=prose(operation.get("description", "")),
        account="needed" if needs_account else "optional",
        parameters=tuple(map(_parameter, own)),
        common=tuple(sorted(parameter["name"] for parameter in parameters if parameter["name"] in COMMON)),
        body=SafeString("") if body is None or ref_of(body) else type_of(body),
        body_media=media,
        body_fields=object_named(name).fields if body and (name := ref_of(body)) else (),
        answers=tuple(_answer(status, answer) for status, answer in answers.items()),
        refusals=tuple(status for status in operation["responses"] if status.isdigit() and status[0] in "45"),
        request_example=_command(path, method, media, body, needs_account=needs_account),
        answer_example=_json(first) if first and first_media == "application/json" and not is_object else "",
    )


def _own_answers(operation: Schema) -> dict[str, Schema]:
    """Those of success."""
    return {status: answer for status, answer in operation["responses"].items() if status[0] == "2"}


def _answer(status: str, answer: Schema) -> Answer:
    media, schema = _content(answer)
    return Answer(
        status,
        prose(answer.get("description", "")),
        type_of(schema) if schema is not None else SafeString(""),
        "" if media == "application/json" else media,
    )


def _content(part: Schema) -> tuple[str, Schema | None]:
    """The first media type of a body, with its schema."""
    for media, content in part.get("content", {}).items():
        return media, content.get("schema", {})
    return "", None


def _parameter(parameter: Schema) -> Field:
    schema = parameter.get("schema", {})
    text = meaning({**schema, "description": parameter.get("description", "")})
    return Field(parameter["name"], type_of(schema), parameter.get("required", False), text)


def _command(path: str, method: str, media: str, body: Schema | None, *, needs_account: bool) -> str:
    words = ["curl"]
    if needs_account:
        words.append('-H "$auth"')
    if media == "multipart/form-data":
        words.append("-F bundle=@kita.zip")
    elif body is not None:
        words.append(f"--json '{json.dumps(_brief(body))}'")
    is_plain = method == ("post" if body is not None else "get")
    if not is_plain:
        words.append(f"-X {method.upper()}")
    address = path.removeprefix(BASE)
    for name in _placeholders(path):
        address = address.replace("{" + name + "}", "$" + name.upper())
    return " ".join([*words, f'"$API{address}"'])


def _brief(body: Schema) -> Any:
    """An example with what is required alone, or with one field."""
    name = ref_of(body)
    schema = description()["components"]["schemas"][name] if name else body
    properties = schema.get("properties", {})
    needed = schema.get("required") or list(properties)[:1]
    return {field: example_of(properties[field]) for field in needed}


def _placeholders(path: str) -> Iterator[str]:
    for part in path.split("{")[1:]:
        yield part.partition("}")[0]


def _json(schema: Schema) -> str:
    return json.dumps(example_of(schema), indent=2)
