"""Whatever is sent to whichever route: no 5xx, no long answer, no long thought, no growing memory.

Every route has one request, as one account or by one method in turn; ``ATTACK_SHOTS`` says how many drawn
ones follow. With ``ATTACK_S``, a time in seconds, every route first has one from each account and by each
method. ``ATTACK_SEED`` says which are drawn. ``make attack`` takes ten minutes and prints the figures.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests import factories, migrated
from tests.arena.api.conftest import a_named_world
from tests.attack.shots import Gunner, Shot
from tests.attack.site import Answer, Site, serving

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(1800),
]

SHOTS = int(os.environ.get("ATTACK_SHOTS", "100"))
SECONDS = float(os.environ.get("ATTACK_S", "0"))
SEED = int(os.environ.get("ATTACK_SEED", "20261122"))
ANSWER_BYTES = 1_000_000
REFUSAL_CHARS = 500
REFUSAL_BYTES = 16_000
CPU_S = 2.0
GROWTH = 1.2
"""Resident memory at the end, compared with that after the first tenth."""
LONG_ANSWERS = re.compile(r"/(export|export\.ndjson|record|timings|bundle|file)$")
STREAMS = re.compile(r"/events$")


@pytest.fixture
def names(transactional_db: None) -> dict[str, Any]:
    """Things that there are, committed, for the processes of the site see them."""
    return a_named_world()


class Score:
    """What the shots came to."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.defects: list[str] = []
        self.slowest: tuple[float, str] = (0.0, "")
        self.longest: tuple[int, str] = (0, "")
        self.resident: list[int] = []

    def take(self, shot: Shot, answer: Answer, cpu_s: float) -> None:
        """Note an answer, and what is wrong with it."""
        self.statuses[answer.status] += 1
        is_long = LONG_ANSWERS.search(shot.path) is not None
        self.slowest = max(self.slowest, (cpu_s, shot.label))
        if not is_long:
            self.longest = max(self.longest, (len(answer.body), shot.label))
        wrong = [
            *([f"status {answer.status}"] if answer.status >= 500 and not self._is_full(answer) else []),
            *([f"{len(answer.body)} bytes"] if len(answer.body) > ANSWER_BYTES and not is_long else []),
            *([f"{cpu_s:.1f} s of CPU"] if cpu_s > CPU_S else []),
            *(refusal_defects(answer) if answer.status >= 400 and shot.path.startswith("/api/") else []),
        ]
        if wrong:
            self.defects.append(f"{shot.label!r}: {', '.join(wrong)}: {answer.body[:200]!r}")

    @staticmethod
    def _is_full(answer: Answer) -> bool:
        return answer.status == 503 and "retry-after" in answer.headers

    def __str__(self) -> str:
        mib = [f"{size / (1 << 20):.0f}" for size in self.resident]
        return (
            f"{self.statuses.total()} requests, by status {dict(sorted(self.statuses.items()))}\n"
            f"most CPU {self.slowest[0]:.2f} s: {self.slowest[1][:100]}\n"
            f"longest answer {self.longest[0]} bytes: {self.longest[1][:100]}\n"
            f"resident MiB by tenths of the run: {', '.join(mib)}"
        )


def refusal_defects(answer: Answer) -> list[str]:
    """What a refusal of the API lacks: a problem in JSON with a code, and no text that is too long."""
    if not answer.body:
        return []
    if "application/problem+json" not in answer.headers.get("content-type", ""):
        return [f"content type {answer.headers.get('content-type')}"]
    try:
        problem = json.loads(answer.body)
    except ValueError:
        return ["no JSON"]
    found = [f"refusal of {len(answer.body)} bytes"] if len(answer.body) > REFUSAL_BYTES else []
    found += [f"text of {len(text)} characters" for text in _texts(problem) if len(text) > REFUSAL_CHARS]
    return found + ([] if problem.get("code") else ["no code"])


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


@pytest.mark.django_db(transaction=True)
def test_nothing_that_is_sent_stops_the_site(
    names: dict[str, Any],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    migrated.static_copy(tmp_path_factory, settings.DATA)
    people = {"aya": factories.aya(), "odo": factories.odo(), "sota": factories.sota()}
    gunner = Gunner(SEED, names, {name: factories.a_token(user) for name, user in people.items()})
    score = Score()
    with serving(tmp_path) as site:
        for shot in gunner.every_route(is_whole=SECONDS > 0):
            fire(site, shot, score)
        began = time.monotonic()
        for count, shot in enumerate(
            gunner.endless() if SECONDS else itertools.islice(gunner.endless(), SHOTS)
        ):
            share = (time.monotonic() - began) / SECONDS if SECONDS else count / SHOTS
            if len(score.resident) <= share * 10:
                score.resident.append(site.resident_bytes())
            if share >= 1:
                break
            fire(site, shot, score)
        score.resident.append(site.resident_bytes())
        assert site.process.poll() is None
        calm = site.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert calm.status == 200, "the first page comes as before"
        log = (tmp_path / "web.log").read_text(errors="replace")
    with capsys.disabled():
        print(f"\n{score}")
    assert not score.defects, f"{len(score.defects)} defects:\n" + "\n".join(score.defects[:40]) + log[-3000:]
    if SECONDS:
        assert score.resident[-1] <= GROWTH * score.resident[1], str(score)


def fire(site: Site, shot: Shot, score: Score) -> None:
    """Send one and note what came of it."""
    before = site.cpu_s()
    answer = site.send(shot.data, is_stream=STREAMS.search(shot.path) is not None, is_garbage=not shot.path)
    score.take(shot, answer, site.cpu_s() - before)
