"""Parser of answers, which bounds a body before it reads it as JSON."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import IO, Any, ClassVar

from rest_framework.exceptions import ParseError

from arena.api.base.parsers import JsonParser
from arena.common.errors import Invalid
from arena.features.remote.limits import MAX_ANSWER_BYTES
from arena.features.remote.services import Answer


class AnswerTooLarge(Invalid):
    """An answer with too many bytes."""

    status: ClassVar[int] = 413

    def __init__(self) -> None:
        super().__init__(
            f"An answer has at most {MAX_ANSWER_BYTES} bytes; shorten debug or policy.",
            "answer_too_large",
            limit_bytes=MAX_ANSWER_BYTES,
        )


class AnswerParser(JsonParser):
    """Parses a body to an ``Answer``, with the limits of ``JsonParser``."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the ``Answer``.

        Raises:
            AnswerTooLarge: it has more than ``MAX_ANSWER_BYTES``.
            Invalid: code ``malformed_answer``.
        """
        data = stream.read(MAX_ANSWER_BYTES + 1)
        if len(data) > MAX_ANSWER_BYTES:
            raise AnswerTooLarge
        try:
            value = super().parse(io.BytesIO(data), media_type, parser_context)
        except ParseError as error:
            raise malformed_answer(str(error.detail)) from None
        if not isinstance(value, dict):
            raise malformed_answer("The answer is not a JSON object.")
        request_id = value.get("id")
        if not isinstance(request_id, str) or not request_id:
            raise malformed_answer("The answer has no text id.")
        return Answer(request_id, data.decode())


def malformed_answer(why: str) -> Invalid:
    return Invalid(f'{why} Send an object such as {{"id": ..., "action": ...}}.', "malformed_answer")
