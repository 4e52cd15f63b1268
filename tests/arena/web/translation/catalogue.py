"""Texts for translation: from templates and code into ``django.po``, and from there into ``django.mo``.

``make words`` runs it. Django turns a template into what looks like Python, the calls in it are read
by Python's own parser, and Babel reads, writes and compiles catalogues. The system needs no gettext.
"""

from __future__ import annotations

import ast
import datetime
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from analysis.position_errors import LOCATED, MESSAGES
from arena.web.base.documents import files, rulebook
from arena.web.base.documents.markdown import table_below
from league.formats import all_formats
from referee.explanations import EXPLANATIONS
from viewer import seat_view
from viewer.catalogue import with_texts
from viewer.english import ENGLISH
from viewer.games import families

REPOSITORY = Path(__file__).resolve().parents[4]
SOURCES = REPOSITORY / "platform/arena"
LOCALE = SOURCES / "web/locale"
LANGUAGES = ("ja",)
DOMAIN = "django"
VIEWER: dict[str, Any] = {"replay": ENGLISH, "sitting": seat_view.texts.ENGLISH}
"""Tables of the viewer's words, by the beginning of the context of each."""
NO_DATE = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""In place of the present time: the same text gives the same bytes."""

# Names of the functions, and which arguments are context, singular and plural.
CALLS: dict[str, tuple[int | None, int, int | None]] = {
    "_": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}


def po_path(language: str) -> Path:
    """The catalogue as people write it."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def mo_path(language: str) -> Path:
    """The catalogue as Django reads it."""
    return po_path(language).with_suffix(".mo")


def source_files() -> Iterator[Path]:
    """All files that may hold texts of pages, in order."""
    yield from sorted(SOURCES.rglob("*.py"))
    yield from sorted(SOURCES.rglob("templates/**/*.html"))


def messages_of(path: Path) -> Iterator[tuple[str | None, str, str | None]]:
    """Context, text and plural of each message in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        yield from messages_of_template(text, str(path))
    elif "gettext" in text:
        yield from messages_of_code(ast.parse(text))


def messages_of_template(text: str, origin: str = "template") -> Iterator[tuple[str | None, str, str | None]]:
    """The messages of a template.

    >>> list(messages_of_template('{% load i18n %}<p>{% translate "Bots" %}</p>'))
    [(None, 'Bots', None)]
    """
    source = templatize(text, origin=origin)
    for call in calls_in(source):
        yield from messages_of_code(ast.parse(call))


def calls_in(source: str) -> Iterator[str]:
    """The calls in what Django made of a template; the rest of it is no Python."""
    for name in ("npgettext", "pgettext", "ngettext", "gettext", "_"):
        at = 0
        while (at := source.find(f" {name}(", at)) >= 0:
            yield _call_from(source, at + 1)
            at += 1


def _call_from(source: str, start: int) -> str:
    end = source.index("(", start)
    while (end := source.find(")", end + 1)) >= 0:
        call = " ".join(source[start : end + 1].splitlines())
        try:
            ast.parse(call)
        except SyntaxError:
            continue
        return call
    raise ValueError(f"no call at {source[start : start + 60]!r}")


def messages_of_code(tree: ast.AST) -> Iterator[tuple[str | None, str, str | None]]:
    """The messages of Python code: literal arguments of the functions in ``CALLS``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in CALLS:
            continue
        context_at, text_at, plural_at = CALLS[name]
        values = [arg.value if isinstance(arg, ast.Constant) else None for arg in node.args]
        if len(values) <= max(text_at, plural_at or 0) or not isinstance(values[text_at], str):
            continue
        context: Any = None if context_at is None else values[context_at]
        plural: Any = None if plural_at is None else values[plural_at]
        yield context, str(values[text_at]), plural


