"""Pages of rules and documents, from the files of this version; the same for all visitors."""

from __future__ import annotations

import functools

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from arena.common.game_titles import game_name
from arena.web.base.documents import collection, examples, rulebook
from arena.web.base.documents.markdown import render_inline
from arena.web.base.documents.reference import operations
from arena.web.base.errors import handle_errors as error_pages
from arena.web.site.home import card_symbols
from viewer.cards import Deck, deck_symbols


@require_safe
@error_pages
def rules(request: HttpRequest) -> HttpResponseBase:
    context = {
        "nav": "rules",
        "games": [(key, family, _presets(key)) for key, family in rulebook.pages().items()],
        "symbols": SafeString(card_symbols()),
    }
    return render(request, "web/rules.html", context)


@require_safe
@error_pages
def rules_page(request: HttpRequest, page: str) -> HttpResponseBase:
    """Render the introduction and the rules of a game, the common rules, or the glossary."""
    if page == "glossary":
        return render(
            request,
            "web/glossary.html",
            {"nav": "rules-page", "terms": rulebook.glossary(get_language() or "en")},
        )
    document = collection.rules_document(page)
    family = rulebook.pages().get(page)
    is_named = family is not None and get_language() != settings.LANGUAGE_CODE
    context = {
        "nav": "rules-page",
        "key": page,
        "page": document,
        "name": game_name(page) if is_named else document.title,
        "title": game_name(page) if is_named else render_inline(document.title),
        "learnt": _introduction(page),
        "examples": examples,
        "symbols": _symbols(family.deck) if family else "",
        "presets": _presets(page),
    }
    return render(request, "web/rules_page.html", context)


@require_safe
@error_pages
def preset(request: HttpRequest, preset: str) -> HttpResponseBase:
    preset_page = rulebook.preset_named(preset)
    context = {
        "nav": "rules-page",
        "preset": preset_page,
        "options": rulebook.options(preset, get_language() or "en"),
        "others": [other for other in _presets(preset_page.page) if other.name != preset],
    }
    return render(request, "web/preset.html", context)


@require_safe
@error_pages
def docs(request: HttpRequest) -> HttpResponseBase:
    return _document(request, "")


@require_safe
@error_pages
def docs_page(request: HttpRequest, page: str) -> HttpResponseBase:
    if page.startswith("rules/"):
        return redirect("web:rules-page", page.removeprefix("rules/"))
    return _document(request, page)


@require_safe
@error_pages
def reference(request: HttpRequest) -> HttpResponseBase:
    context = {"nav": "docs-page", "tags": operations.tags(), "common": operations.common_parameters()}
    return render(request, "web/reference.html", context)


@require_safe
@error_pages
def reference_page(request: HttpRequest, tag: str) -> HttpResponseBase:
    context = {"nav": "docs-page", "tags": operations.tags(), "tag": operations.tag_named(tag)}
    return render(request, "web/reference_page.html", context)


def _document(request: HttpRequest, key: str) -> HttpResponseBase:
    context = {
        "nav": "docs-page" if key else "docs",
        "key": key,
        "page": collection.document(key),
        "sections": collection.sections(),
    }
    return render(request, "web/document.html", context)


def _introduction(page: str) -> str | None:
    """Return the template of a game's introduction; None if there is none."""
    name = f"web/learn/_{page}.html"
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return None
    return name


def _presets(page: str) -> list[rulebook.Preset]:
    return [preset for preset in rulebook.presets().values() if preset.page == page]


@functools.cache
def _symbols(deck: Deck) -> SafeString:
    """Return the SVG symbols of the cards on a page."""
    return SafeString(_without_french(deck_symbols(deck)))


def _without_french(sheet: str) -> str:
    """Remove the French deck from the symbols of Kakkuri; only the replay's script uses it."""
    return sheet.partition("<template")[0]
