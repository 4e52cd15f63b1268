"""Writes bots/kit/client/shapes/ from docs/openapi.yaml: one TypedDict a schema, pages left to the client.

Run as ``python -m tests.bots.kit.client.shapes_writer``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[4]
CONTRACT = ROOT / "docs" / "openapi.yaml"
SHAPES = ROOT / "bots" / "kit" / "client" / "shapes"
WIDTH = 110
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
BASIC, SHARED = "basic", "shared"
SEVERAL = "what several addresses speak of"
HEAD = """What the API takes and answers, one class a schema of docs/openapi.yaml; a server may send more.

Drawn up from that file by tests/bots/kit/client/shapes_writer.py: run that instead of editing here. Times are
texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some servers send is
``NotRequired``. Names that end in ``In`` are what a request takes.
"""


def contract() -> dict[str, Any]:
    """The committed description of the API."""
    described: dict[str, Any] = yaml.safe_load(CONTRACT.read_text())
    return described


def names(schemas: Mapping[str, Any]) -> dict[str, str]:
    """The class for each schema but pages: ``BotOut`` is Bot, ``PatchedBotChangeRequest`` is BotChangeIn."""
    found = {}
    for schema in schemas:
        if schema.startswith("Paginated"):
            continue
        if schema.endswith("Request"):
            stem = schema.removeprefix("Patched").removesuffix("Request")
            found[schema] = stem if stem.endswith("In") else f"{stem}In"
        else:
            found[schema] = schema.removesuffix("Out")
    assert len(set(found.values())) == len(found), "two schemas want one name"
    return found


def type_text(described: Mapping[str, Any], named: Mapping[str, str]) -> str:
    """The type of a value as Python writes it."""
    text = _bare(described, named)
    return f"{text} | None" if described.get("nullable") and text != "Any" else text


def _bare(described: Mapping[str, Any], named: Mapping[str, str]) -> str:
    if "$ref" in described:
        return named[described["$ref"].rpartition("/")[2]]
    for key in ("allOf", "oneOf", "anyOf"):
        if key in described:
            return " | ".join(dict.fromkeys(type_text(one, named) for one in described[key]))
    if "enum" in described:
        return _literal(described["enum"])
    match described.get("type"):
        case "array":
            return f"list[{type_text(described['items'], named)}]"
        case "object":
            values = described.get("additionalProperties")
            return f"dict[str, {type_text(values, named) if values else 'Any'}]"
        case None:
            return "Any"
        case kind:
            return "bytes" if described.get("format") == "binary" else PLAIN[kind]


def _literal(values: list[Any]) -> str:
    said = ", ".join(
        f'"{value}"' if isinstance(value, str) else repr(value) for value in values if value != ""
    )
    return f"Literal[{said}]"


def _docstring(text: str, indent: str) -> Iterator[str]:
    text = " ".join(text.replace("\\", "\\\\").replace('"""', "'''").split())
    text += "" if text.endswith((".", "?", "!", ":")) else "."
    lines = textwrap.wrap(text, WIDTH - len(indent) - 6, break_long_words=False, break_on_hyphens=False)
    if lines[-1].endswith('"'):
        lines[-1] += " "
    if len(lines) == 1:
        yield f'{indent}"""{lines[0]}"""'
        return
    yield f'{indent}"""{lines[0]}'
    yield from (f"{indent}{line}" for line in lines[1:-1])
    yield f'{indent}{lines[-1]}"""'


def _class(name: str, schema: str, described: Mapping[str, Any], named: Mapping[str, str]) -> Iterator[str]:
    if "enum" in described:
        line = f"{name}: TypeAlias = {_literal(described['enum'])}"
        if len(line) > WIDTH:
            values = ",\n".join(f'    "{value}"' for value in described["enum"])
            line = f"{name}: TypeAlias = Literal[\n{values},\n]"
        yield line
        return
    if "properties" not in described:
        yield f"{name}: TypeAlias = {type_text(described, named)}"
        return
    yield f"class {name}(TypedDict):"
    yield from _docstring(described.get("description") or f"``{schema}`` of the contract.", "    ")
    yield ""
    required = described.get("required", ())
    for field, value in described["properties"].items():
        text = type_text(value, named)
        yield f"    {field}: {text if field in required else f'NotRequired[{text}]'}"
        if value.get("description"):
            yield from _docstring(value["description"], "    ")


