"""Hostile uploads through the API: a short answer, small rows, and the whole of it readable afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms.models import model_to_dict

from arena.accounts.models import AuditEvent, Event, Notice
from arena.roster.models import BotVersion, CheckRun
from engine.refusals import REFUSAL_CHARS
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import a_bot, aya
from tests.referee.bombs import BOMBS

pytestmark = pytest.mark.django_db

ANSWER_BYTES = 4000
"""Of a version with one reason, in JSON."""
ROW_BYTES = 4000
COSTLY = ("costly blocks", "files of 4 x 15 MiB")
"""Tried without a server, too, and of no other kind here."""


def stored_bytes() -> int:
    """The largest row of everything an upload may leave behind, as JSON."""
    models = (BotVersion, CheckRun, AuditEvent, Event, Notice)
    rows = [model_to_dict(row) for model in models for row in model.objects.all()]
    return max(len(json.dumps(row, default=str)) for row in rows)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("code", "make"),
    [found for name, found in BOMBS.items() if name not in COSTLY],
    ids=[name for name in BOMBS if name not in COSTLY],
)
def test_a_hostile_archive_has_a_short_answer_and_leaves_small_rows(
    code: str, make: Callable[[], bytes]
) -> None:
    user = aya()
    bot = a_bot(user)
    form = {"bundle": SimpleUploadedFile("bot.zip", make()), "notes": ""}
    answer = caller(user).post(f"/api/v1/bots/{bot.public_id}/versions", form, format="multipart")
    assert len(answer.content) < ANSWER_BYTES
    if answer.status_code == 400:
        assert answer.json()["code"] == code
        assert len(answer.json()["detail"]) <= REFUSAL_CHARS
        assert not BotVersion.objects.exists()
        return
    assert answer.status_code == 202, answer.content
    (reason,) = answer.json()["reasons"]
    assert reason["code"] == code
    assert len(reason["message"]) <= REFUSAL_CHARS
    (step,) = CheckRun.objects.get().steps
    assert len(step["detail"]) <= REFUSAL_CHARS
    assert stored_bytes() < ROW_BYTES
    listed = caller(user).get(f"/api/v1/bots/{bot.public_id}/versions")
    assert len(listed.content) < ANSWER_BYTES


def test_a_text_where_the_file_should_be_is_told_from_it() -> None:
    user = aya()
    bot = a_bot(user)
    form = {"bundle": "kita.zip"}
    answer = caller(user).post(f"/api/v1/bots/{bot.public_id}/versions", form, format="multipart")
    body = check(answer, 400, "invalid")
    assert body["errors"][0]["field"] == "bundle"
    assert "-F bundle=@FILE" in body["detail"]
