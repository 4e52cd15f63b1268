"""Forms that are shown once more with what was typed, and with what of them must be new."""

from __future__ import annotations

from typing import TypeVar

from django import forms
from django.http import HttpRequest

from arena.roster.models import BotVersion
from arena.web.base.access import new_form_key

Form = TypeVar("Form", bound=forms.Form)


def same_files_text(version: BotVersion) -> str:
    """Why an upload made no version."""
    return f"{version} has exactly these files: no new version was made."


def resubmittable_form(form: type[Form], request: HttpRequest, **fresh: str) -> Form:
    """The same form as it was sent, ready to be sent as another one; ``fresh`` replaces values in it."""
    data = request.POST.copy()
    for name, value in {"once": new_form_key(), **fresh}.items():
        data[name] = value
    return form(data, request.FILES)