def areas(described: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, str]:
    """The module of each schema: the tag of the addresses that speak of it; if several do, ``shared``, or
    ``basic`` where it is made of plain values. So no module needs one that needs it."""
    schemas = described["components"]["schemas"]
    found: dict[str, set[str]] = {schema: set() for schema in named}
    for operations in described["paths"].values():
        for operation in operations.values():
            todo = set(_referred(operation))
            reached: set[str] = set()
            while todo:
                schema = todo.pop()
                if schema not in reached:
                    reached.add(schema)
                    todo |= set(_referred(schemas[schema]))
            for schema in reached & set(named):
                found[schema].add(operation["tags"][0])
    plain = {schema for schema in named if "properties" not in schemas[schema]}
    return {
        schema: tags.pop()
        if len(tags) == 1
        else (BASIC if set(_referred(schemas[schema])) <= plain else SHARED)
        for schema, tags in found.items()
    }


def _referred(described: Any) -> Iterator[str]:
    """Every schema that a part of the contract names itself."""
    if isinstance(described, dict):
        if isinstance(described.get("$ref"), str):
            yield described["$ref"].rpartition("/")[2]
        for value in described.values():
            yield from _referred(value)
    elif isinstance(described, list):
        for value in described:
            yield from _referred(value)


def shapes_texts() -> dict[str, str]:
    """Every module of the package by its file's name."""
    described = contract()
    schemas = described["components"]["schemas"]
    named = names(schemas)
    where = areas(described, named)
    texts = {}
    exports = []
    for area in sorted(set(where.values())):
        own = [schema for schema in named if where[schema] == area]
        texts[f"{area}.py"] = _module(area, own, schemas, named, where)
        exports.append(_import(area, (named[schema] for schema in own)))
    listed = "\n".join(f'    "{name}",' for name in sorted(named.values()))
    imports = "\n".join(exports)
    texts["__init__.py"] = (
        f'"""{HEAD}"""\n\nfrom __future__ import annotations\n\n{imports}\n\n__all__ = [\n{listed}\n]\n'
    )
    return texts


def _import(area: str, classes: Iterable[str]) -> str:
    chosen = sorted(classes, key=str.lower)
    line = f"from bots.kit.client.shapes.{area} import {', '.join(chosen)}"
    if len(line) <= WIDTH:
        return line
    return f"from bots.kit.client.shapes.{area} import (\n" + "".join(f"    {one},\n" for one in chosen) + ")"


def _module(
    area: str,
    own: list[str],
    schemas: Mapping[str, Any],
    named: Mapping[str, str],
    where: Mapping[str, str],
) -> str:
    classes = sorted((one for one in own if "properties" in schemas[one]), key=lambda one: named[one])
    aliases = sorted(set(own) - set(classes), key=lambda one: named[one])
    parts = ["\n".join(_class(named[one], one, schemas[one], named)) for one in classes]
    alias_text = "\n".join("\n".join(_class(named[one], one, schemas[one], named)) for one in aliases)
    used = {one for schema in own for one in _referred(schemas[schema]) if where[one] != area}
    body = "\n\n\n".join(([alias_text] if alias_text else []) + parts)
    words = re.findall(r"\w+", body)
    typing = [one for one in ("Any", "Literal", "NotRequired", "TypeAlias", "TypedDict") if one in words]
    kinds = {BASIC: f"{SEVERAL}, of plain values", SHARED: SEVERAL}
    what = kinds.get(area, f"addresses under {area}")
    head = f'"""Shapes of the API: {what}. Drawn up from docs/openapi.yaml."""\n\n'
    head += f"from __future__ import annotations\n\nfrom typing import {', '.join(typing)}\n"
    lines = [
        _import(source, {named[one] for one in used if where[one] == source})
        for source in sorted({where[one] for one in used})
    ]
    if lines:
        head += "\n" + "\n".join(lines) + "\n"
    gap = "\n" if alias_text else "\n\n"
    return f"{head}{gap}{body}\n"


if __name__ == "__main__":
    SHAPES.mkdir(exist_ok=True)
    written = shapes_texts()
    for stale in SHAPES.glob("*.py"):
        if stale.name not in written:
            stale.unlink()
    for name, text in written.items():
        (SHAPES / name).write_text(text)
        print(f"{(SHAPES / name).relative_to(ROOT)}: {len(text.splitlines())} lines")
