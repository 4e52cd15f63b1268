"""Operations of the API by tag, as the reference displays them."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from arena.common.errors import NotFound
from arena.web.base.documents.reference.schemas import (
    Schema,
    SchemaField,
    SchemaObject,
    collect_schema_names,
    describe_value,
    description,
    example_of,
    object_named,
    render_description,
    schema_name,
    type_of,
)

COMMON_PARAMETERS = frozenset({"If-None-Match", "Idempotency-Key", "cursor", "page_size", "dry_run"})
"""Parameters of many operations, documented once on the first page."""
METHODS = ("get", "post", "put", "patch", "delete")
API_PREFIX = "/api/v1"


class OperationResponse(NamedTuple):
    status: str
    text: SafeString
    type: SafeString
    media: str
    """Media type; empty for ``application/json``."""


class Operation(NamedTuple):
    anchor: str
    method: str
    path: str
    summary: str
    text: SafeString
    account: str
    """``optional`` or ``needed``."""
    parameters: tuple[SchemaField, ...]
    """Parameters except the common ones, path parameters first."""
    common: tuple[str, ...]
    """Names of its common parameters."""
    body: SafeString
    """Type of the body; empty if ``body_fields`` describe it."""
    body_media: str
    """Media type; empty without a body."""
    body_fields: tuple[SchemaField, ...]
    answers: tuple[OperationResponse, ...]
    refusals: tuple[str, ...]
    request_example: str
    """Shell command."""
    answer_example: str
    """JSON; empty if there is none."""


class Tag(NamedTuple):
    name: str
    operations: tuple[Operation, ...]
    objects: tuple[SchemaObject, ...]
    """All schemas that its operations refer to, by name."""


@functools.cache
def tags() -> dict[str, Tag]:
    by_tag: dict[str, list[tuple[str, str, Schema]]] = {}
    for path, methods in description()["paths"].items():
        for method in METHODS:
            if method in methods:
                by_tag.setdefault(methods[method]["tags"][0], []).append((path, method, methods[method]))
    return {name: _tag(name, by_tag[name]) for name in sorted(by_tag)}


def tag_named(name: str) -> Tag:
    """Return a page of the reference.

    Raises:
        NotFound: unknown tag.
    """
    try:
        return tags()[name]
    except KeyError:
        raise NotFound(
            "The API reference has no section of this name. /docs/reference lists all sections.",
            "unknown_endpoint",
        ) from None


def common_parameters() -> tuple[SchemaField, ...]:
    parameters: dict[str, SchemaField] = {}
    for methods in description()["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] in COMMON_PARAMETERS:
                    parameters.setdefault(parameter["name"], _parameter(parameter))
    return tuple(parameters[name] for name in sorted(parameters))


def _tag(name: str, listed: list[tuple[str, str, Schema]]) -> Tag:
    names: set[str] = set()
    for _, _, operation in listed:
        _, body = _content(operation.get("requestBody", {}))
        # The fields of the body itself are listed with the operation.
        shape = (
            description()["components"]["schemas"][schema_name(body)] if body and schema_name(body) else body
        )
        collect_schema_names([shape, *_success_responses(operation).values()], names)
    return Tag(
        name,
        tuple(_operation(*entry) for entry in listed),
        tuple(object_named(shape) for shape in sorted(names)),
    )


def _operation(path: str, method: str, operation: Schema) -> Operation:
    parameters = operation.get("parameters", [])
    own = [parameter for parameter in parameters if parameter["name"] not in COMMON_PARAMETERS]
    own.sort(key=lambda parameter: ("path", "query", "header", "cookie").index(parameter["in"]))
    media, body = _content(operation.get("requestBody", {}))
    needs_account = {} not in operation.get("security", [{}])
    answers = _success_responses(operation)
    first_media, first = next((_content(answer) for answer in answers.values()), ("", None))
    is_object = body is not None and not schema_name(body) and "properties" in body
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        text=render_description(operation.get("description", "")),
        account="needed" if needs_account else "optional",
        parameters=tuple(map(_parameter, own)),
        common=tuple(
            sorted(parameter["name"] for parameter in parameters if parameter["name"] in COMMON_PARAMETERS)
        ),
        body=SafeString("") if body is None or schema_name(body) else type_of(body),
        body_media=media,
        body_fields=object_named(name).fields if body and (name := schema_name(body)) else (),
        answers=tuple(_answer(status, answer) for status, answer in answers.items()),
        refusals=tuple(status for status in operation["responses"] if status.isdigit() and status[0] in "45"),
        request_example=_command(path, method, media, body, needs_account=needs_account),
        answer_example=_json(first) if first and first_media == "application/json" and not is_object else "",
    )


def _success_responses(operation: Schema) -> dict[str, Schema]:
    return {status: answer for status, answer in operation["responses"].items() if status[0] == "2"}


def _answer(status: str, answer: Schema) -> OperationResponse:
    media, schema = _content(answer)
    return OperationResponse(
        status,
        render_description(answer.get("description", "")),
        type_of(schema) if schema is not None else SafeString(""),
        "" if media == "application/json" else media,
    )


def _content(part: Schema) -> tuple[str, Schema | None]:
    for media, content in part.get("content", {}).items():
        return media, content.get("schema", {})
    return "", None


def _parameter(parameter: Schema) -> SchemaField:
    schema = parameter.get("schema", {})
    text = describe_value({**schema, "description": parameter.get("description", "")})
    return SchemaField(parameter["name"], type_of(schema), parameter.get("required", False), text)


def _command(path: str, method: str, media: str, body: Schema | None, *, needs_account: bool) -> str:
    arguments = ["curl"]
    if needs_account:
        arguments.append('-H "$auth"')
    if media == "multipart/form-data":
        arguments.append("-F bundle=@kita.zip")
    elif body is not None:
        arguments.append(f"--json '{json.dumps(_minimal_example(body))}'")
    is_plain = method == ("post" if body is not None else "get")
    if not is_plain:
        arguments.append(f"-X {method.upper()}")
    address = path.removeprefix(API_PREFIX)
    for name in _placeholders(path):
        address = address.replace("{" + name + "}", "$" + name.upper())
    return " ".join([*arguments, f'"$API{address}"'])


def _minimal_example(body: Schema) -> Any:
    """Return an example with the required fields, or with the first field if none is required."""
    name = schema_name(body)
    schema = description()["components"]["schemas"][name] if name else body
    properties = schema.get("properties", {})
    needed = schema.get("required") or list(properties)[:1]
    return {field: example_of(properties[field]) for field in needed}


def _placeholders(path: str) -> Iterator[str]:
    for part in path.split("{")[1:]:
        yield part.partition("}")[0]


def _json(schema: Schema) -> str:
    return json.dumps(example_of(schema), indent=2)
