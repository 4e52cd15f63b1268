"""What pages and answers may do: fetch through selectors, never build queries; templates that can be read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from django.template import Context, Template

from arena.mounts import FEATURES

ARENA = Path(__file__).resolve().parents[2] / "platform" / "arena"
EDGES = [path for edge in ("web", "api") for path in sorted((ARENA / edge).rglob("*.py"))]
MANAGERS = {"objects", "_default_manager", "_base_manager"}
QUERIES = {
    "aggregate",
    "annotate",
    "defer",
    "exclude",
    "filter",
    "in_bulk",
    "only",
    "order_by",
    "prefetch_related",
    "select_for_update",
    "select_related",
    "values_list",
}
TYPES = {"Model", "QuerySet"}
"""What they may take from ``django.db.models``: names for annotations."""
PAGINATION = ARENA / "api" / "base" / "paging.py"
"""Cuts any query of a list into pages, as DRF has it."""


def queries_built(source: str) -> Iterator[str]:
    """Every place of a module that reaches a manager or changes a query, as ``line: what``."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) if name in MANAGERS:
                yield f"{node.lineno}: .{name}"
            case ast.Call(func=ast.Attribute(attr=name)) if name in QUERIES:
                yield f"{node.lineno}: .{name}()"
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("django.db.models"):
                yield from (f"{node.lineno}: {alias.name}" for alias in names if alias.name not in TYPES)


def test_pages_and_answers_fetch_through_selectors() -> None:
    paths = [path for path in EDGES if path != PAGINATION]
    assert len(paths) > 100
    found = {str(path): list(queries_built(path.read_text())) for path in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        "Entry.objects.get(pk=1)",
        "model._default_manager.none()",
        "tournament.entries.select_related('player')",
        "visible(user).filter(state=state)",
        "from django.db.models import Q, QuerySet",
        "from django.db.models.functions import Coalesce",
    ],
)
def test_a_query_is_found(source: str) -> None:
    assert len(list(queries_built(source))) == 1


TEMPLATES = sorted(ARENA.rglob("templates/**/*.html"))
LINE_CHARACTERS = 120
STILL_TOO_LONG = 95
"""Lines that came with the translation, whose tags cannot be broken: to become fewer, never more."""


def nested_conditions(line: str) -> bool:
    """Whether a condition of a template begins inside another one on the same line."""
    depth = 0
    for tag in re.findall(r"{%\s*(if|endif)\b", line):
        depth += 1 if tag == "if" else -1
        if depth > 1:
            return True
    return False


def test_templates_have_short_lines_without_nested_conditions() -> None:
    assert len(TEMPLATES) > 40
    found = [
        f"{path.name}:{number}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LINE_CHARACTERS or nested_conditions(line)
    ]
    assert len(found) <= STILL_TOO_LONG, found


@pytest.mark.parametrize(
    ("line", "nested"),
    [
        ("{% if a %}x{% endif %} {% if b %}y{% endif %}", False),
        ("{% if a %}x{% elif b %}y{% endif %}", False),
        ("{% if a %}x{% if b %}y{% endif %}{% endif %}", True),
        ("{% endif %}{% if a %}x{% endif %}", False),
    ],
)
def test_a_nested_condition_is_found(line: str, nested: bool) -> None:
    assert nested_conditions(line) is nested


def test_joined_lines_keep_the_spaces_of_values() -> None:
    text = (
        "{% load rensho %}{% joined %}\n  a{{ value }}\n  {% if value %} b\n  {% endif %}\n{% endjoined %}c"
    )
    assert Template(text).render(Context({"value": "1\n 2"})) == "a1\n 2 bc"
    link = '{% load rensho %}{% joined %}\n  <a\n    href="{{ value }}">x</a>\n{% endjoined %}'
    assert Template(link).render(Context({"value": "/y"})) == '<a href="/y">x</a>'


WITH_THE_FEATURE = {
    "_home_ratings.html: rankings",
    "event.html: organise-integrity",
}
"""Links in parts that show something of the feature."""


def test_pages_of_the_core_link_to_those_of_a_feature_only_if_there_are_any() -> None:
    addresses = {
        pattern.name
        for feature in FEATURES
        if feature.urls
        for pattern in import_module(feature.urls).urlpatterns
    }
    fixed = re.compile(r"{% url 'web:([\w-]+)'(?![^%]* as \w+ %})")
    found = {
        f"{path.name}: {name}"
        for path in (ARENA / "web").rglob("*.html")
        for name in fixed.findall(path.read_text())
        if name in addresses
    }
    assert found == WITH_THE_FEATURE
