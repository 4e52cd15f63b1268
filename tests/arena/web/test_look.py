"""What style sheet and templates show without eyes: contrast, no code in the pages, forms with tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import arena.web
import viewer

WEB = Path(arena.web.__file__).parent
FEATURES = WEB.parent / "features"
CSS = (WEB / "static/web/rensho.css").read_text()
TEMPLATES = sorted([*(WEB / "templates").rglob("*.html"), *FEATURES.rglob("templates/**/*.html")])
VIEWER = Path(viewer.__file__).parent
SHEETS = [
    *sorted((WEB / "static/web").glob("*.css")),
    *sorted(FEATURES.glob("*/static/**/*.css")),
    *sorted((VIEWER / "static").glob("*.css")),
    VIEWER / "page.py",
]
READABLE = 4.5
"""The ratio that WCAG 2 asks of text."""

# Every colour of text beside every ground it stands on.
PAIRS = [
    *((text, ground) for text in ("ink", "faded", "blue", "red", "suit-red") for ground in ("paper", "leaf")),
    *((text, "red-wash") for text in ("ink", "red", "blue")),
    ("paper", "ink"),
    ("paper", "blue"),
    ("paper", "red"),
]


def colours(is_dark: bool) -> dict[str, str]:
    """The variables of one of the two themes."""
    light, _, dark = CSS.partition("@media screen and (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", light))
    if is_dark:
        found |= dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", dark.split("*, *::before")[0]))
    return found


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_can_be_read_on_its_ground(text: str, ground: str, is_dark: bool) -> None:
    theme = colours(is_dark)
    darker, lighter = sorted((luminance(theme[text]), luminance(theme[ground])))
    assert (lighter + 0.05) / (darker + 0.05) >= READABLE


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_dark_colours_are_for_screens_and_not_for_paper(sheet: Path) -> None:
    queries = re.findall(r"@media[^{]*dark[^{]*", sheet.read_text())
    assert [query for query in queries if not query.startswith("@media screen and ")] == []


def test_no_template_holds_code_or_switches_escaping_off() -> None:
    found = []
    for template in TEMPLATES:
        text = template.read_text()
        found += [
            (template.name, code)
            for code in re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:|autoescape|mark_safe", text)
        ]
        scripts = re.findall(r"<script[^>]*>", text)
        found += [(template.name, tag) for tag in scripts if not tag.startswith("<script defer src=")]
        # The one fragment that was rendered, and escaped, before it is put into its page.
        safe = re.findall(r"{{[^}]*\|safe[^}]*}}", text)
        found += [(template.name, tag) for tag in safe if "live" not in tag]
    assert found == []


def test_every_form_that_changes_something_has_its_token() -> None:
    forms = [
        (template.name, form)
        for template in TEMPLATES
        for form in re.findall(r'<form[^>]*method="post".*?</form>', template.read_text(), re.DOTALL)
    ]
    assert len(forms) > 20
    assert [form for form in forms if "{% csrf_token %}" not in form[1]] == []
