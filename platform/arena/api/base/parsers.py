"""Parser of JSON bodies with limits on size, depth and number of values.

The limits apply before validation, so that validation is cheap whatever was sent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import IO, Any, ClassVar

from rest_framework import exceptions
from rest_framework.parsers import BaseParser

from arena.common.errors import quoted, shortened

MAX_JSON_BYTES = 256 << 10
"""Maximum bytes of a JSON body."""
MAX_JSON_DEPTH = 16
"""Maximum nesting of objects and lists, including the outermost."""
MAX_JSON_VALUES = 10_000
"""Maximum values at all depths: objects, lists, texts, numbers and constants."""
MAX_NUMBER_CHARACTERS = 64
"""Maximum length of a number."""
MAX_NAME_CHARACTERS = 40
MAX_PATH_CHARACTERS = 100
SURROGATE = re.compile("[\ud800-\udfff]")

ValuePath = tuple[str, ...]
"""Path to a value: names and indices from the outermost."""


class BodyRefused(exceptions.ParseError):
    """A body that exceeds a limit. ``code`` names the limit, ``errors`` the value's path."""

    def __init__(self, detail: str, code: str, path: ValuePath | None = None) -> None:
        super().__init__(detail, code)
        self.extra: dict[str, Any] = {}
        if path is not None:
            self.extra["errors"] = [{"field": format_path(path), "code": code, "detail": detail}]


class BodyTooLarge(BodyRefused):
    """A body with too many bytes."""

    status_code: ClassVar[int] = 413  # type: ignore[misc]

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"A JSON body has at most {limit_bytes} bytes; send less.", "body_too_large")
        self.extra["limit_bytes"] = limit_bytes


class JsonParser(BaseParser):
    """``application/json`` in UTF-8. Besides malformed JSON, it rejects:

    more than ``MAX_JSON_BYTES`` (413), ``MAX_JSON_DEPTH`` or ``MAX_JSON_VALUES``; duplicate names in an
    object; numbers longer than ``MAX_NUMBER_CHARACTERS``, infinite ones and NaN; U+0000 and unpaired
    surrogates in texts and names, which no database can store.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value of the body.

        Raises:
            BodyRefused: a limit is exceeded.
            ParseError: the body is not JSON.
        """
        data = stream.read(MAX_JSON_BYTES + 1)
        if len(data) > MAX_JSON_BYTES:
            raise BodyTooLarge(MAX_JSON_BYTES)
        try:
            value = json.loads(
                data.decode(),
                parse_int=_parse_integer,
                parse_float=_parse_float,
                parse_constant=_refuse_constant,
                object_pairs_hook=_build_object,
            )
        except UnicodeDecodeError as error:
            raise exceptions.ParseError(
                f"The body is not UTF-8: byte {data[error.start]:#04x} at {error.start}. Send JSON in UTF-8."
            ) from None
        except RecursionError:
            raise _too_deep() from None
        except json.JSONDecodeError as error:
            raise exceptions.ParseError(f"The body is not JSON: {shortened(str(error), 200)}.") from None
        check_limits(value)
        return value


def check_limits(value: Any) -> None:
    """Reject a value that is too deep, has too many parts, or texts that cannot be stored. Iterative.

    Raises:
        BodyRefused: names the limit and, for a text, its path.
    """
    waiting: list[tuple[Any, ValuePath]] = [(value, ())]
    count = 1
    while waiting:
        item, path = waiting.pop()
        if isinstance(item, str):
            _check_text(item, path)
        elif isinstance(item, dict | list):
            if len(path) >= MAX_JSON_DEPTH:
                raise _too_deep()
            count += len(item)
            if count > MAX_JSON_VALUES:
                raise BodyRefused(
                    f"The body has more than {MAX_JSON_VALUES} values; send fewer.", "body_too_many_values"
                )
            if isinstance(item, dict):
                for name in item:
                    _check_text(name, path)
                waiting += [(inner, (*path, name)) for name, inner in item.items()]
            else:
                waiting += [(inner, (*path, str(index))) for index, inner in enumerate(item)]


def format_path(path: ValuePath) -> str:
    """Return a path as in problems: dotted, long names shortened, empty for the whole body."""
    return shortened(".".join(shortened(name, MAX_NAME_CHARACTERS) for name in path), MAX_PATH_CHARACTERS)


def _check_text(text: str, path: ValuePath) -> None:
    if text.isascii():
        if "\0" not in text:
            return
        defect = "U+0000"
    else:
        if "\0" not in text and not SURROGATE.search(text):
            return
        defect = "U+0000" if "\0" in text else "half of a surrogate pair"
    where = format_path(path) or "the body"
    raise BodyRefused(f"{where} contains {defect}, which is not text; remove it.", "invalid_text", path)


def _too_deep() -> BodyRefused:
    return BodyRefused(
        f"The body has more than {MAX_JSON_DEPTH} objects and lists within each other; send it flatter.",
        "body_too_deep",
    )


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names: set[str] = set()
        twice = next(name for name, _ in pairs if name in names or names.add(name))  # type: ignore[func-returns-value]
        raise BodyRefused(
            f"An object has the name {quoted(twice)} more than once; give it one value.", "duplicate_key"
        )
    return values


def _parse_integer(text: str) -> int:
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise _invalid_number(text)
    return int(text)


def _parse_float(text: str) -> float:
    value = math.inf if len(text) > MAX_NUMBER_CHARACTERS else float(text)
    if not math.isfinite(value):
        raise _invalid_number(text)
    return value


def _refuse_constant(text: str) -> None:
    raise _invalid_number(text)


def _invalid_number(text: str) -> BodyRefused:
    return BodyRefused(
        f"{quoted(text)} is not accepted: a number is finite and has at most "
        f"{MAX_NUMBER_CHARACTERS} characters.",
        "invalid_number",
    )