def collected() -> Catalog:
    """All messages of the sources, with the files they stand in."""
    catalog = Catalog(domain=DOMAIN, charset="utf-8")
    for path in source_files():
        place = (str(path.relative_to(REPOSITORY)), None)
        for context, text, plural in messages_of(path):
            catalog.add((text, plural) if plural else text, locations=[place], context=context)
    for key, found in all_formats().items():
        catalog.add(found.title, locations=[(f"platform/league/formats/{key}.py", None)])
    for text in (LOCATED, *MESSAGES.values()):
        catalog.add(text, locations=[("platform/analysis/position_errors.py", None)], context="position")
    for explanation in EXPLANATIONS.values():
        catalog.add(explanation.text, locations=[("platform/referee/explanations.py", None)], context="check")
    for family in families().values():
        for text in filter(None, (family.summary, *family.variants.values())):
            catalog.add(text, locations=[("platform/viewer/games", None)], context="game")
    for path, kind, tables in [
        *((rulebook.rules_path(key), "option", ("Options", "Option")) for key in rulebook.pages()),
        (rulebook.GLOSSARY, "term", ("Glossary",)),
    ]:
        for *_, meaning in table_below(files.read_document(path), *tables)[1:]:
            catalog.add(meaning, locations=[(path, None)], context=kind)
    for name, table in VIEWER.items():
        place = (f"platform/{type(table).__module__.replace('.', '/')}.py", None)

        def add(context: str, text: str, place: tuple[str, None] = place) -> str:
            catalog.add(text, locations=[place], context=context)
            return text

        with_texts(table, name, add)
    return catalog


def read(language: str) -> Catalog:
    """The catalogue of a language; an empty one if there is none."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language, domain=DOMAIN, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def key_of(message: Any) -> tuple[str | None, str, str | None]:
    """Context, text and plural of a message of a catalogue."""
    text, plural = message.id if isinstance(message.id, tuple | list) else (message.id, None)
    return message.context, text, plural


def merged(language: str) -> Catalog:
    """The messages of the sources with the translations there are, without those gone from the sources."""
    known = {key_of(message): message for message in read(language) if message.id}
    catalog = Catalog(
        locale=language,
        domain=DOMAIN,
        project="Rensho",
        charset="utf-8",
        fuzzy=False,
        header_comment="# Texts of the pages. Written by: make words",
    )
    catalog.mime_headers = [("Language", language)]  # type: ignore[misc]
    for message in collected():
        if not message.id:
            continue
        old = known.get(key_of(message))
        catalog.add(
            message.id,
            string=old.string if old else None,
            locations=message.locations,
            context=message.context,
            flags=old.flags if old else (),
        )
    return catalog


def po_bytes(catalog: Catalog) -> bytes:
    """The catalogue as text, in one order and without times."""
    file = io.BytesIO()
    write_po(file, catalog, width=100, sort_output=True, omit_header=True, include_lineno=False)
    return header_bytes(str(catalog.locale)) + file.getvalue()


def header_bytes(language: str) -> bytes:
    """The first entry: what Django and editors need to know, and no dates."""
    plural = "nplurals=1; plural=0;" if language == "ja" else "nplurals=2; plural=(n != 1);"
    lines = (
        "# Texts of the pages. `make words` collects new ones and compiles them.",
        'msgid ""',
        'msgstr ""',
        f'"Language: {language}\\n"',
        '"MIME-Version: 1.0\\n"',
        '"Content-Type: text/plain; charset=utf-8\\n"',
        '"Content-Transfer-Encoding: 8bit\\n"',
        f'"Plural-Forms: {plural}\\n"',
        "",
        "",
    )
    return "\n".join(lines).encode()


def mo_bytes(language: str) -> bytes:
    """The compiled form of the catalogue as it stands."""
    catalog = read(language)
    catalog.revision_date = catalog.creation_date = NO_DATE
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def update(language: str) -> list[str]:
    """Write both files; returns the messages that lack a translation."""
    catalog = merged(language)
    po_path(language).parent.mkdir(parents=True, exist_ok=True)
    po_path(language).write_bytes(po_bytes(catalog))
    mo_path(language).write_bytes(mo_bytes(language))
    return [key_of(message)[1] for message in catalog if message.id and not is_translated(message)]


def is_translated(message: Any) -> bool:
    """Whether every form of a message has a text that somebody has read."""
    strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(strings) and "fuzzy" not in message.flags
