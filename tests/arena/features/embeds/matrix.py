"""Who may see frames, descriptions and pictures: everybody what a visitor may see, and nobody more."""

from __future__ import annotations

from tests.arena.web import roles as pages

PAGES: list[pages.Page] = [
    ("GET", "/embed/tables/{open_table}", pages.ALL),
    ("GET", "/embed/tables/{sealed_table}", pages.by(423, 423)),
    ("GET", "/embed/boards/{open_set}/1", pages.ALL),
    ("GET", "/embed/boards/{sealed_set}/1", pages.by(423, 423)),
    ("GET", "/oembed", pages.NONE),
    ("GET", "/pictures/tournaments/{event}.png", pages.ALL),
    ("GET", "/pictures/boards/{open_set}/1.png", pages.ALL),
    ("GET", "/pictures/boards/{sealed_set}/1.png", pages.by(423, 423)),
]
