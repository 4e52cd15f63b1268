"""Notices: listed, read, and what the list costs."""

from __future__ import annotations

import pytest

from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from tests.arena.api.conftest import caller
from tests.arena.api.problems import ok
from tests.factories import (
    a_bot,
    a_suspended_version,
    aya,
    ben,
)

pytestmark = pytest.mark.django_db


def test_notices_are_listed_newest_first_and_marked_as_read() -> None:
    a_suspended_version(a_bot(aya()))
    version = a_suspended_version(a_bot(aya()))
    notice_create(ben(), Notice.Kind.SUSPENDED, {"code": "still_suspended", "version": "not Aya's"})
    client = caller(aya())
    listed = ok(client.get("/api/v1/notices"))["results"]
    assert [notice["kind"] for notice in listed] == ["suspended", "suspended"]
    newest = listed[0]
    assert newest["url_path"] == f"/versions/{version.public_id}"
    assert newest["url"] == f"http://testserver/versions/{version.public_id}"
    assert newest["read_at"] is None
    assert (newest["note"]["code"], newest["note"]["version"]) == ("suspended", str(version))
    read = ok(client.post(f"/api/v1/notices/{newest['id']}/read"))
    assert read["read_at"]
    unread = ok(client.get("/api/v1/notices", {"unread": "true"}))["results"]
    assert [notice["id"] for notice in unread] == [listed[1]["id"]]
    assert ok(client.get("/api/v1/notices", {"kind": "reinstated"}))["results"] == []
    assert ok(client.get("/api/v1/notices", {"kind": "nonsense"}), 400)["code"] == "invalid"
    assert ok(caller(ben()).post(f"/api/v1/notices/{newest['id']}/read"), 404)["code"] == "notice_not_found"
    assert (
        ok(caller(aya(), "read").post(f"/api/v1/notices/{newest['id']}/read"), 403)["needed_scope"] == "bots"
    )
