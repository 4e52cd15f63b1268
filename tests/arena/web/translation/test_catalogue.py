"""The Japanese catalogue: whole, compiled, with every placeholder; and no text of the pages outside of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.utils import translation

import arena.web
from tests.arena.web.translation.catalogue import (
    LANGUAGES,
    collected,
    is_translated,
    key_of,
    messages_of_template,
    mo_bytes,
    mo_path,
    po_path,
    read,
)
from tests.arena.web.translation.unmarked import unmarked_words

ARENA = Path(arena.web.__file__).parent.parent
TEMPLATES = {path.as_posix().partition("/templates/")[2]: path for path in ARENA.rglob("templates/**/*.html")}
FOR_AUTHORS = re.compile(
    r"(?:web/(?:positions/|faults?\.html|_faults\.html|reference|account/|author/|organise/)|admin/|integrity/|imports/(?:upload|delete)"
    r"|courses/(?:form|member\.|invitations|account))"
)
"""What only authors and organisers read: fault reports, the reference of the API, accounts. In English."""
PLACES = re.compile(r"%\(\w+\)[sd]|%%|\{\w+\}|</?(?:a|b|code|em|strong)\b|href=\"[^\"]*\"")

pytestmark = pytest.mark.parametrize("language", LANGUAGES)


def test_every_text_of_the_sources_has_its_translation_and_nothing_else_is_there(language: str) -> None:
    wanted = {key_of(message) for message in collected() if message.id}
    catalogue = read(language)
    assert {key_of(message) for message in catalogue if message.id} == wanted, "make words"
    assert [key_of(message) for message in catalogue if message.id and not is_translated(message)] == []


def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    assert mo_path(language).read_bytes() == mo_bytes(language), "make words"
    assert po_path(language).read_text().count("#, fuzzy") == 0


def test_pages_say_what_stands_in_the_catalogue_and_not_what_django_has_for_the_same_words(
    language: str,
) -> None:
    other = {}
    with translation.override(language):
        for message in read(language):
            context, text, plural = key_of(message)
            if not text:
                continue
            strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
            said = (
                translation.npgettext(context, text, plural, 2)
                if context and plural
                else translation.pgettext(context, text)
                if context
                else translation.ngettext(text, plural, 2)
                if plural
                else translation.gettext(text)
            )
            if said != strings[-1]:
                other[text] = said
    assert other == {}


def test_translations_have_the_placeholders_and_tags_of_their_texts(language: str) -> None:
    for message in read(language):
        if not message.id:
            continue
        _context, text, plural = key_of(message)
        strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
        for string in strings:
            # The many is the form that a language without plurals translates.
            wanted = sorted(set(PLACES.findall(plural or text)))
            assert sorted(set(PLACES.findall(string))) == wanted, string


def test_no_text_of_a_page_stands_outside_of_the_catalogue(language: str) -> None:
    found = {}
    for name, path in sorted(TEMPLATES.items()):
        if not FOR_AUTHORS.match(name) and (words := unmarked_words(path.read_text())):
            found[name] = words
    assert found == {}


def test_texts_of_every_form_are_found(language: str) -> None:
    source = """{% load i18n %}{% translate "one" %}{% translate 'two' context "c" as x %}<p title="three">
        {% blocktranslate trimmed count n=2 %}a {{ n }} card{% plural %}{{ n }} "cards" (all)
        {% endblocktranslate %}{% include "x" with y=_("four") %}{# _("none") #}"""
    assert set(messages_of_template(source)) == {
        (None, "one", None),
        ("c", "two", None),
        (None, "a %(n)s card", '%(n)s "cards" (all)'),
        (None, "four", None),
    }
    assert unmarked_words(source) == ["three"]
    assert unmarked_words("<p>{{ a }} of {% translate 'many' %} <code>x y</code>, UTC</p>") == ["of"]
