"""Parsing of the fields of ``rensho api``, and selection of fields of its answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from bots.kit.errors import InvalidInput
from bots.kit.files import read_text
from engine.refusals import clipped, quoted

MAX_INPUT_BYTES = 4 << 20
"""Maximum bytes of a file or of standard input."""
MAX_DEPTH = 20
"""Maximum number of names in a field such as ``template.stages``."""
MAX_ERROR_CHARS = 200
STDIN = "-"
FIELD_HELP = (
    "field of the body; with GET and DELETE, query parameter. NAME=TEXT, or NAME:=JSON for numbers, "
    "true, false, null and lists. Dots nest fields; @FILE reads the value from a file, @- from standard "
    "input. NAME==TEXT is always a query parameter"
)
_FIELD = re.compile(r"([^=:]+)(:=|==|=)(.*)", re.DOTALL)


class RequestFields:
    def __init__(self, arguments: Iterable[str], *, is_query: bool) -> None:
        self.body: dict[str, Any] = {}
        self.query: list[tuple[str, str]] = []
        for argument in arguments:
            match = _FIELD.fullmatch(argument)
            if match is None:
                raise InvalidInput(f"{quoted(argument)}: write it as FIELD=VALUE, or FIELD:=JSON")
            name, sign, text = match.groups()
            text = _read(text[1:]) if text.startswith("@") else text
            _require_unicode(name + text, argument)
            value = _parse_json(text, quoted(name), "; for text, write NAME=TEXT") if sign == ":=" else text
            if is_query or sign == "==":
                self.query += [(name, each) for each in _query_values(value, name)]
            else:
                _set_field(self.body, name, value)


def request_body(given: RequestFields, source: str | None) -> dict[str, Any]:
    """Return the JSON object of the input file, if any, updated with the fields of the command line."""
    if source is None:
        return given.body
    document = _parse_json(_read(source), f"--input {source}")
    if not isinstance(document, dict):
        raise InvalidInput(f'--input {source} is not a JSON object: write for example {{"name": "kita"}}')
    return {**document, **given.body}


def query_parameters(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return query


def select_fields(value: Any, names: Sequence[Sequence[str]]) -> Any:
    """Return the named fields of an object, or of each row of a list; everything if ``names`` is empty.

    >>> select_fields([{"id": "a", "bot": {"name": "kita", "id": "b"}}], [["bot", "name"]])
    [{'bot': {'name': 'kita'}}]
    """
    if not names or value is None:
        return value
    if isinstance(value, list):
        return [select_fields(row, names) for row in value]
    below: dict[str, list[Sequence[str]]] = {}
    for first, *inner in names:
        if not isinstance(value, Mapping) or first not in value:
            there = (
                f"its fields are: {', '.join(value)}" if isinstance(value, Mapping) else "it has no fields"
            )
            raise InvalidInput(f"--fields: the response has no field {quoted(first)}; {there}")
        below.setdefault(first, []).append(inner)
    # A name alone is the whole field, whatever parts of it are named as well.
    return {
        name: select_fields(value[name], inner_names if all(inner_names) else ())
        for name, inner_names in below.items()
    }


def _set_field(body: dict[str, Any], name: str, value: Any) -> None:
    steps = name.split(".")
    if not all(steps) or len(steps) > MAX_DEPTH:
        raise InvalidInput(f"{quoted(name)} is not a field name: write for example template.preset")
    for step in steps[:-1]:
        body = body.setdefault(step, {})
        if not isinstance(body, dict):
            raise InvalidInput(f"cannot set {quoted(name)}: {quoted(step)} already has a value")
    if steps[-1] in body:
        raise InvalidInput(f"{quoted(name)} is given twice: remove one")
    body[steps[-1]] = value


def _query_values(value: Any, name: str) -> list[str]:
    """Return the texts of a query parameter; a list repeats it."""
    values = value if isinstance(value, list) else [value]
    if any(each is None or isinstance(each, dict | list) for each in values):
        raise InvalidInput(f"{quoted(name)}: a query parameter must be text, a number, true or false")
    return [each if isinstance(each, str) else json.dumps(each) for each in values]


def _read(source: str) -> str:
    if source != STDIN:
        return read_text(Path(source), MAX_INPUT_BYTES)
    data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise InvalidInput(f"standard input is larger than {MAX_INPUT_BYTES >> 20} MiB, the maximum")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("standard input is not UTF-8") from None


def _parse_json(text: str, where: str, remedy: str = "") -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        reason = clipped(str(error), MAX_ERROR_CHARS)
        raise InvalidInput(f"{where} is not JSON: {reason}{remedy}") from None
    return value


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not allowed")


def _require_unicode(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{quoted(where)} is not valid Unicode") from None
