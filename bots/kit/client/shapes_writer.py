"""Write shapes.py beside it from docs/openapi.yaml: a TypedDict for each schema that the kit uses.

Run as ``python -m bots.kit.client.shapes_writer`` in a clone, with ``--check`` to compare only; needs PyYAML,
which the kit itself does not.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SHAPES_FILE = Path(__file__).with_name("shapes.py")
OPENAPI_FILE = SHAPES_FILE.parents[3] / "docs" / "openapi.yaml"
WIDTH = 110
PRIMITIVE_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
KIT_FOLDER = SHAPES_FILE.parents[1]
SHAPES_IMPORT = re.compile(r"^from bots\.kit\.client\.shapes import (?:\(([^)]*)\)|(.*)$)", re.MULTILINE)
SHARED_BASES = {"TournamentFieldsIn": ("TemplateIn", "TournamentIn", "TournamentChangeIn")}
"""Classes that are no schema of their own: what several requests have in common."""
MIN_SHARED_FIELDS = 4
"""A class with so many fields, all of them in another one, is the base of that."""
MODULE_HEAD = '''\
"""What the kit sends and reads, one class a schema of docs/openapi.yaml; a server may send more.

Generated from that file by shapes_writer.py beside it, in one piece however long: run that instead of
editing here. Times are texts in ISO 8601, UTC; exact fractions are texts ``n`` or ``n/d``. What only some
servers send is ``NotRequired``. Names that end in ``In`` are what a request takes.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''


class Shape(NamedTuple):
    """A class to be written."""

    description: str
    fields: dict[str, str]
    """The lines of each field by its name, its docstring included."""


