"""Limits of a course's members: defined once, changed by owners, checked when a member asks for work."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from arena.common.errors import ArenaError
from arena.competition.challenges import challenge_create
from arena.competition.course_limits import COURSE_LIMITS, MEMBER_VERSIONS, require_daily_limit
from arena.competition.models import Course
from arena.features.courses.services import course_archive, course_update
from arena.jobs.uploads import version_submit
from arena.roster.models import BotVersion
from arena.roster.selectors import versions_uploaded_by
from tests.arena.features.courses.rooms import a_course
from tests.arena.features.experiments.batches import two_versions
from tests.factories import a_bot, aya, ben, chie, odo, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
MANIFEST = 'name = "mine"\nruntime = "python/1"\nentry_point = "main.py"\n'


def archive_of(program: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("rensho.toml", MANIFEST)
        archive.writestr("main.py", program)
    return packed.getvalue()


def test_every_limit_is_a_column_a_control_and_a_field_of_the_api() -> None:
    course = a_course(odo(), **dict.fromkeys(COURSE_LIMITS, 3))
    assert Course.objects.filter(pk=course.pk, **dict.fromkeys(COURSE_LIMITS, 3)).exists()
    client = Client()
    client.force_login(odo())
    page = client.get(f"{course.page}/edit").content.decode()
    answer = client.get(f"/api/v1/courses/{course.public_id}").json()
    documented = (Path(__file__).resolve().parents[4] / "docs" / "courses.md").read_text()
    for name, limit in COURSE_LIMITS.items():
        assert f'name="{name}" value="3"' in page
        assert answer[name] == 3
        assert f"| {limit.label} | `{name}` |" in documented
        for wrong in (-1, limit.most + 1, True, "3"):
            assert refusal(ArenaError, course_update, course, odo(), **{name: wrong}).code == "invalid"
    values = {"name": course.name, **dict.fromkeys(COURSE_LIMITS, "")}
    assert client.post(f"{course.page}/edit", values).status_code == 302
    assert Course.objects.filter(pk=course.pk, **dict.fromkeys(COURSE_LIMITS)).exists()


def test_uploads_of_a_member_are_limited() -> None:
    """The strictest course counts. Owners, staff, strangers and archived courses have no limit."""
    course = a_course(odo(), aya(), ben(), member_versions_limit=1)
    a_course(odo(), aya(), name="Another", member_versions_limit=5)
    bot = a_bot(aya())
    archive = archive_of("print()")
    other = archive_of("print(1)")
    first = version_submit(bot, archive, "a.zip", "", aya()).version
    assert not version_submit(bot, archive, "a.zip", "", aya()).is_new, "the same files are free"
    refused = refusal(ArenaError, version_submit, bot, other, "a.zip", "", aya())
    assert (refused.code, refused.extra["limit"]) == ("course_limit_reached", 1)
    assert datetime.fromisoformat(refused.extra["available_at"]) == first.created_at + timedelta(days=1)
    assert list(bot.versions.all()) == [first]
    BotVersion.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert version_submit(bot, other, "a.zip", "", aya()).is_new
    course_update(course, odo(), member_versions_limit=0)
    refused = refusal(ArenaError, require_daily_limit, ben(), MEMBER_VERSIONS, versions_uploaded_by(ben()))
    assert refused.extra["available_at"] is None
    for free in (odo(), chie(), sota()):
        require_daily_limit(free, MEMBER_VERSIONS, versions_uploaded_by(free))
    course_archive(course, odo())
    require_daily_limit(ben(), MEMBER_VERSIONS, versions_uploaded_by(ben()))


def test_challenges_of_a_member_are_limited() -> None:
    versions = two_versions()
    a_course(odo(), aya(), member_challenges_limit=1)
    challenge_create(aya(), versions, preset="kakeya4", boards=2)
    refused = refusal(ArenaError, challenge_create, aya(), versions, preset="kakeya4", boards=2)
    assert refused.code == "course_limit_reached"
