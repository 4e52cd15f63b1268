"""Writes bots/kit/client/shapes.py from docs/openapi.yaml: one TypedDict a schema, pages left to the client.

Run as ``python -m tests.bots.kit.client.shapes_writer``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[4]
CONTRACT = ROOT / "docs" / "openapi.yaml"
SHAPES = ROOT / "bots" / "kit" / "client" / "shapes.py"
WIDTH = 110
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
HEAD = '''\
"""What the API takes and answers, one class a schema of docs/openapi.yaml; a server may send more.

Drawn up from that file by tests/bots/kit/client/shapes_writer.py, which is why it may be long; edit it there.
Times are texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some servers send is
``NotRequired``. Names that end in ``In`` are what a request takes.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''


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


def shapes_text() -> str:
    """The whole module."""
    schemas = contract()["components"]["schemas"]
    named = names(schemas)
    classes = {schema for schema in named if "properties" in schemas[schema]}

    def texts(of: Iterable[str]) -> list[str]:
        order = sorted(of, key=lambda schema: named[schema])
        return ["\n".join(_class(named[schema], schema, schemas[schema], named)) for schema in order]

    # Aliases first: they are values, while a class may refer to what comes later.
    return "\n\n\n".join([HEAD + "\n" + "\n".join(texts(set(named) - classes)), *texts(classes)]) + "\n"


if __name__ == "__main__":
    SHAPES.write_text(shapes_text())
    print(f"{SHAPES.relative_to(ROOT)}: {len(SHAPES.read_text().splitlines())} lines")