def openapi_document() -> dict[str, Any]:
    """The committed description of the API."""
    import yaml

    described: dict[str, Any] = yaml.load(
        OPENAPI_FILE.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    return described


def class_names(schemas: Mapping[str, Any]) -> dict[str, str]:
    """The class for each schema but pages: ``BotOut`` is Bot, ``PatchedBotChangeRequest`` is BotChangeIn."""
    names = {}
    for schema in schemas:
        if schema.startswith("Paginated"):
            continue
        if schema.endswith("Request"):
            names[schema] = schema.removeprefix("Patched").removesuffix("Request").removesuffix("In") + "In"
        else:
            names[schema] = schema.removesuffix("Out")
    assert len(set(names.values())) == len(names), "two schemas want one name"
    return names


def shapes_text() -> str:
    """The whole module."""
    schemas = openapi_document()["components"]["schemas"]
    names = class_names(schemas)
    aliases, shapes = {}, {}
    for schema, name in names.items():
        described = schemas[schema]
        if "properties" in described:
            shapes[name] = _shape(schema, described, names)
        else:
            aliases[name] = _alias(name, _type(described, names))
    for name, sharing in SHARED_BASES.items():
        common = set.intersection(*(set(shapes[other].fields.items()) for other in sharing))
        fields = {field: text for field, text in shapes[sharing[0]].fields.items() if (field, text) in common}
        shapes[name] = Shape(f"What {', '.join(sharing[:-1])} and {sharing[-1]} have in common.", fields)
    used = names_used(
        {**aliases, **{name: "\n".join(shape.fields.values()) for name, shape in shapes.items()}}
    )
    aliases = {name: text for name, text in aliases.items() if name in used}
    shapes = {name: shape for name, shape in shapes.items() if name in used}
    bases = {name: _base(name, shapes) for name in shapes}
    order: list[str] = []
    for name in sorted(shapes):
        line = [name]
        while base := bases[line[-1]]:
            line.append(base)
        order += [each for each in reversed(line) if each not in order]
    parts = ["\n".join(aliases[name] for name in sorted(aliases))]
    parts += ["\n".join(_class(name, shapes, bases[name])) for name in order]
    return f"{MODULE_HEAD}\n" + "\n\n\n".join(parts) + "\n"


def names_used(texts: Mapping[str, str]) -> set[str]:
    """The classes that modules of the kit import, and those that these are made of; ``texts`` are by name."""
    imported = (
        name
        for path in KIT_FOLDER.rglob("*.py")
        for found in SHAPES_IMPORT.findall(path.read_text())
        for name in re.findall(r"\w+", "".join(found))
    )
    used, open_names = set[str](), set(imported)
    while open_names:
        used |= open_names
        words = (re.findall(r"\w+", _code(texts[name])) for name in open_names)
        open_names = {word for line in words for word in line if word in texts} - used
    # A base that several share saves more lines than it has.
    return used | {name for name, sharing in SHARED_BASES.items() if used >= {*sharing}}


def _code(text: str) -> str:
    """The text of fields without their docstrings."""
    return re.sub(r'"""[^"]*"""', "", text)


def _shape(schema: str, described: Mapping[str, Any], names: Mapping[str, str]) -> Shape:
    fields = {}
    for field, value in described["properties"].items():
        text = _type(value, names)
        required = field in described.get("required", ())
        lines = [f"    {field}: {text if required else f'NotRequired[{text}]'}"]
        if value.get("description"):
            lines += _docstring(value["description"])
        fields[field] = "\n".join(lines)
    return Shape(described.get("description") or f"``{schema}`` of the contract.", fields)


def _base(name: str, shapes: Mapping[str, Shape]) -> str:
    """The largest other class all of whose fields this one has; empty if there is none."""
    own = set(shapes[name].fields.items())
    fits = [
        (len(shape.fields), other)
        for other, shape in shapes.items()
        if other != name and len(shape.fields) >= MIN_SHARED_FIELDS and set(shape.fields.items()) < own
    ]
    return max(fits)[1] if fits else ""


def _class(name: str, shapes: Mapping[str, Shape], base: str) -> Iterator[str]:
    inherited = shapes[base].fields if base else {}
    yield f"class {name}({base or 'TypedDict'}):"
    yield from _docstring(shapes[name].description)
    yield ""
    yield from (text for field, text in shapes[name].fields.items() if field not in inherited)


def _alias(name: str, text: str) -> str:
    line = f"{name}: TypeAlias = {text}"
    if len(line) <= WIDTH or not text.startswith("Literal["):
        return line
    values = text.removeprefix("Literal[").removesuffix("]").replace(", ", ",\n    ")
    return f"{name}: TypeAlias = Literal[\n    {values},\n]"


def _type(described: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """The type of a value as Python writes it."""
    if "$ref" in described:
        return names[described["$ref"].rpartition("/")[2]]
    for key in ("allOf", "oneOf", "anyOf"):
        if key in described:
            return " | ".join(dict.fromkeys(_type(part, names) for part in described[key]))
    if "enum" in described:
        return f"Literal[{', '.join(_literal(value) for value in described['enum'] if value != '')}]"
    match described.get("type"):
        case list(kinds):
            return " | ".join(_type({**described, "type": kind}, names) for kind in kinds)
        case "array":
            return f"list[{_type(described['items'], names)}]"
        case "object":
            values = described.get("additionalProperties")
            return f"dict[str, {_type(values, names) if values else 'Any'}]"
        case None:
            return "Any"
        case kind:
            return "bytes" if described.get("format") == "binary" else PRIMITIVE_TYPES[kind]


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _docstring(text: str) -> Iterator[str]:
    text = " ".join(text.replace("\\", "\\\\").replace('"""', "'''").split())
    text += "" if text.endswith((".", "?", "!", ":")) else "."
    text += " " if text.endswith('"') else ""
    lines = textwrap.wrap(text, WIDTH - 10, break_long_words=False, break_on_hyphens=False)
    lines[0] = f'"""{lines[0]}'
    lines[-1] += '"""'
    return (f"    {line}" for line in lines)


def main() -> str | None:
    """Write the module, or with ``--check`` only compare: what is wrong with it, or nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if shapes.py is out of date"
    )
    text = shapes_text()
    if parser.parse_args().check:
        is_current = SHAPES_FILE.read_text() == text
        return (
            None if is_current else f"{SHAPES_FILE} is out of date: python -m bots.kit.client.shapes_writer"
        )
    SHAPES_FILE.write_text(text)
    print(f"{SHAPES_FILE.name}: {len(text.splitlines())} lines")
    return None


if __name__ == "__main__":
    sys.exit(main())
