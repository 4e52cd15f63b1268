"""The admin looks like the site: its colours, its header, a way back; and nothing that its policy forbids."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from arena import admin, web
from tests import factories

OURS = Path(admin.__file__).parent / "static/operator_admin/design.css"
SITE = Path(web.__file__).parent / "static/web/rensho.css"


def schemes(css: str) -> tuple[dict[str, str], dict[str, str]]:
    """The colours and types by day and by night."""
    day, night = re.findall(r":root \{(.*?)\n *\}", css, re.DOTALL)[:2]
    found = [dict(re.findall(r"(--[\w-]+): ([^;]+);", block)) for block in (day, night)]
    return found[0], found[1]


def test_colours_and_types_are_the_sites_by_day_and_by_night() -> None:
    for ours, sites in zip(schemes(OURS.read_text()), schemes(SITE.read_text()), strict=True):
        own = {name: value for name, value in ours.items() if not value.startswith("var(")}
        assert len(own) > 7
        assert own == {name: sites[name] for name in own}


@pytest.mark.django_db
def test_every_page_leads_back_to_the_site(client: Client) -> None:
    client.force_login(factories.sota())
    for name in ("admin:index", "admin:competition_tournament_changelist"):
        page = client.get(reverse(name)).content.decode()
        header = page.partition('<header id="header">')[2].partition("</header>")[0]
        for place in ("/", "/organise", "/desk", "/me", "/admin/"):
            assert f'href="{place}"' in header, place
        assert 'action="/sign-out"' in header
        assert "operator_admin/design" in page
        assert "admin/js/theme" not in page, "colours follow the system"
