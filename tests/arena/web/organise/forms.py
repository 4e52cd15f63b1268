"""What tests of the pages for organisers share: the form of an event as a browser would send it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client


class _Controls(HTMLParser):
    """What a browser would send of a form, without its buttons."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.wanted, self.is_within = form, False
        self.values: dict[str, Any] = {}
        self.select = self.textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.is_within = found.get("id") == self.wanted
        if not self.is_within:
            return
        name = found.get("name", "")
        if tag == "input" and name:
            if found.get("type") not in ("checkbox", "radio") or "checked" in found:
                self.values[name] = found.get("value", "")
        elif tag == "select":
            self.select = name
        elif tag == "textarea":
            self.textarea, self.values[name] = name, ""
        elif tag == "option" and self.select and ("selected" in found or self.select not in self.values):
            self.values[self.select] = found.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.is_within = False
        if tag == "select":
            self.select = ""
        if tag == "textarea":
            self.textarea = ""

    def handle_data(self, data: str) -> None:
        if self.textarea and self.is_within:
            self.values[self.textarea] += data.removeprefix("\n")


def controls_in(page: str, form: str = "event") -> dict[str, Any]:
    """Every control of the form with this id, filled as it is."""
    parser = _Controls(form)
    parser.feed(page)
    parser.values.pop("csrfmiddlewaretoken", None)
    return parser.values


def form_at(client: Client, address: str = "/organise/new", **fields: Any) -> dict[str, Any]:
    """The form as it is opened, with these fields filled in."""
    answer = client.get(address)
    assert answer.status_code == 200
    return {**controls_in(answer.content.decode()), **fields}
