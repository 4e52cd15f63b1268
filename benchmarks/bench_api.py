"""Requests per second of the API beside a bare DRF view that returns the same JSON.

    python benchmarks/bench_api.py [--rounds 7] [--seconds 0.4] [--bots 64] [--fixtures 400] [--json]

Makes a temporary data folder, fills it with ``benchmarks.seeding`` and calls the WSGI application in this
process, without a network: each end point and its bare twin take turns, round by round, and the medians of
the rounds are compared. The twin is ``APIView.get`` returning a plain value it has at hand, behind the same
middleware, token, permission and renderer: what is left is what our views, queries and serializers cost.
Requests carry a token, as programs' do, and are counted as always, against a limit too high to be met. A
second connection to the database stays open all the while, as the workers' do. ``cold`` is the rate with
empty caches, without a bar.

Status 0 if every end point answers at least half as many requests as its twin.
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
"""Of the twin's requests per second."""
BARE_PREFIX = "/bare/"


def token_create() -> str:
    """The text of a token of an account that runs nothing."""
    from arena.accounts.services import token_create, user_create

    user = user_create("bench")
    return token_create(user, name="bench", scopes=["read"], actor=user)[1]


def program() -> WsgiSite:
    """The site as a program with a token sees it."""
    return WsgiSite(HTTP_ACCEPT="*/*", HTTP_AUTHORIZATION=f"Bearer {token_create()}")


def bare_views_add(answers: dict[str, Any]) -> None:
    """Serve each answer from a bare view under ``BARE_PREFIX``."""
    from django.urls import path
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.views import APIView

    from arena import urls

    class Bare(APIView):
        """What a view costs that has nothing to do."""

        def get(self, request: Request, name: str) -> Response:
            return Response(answers[name])

    urls.urlpatterns.insert(0, path("bare/<str:name>", Bare.as_view()))


def end_points() -> dict[str, str]:
    """Address by name: the largest tournament that has been played to its end."""
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
    """Calls per second for about so many seconds."""
    count, started = 0, time.perf_counter()
    while (passed := time.perf_counter() - started) < seconds:
        call()
        count += 1
    return count / passed


def measure(site: WsgiSite, paths: dict[str, str], rounds: int, seconds: float) -> list[Row]:
    """Every end point beside its twin; all of them take turns in each round."""

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
        found = ratio(rates[name, "ours"], rates[name, "bare"])
        cells: dict[str, float | str] = {"bytes": len(body)}
        cells |= {f"{way}/s": statistics.median(rates[name, way]) for way in ("ours", "cold", "bare")}
        rows.append(Row(name, cells | {"ours/bare": found}, *at_least(found, BAR)))
    return rows


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    parser = arguments(__doc__, rounds=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each end point in each round")
    parser.add_argument("--bots", type=int, default=64)
    parser.add_argument("--fixtures", type=int, default=400)
    wanted = parser.parse_args()
    with installation() as folder:
        seed(wanted.bots, wanted.fixtures)
        with closing(sqlite3.connect(folder / "arena.sqlite3")) as workers:
            workers.execute("SELECT count(*) FROM competition_tournament").fetchone()
            rows = measure(program(), end_points(), wanted.rounds, wanted.seconds)
    return report("requests a second", rows, as_json=wanted.json)


if __name__ == "__main__":
    sys.exit(main())
