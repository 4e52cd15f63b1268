"""The reference has every operation of the description, and its examples are JSON of the right shape."""

from __future__ import annotations

import json

from arena.web.base.documents.reference import operations
from arena.web.base.documents.reference.schemas import description

MOST_BYTES = 200_000
"""Of a page, before compression."""


def test_every_operation_has_its_place() -> None:
    described = {
        operation["operationId"]: set(operation["responses"])
        for methods in description()["paths"].values()
        for operation in methods.values()
    }
    shown = [operation for tag in operations.tags().values() for operation in tag.operations]
    assert {operation.anchor for operation in shown} == set(described)
    for operation in shown:
        statuses = {answer.status for answer in operation.answers} | set(operation.refusals)
        assert described[operation.anchor] - statuses <= {"304", "default"}
        assert operation.summary
        assert operation.request_example.startswith("curl ")


def test_every_parameter_and_field_is_shown() -> None:
    for tag in operations.tags().values():
        for operation in tag.operations:
            described = description()["paths"][operation.path][operation.method.lower()]
            names = {parameter["name"] for parameter in described.get("parameters", [])}
            assert names == {field.name for field in operation.parameters} | set(operation.common)
            assert bool(operation.body_media) == ("requestBody" in described)


def test_examples_of_answers_are_json() -> None:
    shown = [operation for tag in operations.tags().values() for operation in tag.operations]
    examples = {operation.anchor: operation.answer_example for operation in shown if operation.answer_example}
    assert len(examples) > 60
    bot = json.loads(examples["bots_retrieve"])
    assert set(bot) == set(description()["components"]["schemas"]["BotOut"]["properties"])


def test_shapes_on_a_page_are_those_it_links() -> None:
    for tag in operations.tags().values():
        linked = {name.anchor for name in tag.objects}
        for operation in tag.operations:
            for text in (
                *(field.type for field in operation.body_fields),
                *(a.type for a in operation.answers),
            ):
                for link in text.split('href="#')[1:]:
                    assert link.partition('"')[0] in linked
