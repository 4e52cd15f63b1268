"""Schemas of the API: types as linked text, fields, and an example of each."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from arena.web.base.documents import files
from arena.web.base.documents.markdown import render_document, render_inline

PREFIX = "#/components/schemas/"
EXAMPLE_DEPTH = 3
"""Maximum depth of nested objects in examples."""
FORMAT_NAMES = {
    "date-time": "time",
    "uri": "address",
    "binary": "file",
    "uuid": "UUID",
}
TYPE_EXAMPLES = {
    "string": "...",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "null": None,
}
EXAMPLE_TIME = "2026-11-01T12:00:00Z"

Schema = dict[str, Any]


class SchemaField(NamedTuple):
    name: str
    type: SafeString
    is_required: bool
    text: SafeString


class SchemaObject(NamedTuple):
    name: str
    text: SafeString
    fields: tuple[SchemaField, ...]

    @property
    def anchor(self) -> str:
        return anchor_of(self.name)


@functools.cache
def description() -> Schema:
    """Return the whole OpenAPI schema. It is shared by all callers: do not modify it."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    described: Schema = yaml.load(files.read_document(files.DESCRIPTION), loader)
    return described


def anchor_of(name: str) -> str:
    """Return the anchor of a schema on the page of a tag.

    >>> anchor_of("TournamentOut")
    'shape-tournamentout'
    """
    return f"shape-{name.lower()}"


@functools.cache
def object_named(name: str) -> SchemaObject:
    schema = description()["components"]["schemas"][name]
    return SchemaObject(name, render_description(schema.get("description", "")), fields_of(schema))


def fields_of(schema: Schema) -> tuple[SchemaField, ...]:
    required = schema.get("required", [])
    return tuple(
        SchemaField(name, type_of(field), name in required, describe_value(field))
        for name, field in schema.get("properties", {}).items()
    )


def type_of(schema: Schema) -> SafeString:
    """Return the type as text, such as ``list of integers``, with links to schemas, or the allowed values."""
    if name := schema_name(schema):
        target = description()["components"]["schemas"][name]
        if "enum" in target:
            return type_of(target)
        return format_html('<a href="#{}">{}</a>', anchor_of(name), name)
    if "enum" in schema:
        return format_html_join(
            " | ", "<code>{}</code>", ((_format_value(value),) for value in schema["enum"])
        )
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return format_html_join(" or ", "{}", ((type_of(part),) for part in schema[key]))
    kinds = schema.get("type", "any")
    named = [_kind(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return format_html_join(" or ", "{}", ((kind,) for kind in named))


def describe_value(schema: Schema) -> SafeString:
    bounds = ", ".join(_bounds(schema))
    stated = f"{bounds[:1].upper()}{bounds[1:]}." if bounds else ""
    described = schema.get("description", "")
    if "\n* " in f"\n{described}":
        # A list of choices with their meanings.
        return format_html("{}{}", render_document(described.replace("``", "`")).html, stated)
    return format_html("{}{}{}", render_description(described), " " if described and stated else "", stated)


def render_description(text: str) -> SafeString:
    """Render a description; the double backquotes of docstrings become code."""
    return render_inline(text.replace("``", "`"))


def schema_name(schema: Schema) -> str:
    """Return the name of the schema that this one refers to, possibly with a description; else empty."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(PREFIX)
    parts = schema.get("allOf", [])
    return schema_name(parts[0]) if len(parts) == 1 else ""


def collect_schema_names(schema: Any, names: set[str]) -> None:
    """Add the names of all schemas to which a schema leads, except enumerations."""
    if isinstance(schema, list):
        for part in schema:
            collect_schema_names(part, names)
    if not isinstance(schema, dict):
        return
    name = str(schema.get("$ref", "")).removeprefix(PREFIX) if "$ref" in schema else ""
    if name and name not in names and not name.startswith("#"):
        target = description()["components"]["schemas"][name]
        if "enum" not in target:
            names.add(name)
        collect_schema_names(target, names)
    for part in schema.values():
        collect_schema_names(part, names)


def example_of(schema: Schema, depth: int = 0, name: str = "") -> Any:
    """Return a value that the schema allows; deeply nested objects are empty."""
    if ref := schema_name(schema):
        return example_of(description()["components"]["schemas"][ref], depth, name)
    for key in ("example", "default", "const"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            return example_of(schema[key][0], depth, name)
    kinds = schema.get("type", "string")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if kind == "object":
        if depth >= EXAMPLE_DEPTH:
            return {}
        properties = schema.get("properties", {})
        return {field: example_of(part, depth + 1, field) for field, part in properties.items()}
    if kind == "array":
        return [example_of(schema.get("items", {}), depth + 1, name)] if depth < EXAMPLE_DEPTH else []
    if schema.get("format") == "date-time":
        return EXAMPLE_TIME
    if kind == "integer":
        return schema.get("minimum", TYPE_EXAMPLES["integer"])
    return TYPE_EXAMPLES.get(kind)


def _kind(kind: str, schema: Schema) -> SafeString:
    if kind == "array":
        return format_html("list of {}", type_of(schema.get("items", {})))
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        values = schema["additionalProperties"]
        return format_html("object of {}", type_of(values)) if values else SafeString("object")
    if kind == "string":
        return format_html("{}", FORMAT_NAMES.get(schema.get("format", ""), "text"))
    return format_html("{}", kind)


def _bounds(schema: Schema) -> Iterator[str]:
    if "default" in schema:
        yield f"default {_format_value(schema['default'])}"
    lowest, highest = schema.get("minimum"), schema.get("maximum")
    if lowest is not None and highest is not None:
        yield f"{lowest:,} to {highest:,}"
    elif lowest is not None:
        yield f"at least {lowest:,}"
    elif highest is not None:
        yield f"at most {highest:,}"
    for key, text in (("maxLength", "characters"), ("maxItems", "items"), ("maxProperties", "names")):
        if key in schema:
            yield f"at most {schema[key]:,} {text}"


def _format_value(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
