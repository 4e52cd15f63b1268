"""Presets, options and terms with their meanings, from the tables of docs/rules/.

Tests compare the tables with the presets, defaults and values of the engine.
"""

from __future__ import annotations

import functools
import html
import re
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import override, pgettext

from arena.common.errors import NotFound
from arena.common.game_titles import preset_title
from arena.competition.games import games_described, preset_options
from arena.web.base.documents import files
from arena.web.base.documents.collection import render_linked, rules_document
from arena.web.base.documents.markdown import table_below
from viewer.games import Family, families

GLOSSARY = "docs/rules/common.md"


class Option(NamedTuple):
    name: str
    value: str
    values: SafeString
    """Allowed values, the family's default first."""
    meaning: SafeString
    differs: bool
    """Whether it differs from the preset that names the family."""
    is_open: bool
    """Whether other values are allowed."""


class Preset(NamedTuple):
    name: str
    page: str
    """Page of its rules: its family."""
    game: str
    seats: str
    """``4``, or ``2 to 8``."""
    differences: SafeString
    """Differences from the defaults of its page."""

    @property
    def seats_range(self) -> str:
        """The seats, with a dash for a range.

        >>> presets()["kakkuri"].seats_range
        '2–8'
        """
        return self.seats.replace(" to ", "–")

    @property
    def has_choice_of_seats(self) -> bool:
        return not self.seats.isdigit()

    @property
    def is_plain(self) -> bool:
        """Whether all options have their defaults."""
        return self.differences.startswith("none")


class Term(NamedTuple):
    name: SafeString
    meaning: SafeString
    anchor: str


class RulesEntry(NamedTuple):
    """A term, preset or option that the search finds."""

    name: str
    address: str
    page: str
    """``glossary``, or the page of the rules with the preset or option."""
    meaning: str
    """Plain text; for a preset, its differences."""
    title: str = ""
    """Title of a preset in the language of the search."""

    @property
    def names(self) -> str:
        """Key and title, for the search."""
        return f"{self.name} {self.title}"


def pages() -> dict[str, Family]:
    """Return the families that have a page of rules, by key, in the order of the site."""
    return {key: family for key, family in families().items() if rules_path(key) in files.page_keys()}


def rules_path(family: str) -> str:
    return f"{files.RULES}{family}.md"


@functools.cache
def presets() -> dict[str, Preset]:
    games = {preset: game["key"] for game in games_described() for preset in game["presets"]}
    by_name = {}
    for page in pages():
        path = rules_path(page)
        for name, seats, differences in table_below(files.read_document(path), "Presets")[1:]:
            name = name.strip("`")
            by_name[name] = Preset(
                name, page, games[name], seats, SafeString(render_linked(path, differences))
            )
    return by_name


def preset_named(name: str) -> Preset:
    """Return a preset.

    Raises:
        NotFound: unknown name.
    """
    try:
        return presets()[name]
    except KeyError:
        raise NotFound(
            "There is no preset of this name. /rules lists all presets.", "unknown_preset"
        ) from None


@functools.cache
def options(name: str, language: str = "en") -> tuple[Option, ...]:
    """Return the options that apply to a preset, in the order of its page, with meanings in a language."""
    preset = preset_named(name)
    path = rules_path(preset.page)
    head, *rows = table_below(files.read_document(path), "Options", "Option")
    columns = {cell.strip("`"): index for index, cell in enumerate(head)}
    family = name if name in columns else name.rpartition(".")[0]
    column = columns[family]
    has = preset_options(name)
    usual = preset_options(family)
    return tuple(
        Option(
            option,
            format_value(has[option]),
            SafeString(render_linked(path, _values(row[column], language))),
            SafeString(
                render_linked(path, _meaning(preset.page, translate_meaning("option", row[-1], language)))
            ),
            has[option] != usual[option],
            row[column] != f"`{format_value(has[option])}`",
        )
        for row in rows
        if row[column] != "-"
        for option in [row[0].strip("`")]
    )


def translate_meaning(kind: str, meaning: str, language: str) -> str:
    """Return the translated meaning of an ``option`` or ``term``."""
    with override(language):
        return pgettext(kind, meaning)


def _values(cell: str, language: str) -> str:
    """Translate the allowed values of an option.

    >>> _values("`5`, or 1 to 1000", "ja"), _values("`5`, or 1 to 1000", "en")
    ('`5`、または1〜1000', '`5`, or 1 to 1000')
    """
    if language != "ja":
        return cell
    return re.sub(r", or (\d+) to (\d+)", r"、または\1〜\2", cell)


def _meaning(page: str, text: str) -> str:
    """Capitalise a meaning and link its decisions to their rows on the page."""
    anchors = rules_document(page).anchors

    def decision(match: re.Match[str]) -> str:
        anchor = match[0].lower()
        return f"[{match[0]}]({page}.md#{anchor})" if anchor in anchors else match[0]

    return re.sub(r"(?<!\[)\bD\d+\b", decision, text[:1].upper() + text[1:])


@functools.cache
def glossary(language: str = "en") -> tuple[Term, ...]:
    """Return the terms in the order of the rules, with meanings in a language."""
    rows = table_below(files.read_document(GLOSSARY), "Glossary")[1:]
    return tuple(
        Term(
            SafeString(render_linked(GLOSSARY, term)),
            SafeString(render_linked(GLOSSARY, translate_meaning("term", meaning, language))),
            re.match(r"[a-z0-9-]+", term.lower())[0],  # type: ignore[index]
        )
        for term, meaning in rows
    )


@functools.cache
def rules_entries(language: str = "en") -> tuple[RulesEntry, ...]:
    """Return all terms, presets and options; an option that several presets of a page have appears once."""
    entries = [
        RulesEntry(
            _plain_text(term.name),
            f"{reverse('web:rules-page', args=['glossary'])}#{term.anchor}",
            "glossary",
            _plain_text(term.meaning),
        )
        for term in glossary(language)
    ]
    of_presets: dict[tuple[str, str], RulesEntry] = {}
    for preset in presets().values():
        address = reverse("web:preset", args=[preset.name])
        with override(language):
            title = preset_title(preset.name)
        entries.append(RulesEntry(preset.name, address, preset.page, _plain_text(preset.differences), title))
        for option in options(preset.name, language):
            meaning = RulesEntry(
                option.name, f"{address}#{option.name}", preset.page, _plain_text(option.meaning)
            )
            of_presets.setdefault((option.name, preset.page), meaning)
    return (*entries, *of_presets.values())


def _plain_text(markup: str) -> str:
    return html.unescape(strip_tags(markup))


def format_value(value: Any) -> str:
    """Format a value as the pages display it.

    >>> format_value(None), format_value(True), format_value(5), format_value("S")
    ('none', 'true', '5', 'S')
    """
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
