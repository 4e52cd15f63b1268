"""Links from names of presets, options, codes and verdicts to what explains them."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.web.documents.rulebook import options, presets


def preset_link(preset: str) -> SafeString:
    """The name of a preset, linking to its page; of one that this version has not, the name alone."""
    if preset not in presets():
        return format_html("{}", preset)
    return format_html('<a href="{}">{}</a>', reverse("web:preset", args=[preset]), preset)


def option_link(preset: str, label: str) -> SafeString:
    """The name of an option, with spaces or not, linking to what it means for a preset."""
    name = label.replace(" ", "_")
    if preset not in presets() or name not in {option.name for option in options(preset)}:
        return format_html("{}", label)
    return format_html('<a href="{}#{}">{}</a>', reverse("web:preset", args=[preset]), name, label)
