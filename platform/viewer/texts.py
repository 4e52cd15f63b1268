"""Texts of the viewer in English or a language of the site's catalogue."""

from __future__ import annotations

import dataclasses
from functools import cache

from viewer.catalogue import has_catalogue, translate_table
from viewer.english import ENGLISH
from viewer.vocabulary import NO_TEXTS, ViewerTexts, loss_text, milliseconds, signed

__all__ = ["ENGLISH", "NO_TEXTS", "ViewerTexts", "loss_text", "milliseconds", "signed", "viewer_texts"]


def viewer_texts(language: str) -> ViewerTexts:
    """Return the texts of a language such as ``ja`` or ``ja-jp``; English without a catalogue."""
    code = language.lower().split("-")[0]
    return _translated_texts(code) if has_catalogue(code) else ENGLISH


@cache
def _translated_texts(language: str) -> ViewerTexts:
    return dataclasses.replace(translate_table(ENGLISH, "replay", language), language=language)
