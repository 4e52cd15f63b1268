"""The committed description of the API is the API's own."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import resolve

from tests.arena.api.conftest import caller
from tests.factories import aya

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "docs" / "openapi.yaml"
GUIDE = REPOSITORY / "docs" / "api.md"
REMEDY = "run: manage.py spectacular --fail-on-warn --file docs/openapi.yaml"


def test_the_committed_schema_is_up_to_date_and_without_warnings() -> None:
    out = io.StringIO()
    call_command("spectacular", "--fail-on-warn", "--validate", stdout=out)
    assert out.getvalue().strip() == COMMITTED.read_text().strip(), REMEDY


def test_every_operation_can_answer_with_a_problem() -> None:
    text = COMMITTED.read_text()
    assert text.count("operationId:") == text.count("application/problem+json")


@pytest.mark.django_db
def test_the_guide_names_only_addresses_that_exist() -> None:
    paths = set(re.findall(r"\$API(/[^\s'\"?)`]*)", GUIDE.read_text()))
    assert len(paths) > 12
    for path in paths:
        address = re.sub(r"\$\w+", "x", path)
        assert resolve(f"/api/v1{address}").url_name != "nowhere", path


@pytest.mark.django_db
def test_docs_and_schema_are_served_from_here_alone() -> None:
    page = caller(aya()).get("/api/v1/docs")
    text = page.content.decode()
    assert page.status_code == 200
    assert not re.findall(r"(?:src|href)=\"https?://", text)
    assert "'unsafe-inline'" in page["Content-Security-Policy"]
    assert "script-src" not in page["Content-Security-Policy"]
    assert not re.search(r"<script>", text), "scripts must be files: the policy forbids inline ones"
    assert caller().get("/api/v1/schema").status_code == 200
