"""Everything a request may hold has a limit, which the description of the API states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from arena.accounts.models import ApiToken
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import a_tournament, aya, odo
from tests.openapi import contract

CONTRACT = contract()
MANY = 3_000


def unbounded(described: Mapping[str, Any], where: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    """Each part of a schema that may be of any size."""
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        if name not in above:
            yield from unbounded(CONTRACT["components"]["schemas"][name], name, (*above, name))
        return
    parts = [part for key in ("allOf", "oneOf", "anyOf") for part in described.get(key, ())]
    for part in parts:
        yield from unbounded(part, where, above)
    if parts or "enum" in described:
        return
    if isinstance(described.get("type"), list):
        for kind in described["type"]:
            yield from unbounded({**described, "type": kind}, where, above)
        return
    match described.get("type"):
        case "string":
            # The upload: settings.BUNDLE_UPLOAD_BYTES_MAX bounds it, and GET /limits says so.
            if "maxLength" not in described and described.get("format") != "binary":
                yield f"{where}: text without maxLength"
        case "integer" | "number":
            if "minimum" not in described or "maximum" not in described:
                yield f"{where}: number without minimum and maximum"
        case "array":
            if "maxItems" not in described:
                yield f"{where}: list without maxItems"
            yield from unbounded(described["items"], f"{where}[]", above)
        case "object":
            values = described.get("additionalProperties")
            if (values or "properties" not in described) and "maxProperties" not in described:
                yield f"{where}: object without maxProperties"
            if values:
                yield from unbounded(values, f"{where}{{}}", above)
            for name, inner in described.get("properties", {}).items():
                yield from unbounded(inner, f"{where}.{name}", above)
        case "boolean" | "null":
            pass
        case _:
            yield f"{where}: anything at all"


def test_every_part_of_every_request_has_a_stated_bound() -> None:
    found, looked_at = [], 0
    for path, operations in CONTRACT["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                looked_at += 1
                where = f"{method} {path} {parameter['in']} {parameter['name']}"
                found += unbounded(parameter["schema"], where)
            for kind, body in operation.get("requestBody", {}).get("content", {}).items():
                looked_at += 1
                found += unbounded(body["schema"], f"{method} {path} {kind}")
    assert looked_at > 150
    assert sorted(set(found)) == []


LISTS = [
    ("/api/v1/tokens", {"name": "x"}, "scopes", "read"),
    ("/api/v1/challenges", {"preset": "kakeya4"}, "versions", "abc"),
    ("/api/v1/tournaments", {"name": "x", "preset": "kakeya4"}, "stages", {"format": "swiss"}),
    ("/api/v1/tournaments", {"name": "x", "preset": "kakeya4"}, "tie_breaks", "wins"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "body", "field", "item"), LISTS)
def test_a_list_is_counted_before_its_items_are_looked_at(
    path: str, body: dict[str, Any], field: str, item: Any
) -> None:
    answer = caller(odo()).post(path, {**body, field: [item] * MANY})
    found = check(answer, 400, "invalid")
    assert found["errors"][0]["field"] == field
    assert found["errors"][0]["code"] == "max_length"
    # Items that are wrong, too, are not listed: nobody looked at them.
    found = check(caller(odo()).post(path, {**body, field: [{"": 1}] * MANY}), 400, "invalid")
    assert {error["field"] for error in found["errors"]} == {field}


@pytest.mark.django_db
@pytest.mark.parametrize("field", ["ruleset", "stages"])
def test_options_are_counted_and_are_plain_values(field: str) -> None:
    for options in (
        {f"option{number}": 1 for number in range(MANY)},
        {"x" * 5000: 1},
        {"hand_cap": "x" * 5000},
        {"hand_cap": {"deep": [1]}},
        {"hand_cap": 10**40},
        {"hand_cap": 1.5},
    ):
        value = options if field == "ruleset" else [{"format": "swiss", "options": options}]
        body = {"name": "x", "preset": "kakeya4", field: value}
        found = check(caller(odo()).post("/api/v1/tournaments", body), 400, "invalid")
        assert found["errors"][0]["field"].startswith(field)
        assert len(found["detail"]) <= 500


@pytest.mark.django_db
def test_a_filter_is_given_no_more_often_than_there_are_choices() -> None:
    query = "&".join(["state=draft"] * 20)
    found = check(caller(odo()).get(f"/api/v1/tournaments?{query}"), 400, "invalid")
    assert found["errors"][0]["field"] == "state"


@pytest.mark.django_db
def test_a_text_with_nul_is_refused_as_the_description_says() -> None:
    parameters = [
        parameter
        for operations in CONTRACT["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] != "header"  # HTTP lets none through
        and parameter["schema"].get("type") == "string"
        and not {"enum", "format"} & parameter["schema"].keys()
    ]
    assert parameters
    taken = [p["name"] for p in parameters if re.search(p["schema"].get("pattern", ""), "a\0b")]
    assert taken == []
    problem = check(caller(aya()).get("/api/v1/challenges?preset=a%00b"), 400, "invalid")
    assert problem["errors"][0]["field"] == "preset"


@pytest.mark.django_db
@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2" * 5000])
def test_a_moment_out_of_time_is_refused(moment: str) -> None:
    event = a_tournament()
    client = caller(odo())
    for name, path in (
        ("since", "/api/v1/audit"),
        ("as_of", f"/api/v1/tournaments/{event.public_id}/standings"),
    ):
        if len(moment) < 100 or name == "since":
            found = check(client.get(path, {name: moment[:1000]}), 400, "invalid")
            assert found["errors"][0]["field"] == name
    body = {"name": "x", "preset": "kakeya4", "closes_at": moment}
    found = check(client.post("/api/v1/tournaments", body), 400, "invalid")
    assert found["errors"][0]["field"] == "closes_at"
    body = {"name": "x", "scopes": ["read"], "expires_at": moment}
    check(client.post("/api/v1/tokens", body), 400, "invalid")


@pytest.mark.django_db
def test_as_many_as_the_limits_allow_are_taken() -> None:
    made = caller(aya()).post("/api/v1/tokens", {"name": "x", "scopes": ["read", "bots", "tokens"]})
    assert made.status_code == 201
    assert ApiToken.objects.filter(name="x").get().scopes == ["read", "bots", "tokens"]
    stages = [{"format": "round_robin"}, *({"format": "round_robin", "qualify": 4} for _ in range(9))]
    body = {"name": "x", "preset": "kakeya4", "stages": stages}
    assert caller(odo()).post("/api/v1/tournaments", body).status_code == 201
