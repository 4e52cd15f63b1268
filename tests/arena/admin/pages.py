"""Pages of the admin, and what they ask of the database."""

from __future__ import annotations

import html
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.admin.read_only import list_url as list_url
from arena.admin.read_only import row_url

OURS: list[type[Model]] = [model for model in apps.get_models() if model.__module__.startswith("arena.")]


def page_of(row: Model) -> str:
    """The page of a row."""
    return row_url(type(row), row.pk)


def text_of(client: Client, url: str, **query: Any) -> str:
    """The text of a page that must be there."""
    answer = client.get(url, query)
    assert answer.status_code == 200, (url, query, answer.status_code)
    return html.unescape(answer.content.decode())


def listed(client: Client, model: type[Model], **query: Any) -> list[Any]:
    """The keys of the rows a list shows."""
    answer = client.get(list_url(model), query)
    assert answer.status_code == 200, (model, query, answer.status_code)
    return [row.pk for row in answer.context["cl"].result_list]


def statements(client: Client, url: str) -> list[str]:
    """What a page asks of the database."""
    with CaptureQueriesContext(connection) as caught:
        client.get(url)
    return [query["sql"] for query in caught]
