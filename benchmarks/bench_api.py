"""Requests per second of the API beside a bare DRF view that returns the same JSON.

    python benchmarks/bench_api.py [--rounds 7] [--seconds 0.4] [--bots 64] [--fixtures 400] [--json]

Makes a temporary data folder, fills it with ``benchmarks.seeding`` and calls the WSGI application in this
process, without a network: each end point and its bare twin take turns, round by round, and the medians of
the rounds are compared. The twin is ``APIView.get`` returning a plain value it has at hand, behind the same
middleware, token, permission and renderer: what is left is what our views, queries and serializers cost.
Requests carry a token, as programs' do, and are counted as always, against a limit too high to be met. A
second connection to the database stays open all the while, as the workers' do.

``first`` is the same request once the cached answers (arena.common.process_cache) are too old to be told from
changed ones: what the first of many watchers pays after a change that leaves the answer as it is. ``anew`` is
with an empty cache. Both are printed, not judged.

Status 0 if every end point answers at least half as many requests as its twin.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from wsgiref.util import setup_testing_defaults

REPOSITORY = Path(__file__).resolve().parents[1]
BAR = 0.5
"""Of the twin's requests per second."""
TWIN = "/bare/"

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Line(NamedTuple):
    """One end point beside its twin, in requests per second."""

    name: str
    answer_bytes: int
    ours: float
    first: float
    """With cached answers that are too old."""
    anew: float
    """With an empty cache of answers."""
    bare: float
    ratio: float

    def __str__(self) -> str:
        verdict = "PASS" if self.ratio >= BAR else "FAIL"
        first, anew = self.first / self.bare, self.anew / self.bare
        return (
            f"{self.name:<12} {self.answer_bytes:>6} B   ours {self.ours:6.0f}/s   bare {self.bare:6.0f}/s"
            f"   first {first:5.2f}   anew {anew:5.2f}   ratio {self.ratio:5.2f} (bar {BAR})  {verdict}"
        )


def prepared(folder: str, bots: int, fixtures: int) -> Application:
    """The application on a seeded database in this folder."""
    os.environ.update(
        RENSHO_DATA=folder, DJANGO_SETTINGS_MODULE="arena.settings.base", RENSHO_LOG_LEVEL="ERROR"
    )
    sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "platform")]
    import django
    from django.conf import settings

    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000000/s")
    django.setup()
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    from benchmarks.seeding.command import Command as Seeding

    call_command("migrate", verbosity=0)
    call_command(Seeding(), bots=bots, fixtures=fixtures, presets=["kakeya4"], quiet=True)
    application: Application = get_wsgi_application()
    return application


def token_made() -> str:
    """The text of a token of an account that runs nothing."""
    from arena.accounts.services import token_create, user_create

    user = user_create("bench")
    return token_create(user, name="bench", scopes=["read"], actor=user)[1]


def called(application: Application, path: str, token: str) -> bytes:
    """The body of the answer to one GET; raises AssertionError unless it is 200."""
    environ: dict[str, Any] = {}
    setup_testing_defaults(environ)
    address, _, query = path.partition("?")
    environ.update(
        PATH_INFO=address,
        QUERY_STRING=query,
        HTTP_HOST="localhost",
        REMOTE_ADDR="127.0.0.1",
        HTTP_ACCEPT="*/*",
        HTTP_AUTHORIZATION=f"Bearer {token}",
    )
    statuses: list[str] = []
    answer = application(environ, lambda status, headers, *_: statuses.append(status))
    body = b"".join(answer)
    close = getattr(answer, "close", None)
    if close is not None:
        close()
    assert statuses[0].startswith("200"), (path, statuses[0], body[:300])
    return body


def twins_added(answers: dict[str, Any]) -> None:
    """Serve each answer from a bare view under ``TWIN``."""
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


def measured(
    application: Application, paths: dict[str, str], token: str, rounds: int, seconds: float
) -> Iterator[Line]:
    """Every end point beside its twin; all of them take turns in each round."""
    from arena.api.caching import MAX_AGE_S
    from arena.common import process_cache

    seconds_on = 0.0
    process_cache.clock = lambda: time.monotonic() + seconds_on

    def ours(path: str) -> bytes:
        return called(application, path, token)

    def first(path: str) -> bytes:
        nonlocal seconds_on
        seconds_on += MAX_AGE_S
        return called(application, path, token)

    def anew(path: str) -> bytes:
        process_cache.process_cache.clear()
        return called(application, path, token)

    answers = {name: ours(path) for name, path in paths.items()}
    twins_added({name: json.loads(body) for name, body in answers.items()})
    for name, path in paths.items():
        assert json.loads(ours(TWIN + name)) == json.loads(answers[name]) == json.loads(first(path))
    rates: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in paths}
    for _ in range(rounds):
        for name, path in paths.items():
            rates[name].append(
                (
                    rate(lambda path=path: ours(path), seconds),  # type: ignore[misc]
                    rate(lambda path=path: first(path), seconds),  # type: ignore[misc]
                    rate(lambda path=path: anew(path), seconds),  # type: ignore[misc]
                    rate(lambda name=name: ours(TWIN + name), seconds),  # type: ignore[misc]
                )
            )
    for name, turns in rates.items():
        ours_s, first_s, anew_s, bare_s = (statistics.median(turn[at] for turn in turns) for at in range(4))
        ratio = statistics.median(turn[0] / turn[3] for turn in turns)
        yield Line(name, len(answers[name]), ours_s, first_s, anew_s, bare_s, ratio)


def main() -> int:
    """Measure and print; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each end point in each round")
    parser.add_argument("--bots", type=int, default=64)
    parser.add_argument("--fixtures", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as folder:
        application = prepared(folder, wanted.bots, wanted.fixtures)
        with closing(sqlite3.connect(Path(folder) / "arena.sqlite3")) as workers:
            workers.execute("SELECT count(*) FROM competition_tournament").fetchone()
            token = token_made()
            lines = list(measured(application, end_points(), token, wanted.rounds, wanted.seconds))
    print(json.dumps([line._asdict() for line in lines]) if wanted.json else "\n".join(map(str, lines)))
    return 0 if all(line.ratio >= BAR for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
