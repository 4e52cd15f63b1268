"""Requests per second of the API compared with a bare DRF view that returns the same JSON.

    python benchmarks/bench_api.py [--rounds 7] [--seconds 0.4] [--bots 64] [--fixtures 400] [--json]

Creates a temporary data folder, fills it with ``benchmarks.seeding`` and calls the WSGI application in
this process, without a network. Each end point and its bare view alternate, and the medians of the rounds
are compared. The bare view is ``APIView.get`` that returns a prepared value behind the same middleware,
token, permission and renderer; the difference is the cost of our views, queries and serializers. Requests
carry a token and are counted as usual, against a limit too high to matter. A second connection to the
database stays open, as for workers. ``cold`` is the rate with empty caches, without a bar.

Status 0 if every end point answers at least half as many requests as its bare view.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

from benchmarks.harness import (
    Row,
    WsgiSite,
    arguments,
    at_least,
    caches_clear,
    installation,
    interleave,
    ratio,
    report,
    seed,
)

BAR = 0.5
"""Minimum ratio of the end point's requests per second to the bare view's."""
BARE_PREFIX = "/bare/"


def token_create() -> str:
    """Create an account that organises nothing, and return the text of its token."""
    from arena.accounts.services import token_create, user_create

    user = user_create("bench")
    return token_create(user, name="bench", scopes=["read"], actor=user)[1]


def program() -> WsgiSite:
    return WsgiSite(HTTP_ACCEPT="*/*", HTTP_AUTHORIZATION=f"Bearer {token_create()}")


def bare_views_add(answers: dict[str, Any]) -> None:
    from django.urls import path
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.views import APIView

    from arena import urls

    class Bare(APIView):
        def get(self, request: Request, name: str) -> Response:
            return Response(answers[name])

    urls.urlpatterns.insert(0, path("bare/<str:name>", Bare.as_view()))


def end_points() -> dict[str, str]:
    from django.db.models import Count

    from arena.competition.models import Tournament
    from arena.matches.models import BoardSet

    event = (
        Tournament.objects.filter(state__in=("final", "archived", "running"), visibility="public")
        .annotate(size=Count("fixtures"))
        .order_by("-size")[0]
    )
    base = f"/api/v1/tournaments/{event.public_id}"
    board_set = BoardSet.objects.filter(round__stage__tournament=event, state="closed").order_by("-pk")[0]
    return {
        "tournament": base,
        "50 fixtures": f"{base}/fixtures?page_size=50",
        "standings": f"{base}/standings",
        "crosstable": f"{base}/crosstable",
        "board": f"/api/v1/boards/{board_set.public_id}/1",
    }


def rate(call: Callable[[], object], seconds: float) -> float:
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        call()
        count += 1
    return count / passed


def measure(site: WsgiSite, paths: dict[str, str], rounds: int, seconds: float) -> list[Row]:
    """Measure every end point and its bare view, alternating in each round."""

    def cold(path: str) -> bytes:
        caches_clear()
        return site.get(path)

    answers = {name: site.get(path) for name, path in paths.items()}
    bare_views_add({name: json.loads(body) for name, body in answers.items()})
    turns: dict[tuple[str, str], Callable[[], float]] = {}
    for name, path in paths.items():
        assert json.loads(site.get(BARE_PREFIX + name)) == json.loads(answers[name])
        ways = {"ours": partial(site.get, path), "cold": partial(cold, path)}
        ways["bare"] = partial(site.get, BARE_PREFIX + name)
        turns |= {(name, way): partial(rate, call, seconds) for way, call in ways.items()}
    rates = interleave(turns, rounds)
    rows = []
    for name, body in answers.items():
        ratios = ratio(rates[name, "ours"], rates[name, "bare"])
        cells: dict[str, float | str] = {"bytes": len(body)}
        cells |= {f"{way}/s": statistics.median(rates[name, way]) for way in ("ours", "cold", "bare")}
        rows.append(Row(name, cells | {"ours/bare": ratios}, *at_least(ratios, BAR)))
    return rows


def main() -> int:
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each end point in each round")
    parser.add_argument("--bots", type=int, default=64)
    parser.add_argument("--fixtures", type=int, default=400)
    options = parser.parse_args()
    with installation() as folder:
        seed(options.bots, options.fixtures)
        with closing(sqlite3.connect(folder / "arena.sqlite3")) as workers:
            workers.execute("SELECT count(*) FROM competition_tournament").fetchone()
            rows = measure(program(), end_points(), options.rounds, options.seconds)
    return report("requests a second", rows, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
