"""Rules and documentation: the same for everybody, made of the files of this version."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from arena.common.errors import NotFound
from arena.web.documents import library, rulebook
from arena.web.errors import page as error_pages

GAMES = ("kakeya", "etori", "kakkuri")
LEARNT: dict[str, str] = {}
"""Each game in five minutes."""


@require_safe
@error_pages
def rules(request: HttpRequest) -> HttpResponseBase:
    """The games, with their presets."""
    context = {"nav": "rules", "presets": rulebook.presets().values()}
    return render(request, "web/rules.html", context)


@require_safe
@error_pages
def rules_page(request: HttpRequest, page: str) -> HttpResponseBase:
    """A game in five minutes and then its rules in full; what all games share; the glossary."""
    if page == "glossary":
        return render(request, "web/glossary.html", {"nav": "rules-page", "terms": rulebook.glossary()})
    if page not in library.RULES_KEYS:
        raise NotFound("There are no rules of that name. All of them are at /rules.", "no_such_address")
    context = {
        "nav": "rules-page",
        "key": page,
        "page": library.rules_document(page),
        "learnt": LEARNT.get(page),
        "presets": [preset for preset in rulebook.presets().values() if preset.page == page],
    }
    return render(request, "web/rules_page.html", context)


@require_safe
@error_pages
def preset(request: HttpRequest, preset: str) -> HttpResponseBase:
    """A preset, with all its options explained."""
    found = rulebook.preset_named(preset)
    context = {"nav": "rules-page", "preset": found, "options": rulebook.options(preset)}
    return render(request, "web/preset.html", context)


@require_safe
@error_pages
def docs(request: HttpRequest) -> HttpResponseBase:
    """The list of documents."""
    return _document(request, "")


@require_safe
@error_pages
def docs_page(request: HttpRequest, page: str) -> HttpResponseBase:
    """One of the documents."""
    if page.startswith("rules/"):
        return redirect("web:rules-page", page.removeprefix("rules/"))
    return _document(request, page)


def _document(request: HttpRequest, key: str) -> HttpResponseBase:
    context = {
        "nav": "docs-page" if key else "docs",
        "key": key,
        "page": library.document(key),
        "sections": library.sections(),
    }
    return render(request, "web/document.html", context)
