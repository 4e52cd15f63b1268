"""Text of templates that nobody can translate: words outside of the tags of translation."""

from __future__ import annotations

import html
import re

from django.template.base import Lexer, TokenType

WORD = re.compile(r"[A-Za-z]{2,}")
SPOKEN = re.compile(r'\s(?:aria-label|title|alt|placeholder|aria-description)="([^"]*)"')
HIDDEN = re.compile(r"<(code|pre|kbd|script)\b.*?</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]*>", re.DOTALL)
NAMES = re.compile(r"\b(?:Rensho|UTC|API|Kakeya(?: Toranpu)?|Etori|Kakkuri)\b")
"""The same in every language."""
VALUE = "\0"


def unmarked_words(source: str) -> list[str]:
    """Pieces of text in a template outside of translate and blocktranslate, spoken attributes included.

    >>> unmarked_words('<p title="Name">{{ x }} of {% translate "many" %}</p>')
    ['Name', 'of']
    """
    pieces = []
    is_within = is_comment = False
    for token in Lexer(source).tokenize():
        words = token.split_contents() if token.token_type == TokenType.BLOCK else []
        match words[:1]:
            case ["blocktranslate" | "blocktrans"]:
                is_within = True
            case ["endblocktranslate" | "endblocktrans"]:
                is_within = False
            case ["comment"]:
                is_comment = True
            case ["endcomment"]:
                is_comment = False
        if token.token_type == TokenType.TEXT and not is_within and not is_comment:
            pieces.append(token.contents)
        elif token.token_type in (TokenType.VAR, TokenType.BLOCK):
            pieces.append(VALUE)
    text = HIDDEN.sub(VALUE, "".join(pieces))
    found = [*SPOKEN.findall(text), *TAG.sub(VALUE, text).split(VALUE)]
    plain = (" ".join(html.unescape(NAMES.sub("", piece)).split()) for piece in found)
    return [piece for piece in plain if WORD.search(piece.replace(VALUE, " "))]
