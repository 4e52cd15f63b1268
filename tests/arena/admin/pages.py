"""Looking at pages of the admin."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from arena.admin.read_only import ReadOnlyPage

OURS: list[type[Model]] = [model for model in apps.get_models() if model.__module__.startswith("arena.")]
OWNED = [
    model
    for model in OURS
    if isinstance(page := admin.site._registry.get(model), ReadOnlyPage) and page.owner_path
]
"""Models of which organisers see their own rows."""


def name_of(model: type[Model]) -> str:
    """What the pages of a model are called, such as ``admin:matches_table``."""
    return f"admin:{model._meta.app_label}_{model._meta.model_name}"


def list_url(model: type[Model]) -> str:
    """Where its rows are listed."""
    return reverse(f"{name_of(model)}_changelist")


def row_url(row: Model) -> str:
    """The page of a row."""
    return reverse(f"{name_of(type(row))}_change", args=[row.pk])


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


def do(client: Client, rows: Iterable[Model], key: str, **asked: Any) -> str:
    """Confirm a action; the text of the page it leads to."""
    found = list(rows)
    url = reverse(f"{name_of(type(found[0]))}_do", args=[key])
    answer = client.post(f"{url}?ids={','.join(str(row.pk) for row in found)}", asked, follow=True)
    assert answer.status_code == 200, (key, answer.status_code)
    return html.unescape(answer.content.decode())
