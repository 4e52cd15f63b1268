"""Who may do what with rating lists over the API."""

from __future__ import annotations

from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from tests.arena.api.roles import ALL, Row
from tests.arena.web import roles as pages

ROWS: list[Row] = [
    ("GET rating lists", "rating-lists", {}, ALL),
    ("GET rating list", "rating-lists/{list}", {}, ALL),
    ("GET rating list export", "rating-lists/{list}/export", {}, ALL),
    ("GET ratings", "ratings", {}, ALL),
    ("GET rating history", "ratings/{version}/history", {}, ALL),
]
PAGES: list[pages.Page] = [
    ("GET", "/ratings/{list}", pages.ALL),
    ("GET", "/ratings/{list}/since?revision=0&sets=0", pages.ALL),
    ("GET", "/versions/{version}/history", pages.ALL),
    ("GET", "/versions/{upload}/history", pages.PRIVATE),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """What the addresses of these rows need, made in the world that has these names."""
    ratings_make()
    return {"list": RatingList.objects.order_by("pk")[0].public_id}
