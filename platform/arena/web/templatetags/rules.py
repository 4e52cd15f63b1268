"""Links from what templates name to the page that explains it."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.web.documents.rulebook import presets

register = template.Library()


@register.simple_tag
def preset_link(preset: str) -> SafeString:
    """The name of a preset, linking to its page; of one that this version has not, the name alone."""
    if preset not in presets():
        return format_html("{}", preset)
    return format_html('<a href="{}">{}</a>', reverse("web:preset", args=[preset]), preset)
