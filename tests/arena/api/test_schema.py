"""The committed description of the API is the API's own."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import resolve

from arena.api.base.caching import OCTET_STREAM
from tests.arena.api.conftest import World, caller
from tests.factories import aya, sota
from tests.openapi import contract

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "docs" / "openapi.yaml"
GUIDE = REPOSITORY / "docs" / "api.md"
REMEDY = "run: manage.py spectacular --fail-on-warn --file docs/openapi.yaml"


def test_the_committed_schema_is_up_to_date_and_without_warnings() -> None:
    out = io.StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", stdout=out)
    assert out.getvalue().strip() == COMMITTED.read_text().strip(), REMEDY


DESCRIBED = contract()
OPERATIONS = {
    f"{method} {path}": operation
    for path, operations in DESCRIBED["paths"].items()
    for method, operation in operations.items()
}


def test_every_operation_can_answer_with_a_problem() -> None:
    """Those of its own, and any other; ``make redocly`` holds more rules."""
    refusals = DESCRIBED["components"]["responses"]
    assert all(list(found["content"]) == ["application/problem+json"] for found in refusals.values())
    for name, operation in OPERATIONS.items():
        found = operation["responses"]
        assert found["default"] == {"$ref": "#/components/responses/OtherError"}, name
        assert {"400", "401", "429"} <= found.keys(), name
        assert ("404" in found) or "{" not in name, name


def test_every_operation_has_a_summary_of_its_own() -> None:
    summaries = {name: operation.get("summary", "") for name, operation in OPERATIONS.items()}
    assert {name for name, text in summaries.items() if not 5 < len(text) < 60 or text[-1] == "."} == set()
    assert len(set(summaries.values())) == len(OPERATIONS)


def test_every_operation_has_an_id_that_is_a_name_in_any_language() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert [name for name in ids if not re.fullmatch("[a-z][a-z_]+", name)] == []
    assert len(set(ids)) == len(ids)


def test_the_description_says_where_it_is_served_who_may_and_under_which_licence() -> None:
    assert [server["url"] for server in DESCRIBED["servers"]] == ["/"]
    assert DESCRIBED["info"]["license"] == {"name": "MIT", "identifier": "MIT"}
    schemes = DESCRIBED["components"]["securitySchemes"].keys()
    for name, operation in OPERATIONS.items():
        assert {scheme for needed in operation["security"] for scheme in needed} == schemes, name


def parts_of(described: Any) -> Iterator[dict[str, Any]]:
    """Every mapping of the description, however deep."""
    if isinstance(described, dict):
        yield described
    for inner in described.values() if isinstance(described, dict) else described:
        if isinstance(inner, dict | list):
            yield from parts_of(inner)


def test_null_is_a_type_as_in_openapi_3_1() -> None:
    assert DESCRIBED["openapi"].startswith("3.1.")
    assert not [part for part in parts_of(DESCRIBED) if "nullable" in part]
    assert [part for part in parts_of(DESCRIBED) if "null" in (part.get("type") or [])]


def test_choices_are_named_wherever_they_are_read_or_sent() -> None:
    named = {
        "fault_policy": "FaultPolicy",
        "scoring": "Scoring",
        "tie_breaks": "TieBreak",
        "scopes": "TokenScope",
    }
    schemas = DESCRIBED["components"]["schemas"]
    assert all(schemas[name]["enum"] for name in named.values())
    seen = set()
    for schema in schemas.values():
        for field, value in schema.get("properties", {}).items():
            if field in named:
                seen.add(field)
                choice = value.get("items", value)
                reference = choice.get("allOf", [choice])[0]
                assert reference == {"$ref": f"#/components/schemas/{named[field]}"}
    assert seen == named.keys()


FILES = {
    "/tables/{table}/record": "application/x-ndjson",
    "/tables/{table}/timings": "application/x-ndjson",
    "/tournaments/{tournament}/export": "application/zip",
    "/tournaments/{tournament}/export.ndjson": "application/x-ndjson",
}


def test_files_are_described_as_bytes() -> None:
    for path, kind in FILES.items():
        content = OPERATIONS[f"get /api/v1{path}"]["responses"]["200"]["content"]
        assert list(content) == [kind, OCTET_STREAM]
        assert all(part == {"schema": {"type": "string", "format": "binary"}} for part in content.values())


@pytest.mark.django_db
def test_files_are_sent_as_octets_to_those_who_prefer_them(world: World) -> None:
    things = {"{table}": world.open_table.public_id, "{tournament}": world.event.public_id}
    for path, kind in FILES.items():
        for place, thing in things.items():
            path = path.replace(place, thing)
        query = "?seat=1" if "timings" in path else ""
        for accepted, sent in (
            (None, kind),
            ("*/*", kind),
            (OCTET_STREAM, OCTET_STREAM),
            ("text/html", kind),
        ):
            headers = {"Accept": accepted} if accepted else {}
            answer = caller(sota()).get(f"/api/v1{path}{query}", headers=headers)
            assert (answer.status_code, answer["Content-Type"]) == (200, sent), path


@pytest.mark.django_db
def test_the_guide_names_only_addresses_that_exist() -> None:
    paths = set(re.findall(r"\$API(/[^\s'\"?)`]*)", GUIDE.read_text()))
    assert len(paths) > 12
    for path in paths:
        address = re.sub(r"\$\w+", "x", path)
        assert resolve(f"/api/v1{address}").url_name != "nowhere", path


@pytest.mark.django_db
def test_the_address_of_the_description_leads_to_the_reference() -> None:
    assert caller(aya()).get("/api/v1/docs")["Location"] == "/docs/reference"
    assert caller().get("/api/v1/schema").status_code == 200
