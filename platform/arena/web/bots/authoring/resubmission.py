"""Forms that are displayed again with the typed text, ready to be submitted again."""

from __future__ import annotations

from typing import TypeVar

from django import forms
from django.http import HttpRequest

from arena.roster.models import BotVersion
from arena.web.base.access import new_form_key

Form = TypeVar("Form", bound=forms.Form)


def same_files_text(version: BotVersion) -> str:
    return f"{version} already has exactly these files, so no new version was created."


def resubmittable_form(form: type[Form], request: HttpRequest, **fresh: str) -> Form:
    """Return the submitted form with a new idempotency key; ``fresh`` replaces other values."""
    data = request.POST.copy()
    for name, value in {"once": new_form_key(), **fresh}.items():
        data[name] = value
    return form(data, request.FILES)
