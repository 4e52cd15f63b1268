"""A site is updated while it serves requests and plays tables: no request fails, no table is played twice."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests.releases.beside import ROOT, WITH_SOCKET, update

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("revision", ["v1.0.0", WITH_SOCKET])
def test_an_update_fails_no_request_and_plays_no_table_twice(
    revision: str, new_database: Callable[..., str]
) -> None:
    known = subprocess.run(["git", "rev-parse", "--quiet", "--verify", revision], cwd=ROOT, check=False)
    if known.returncode:
        pytest.skip(f"the clone has no tag {revision}")
    result = update(revision, new_database())
    counted = result.pop("counted")
    assert set(result.pop("worker_statuses")) == {0}
    assert result == {"failed_requests": [], "tables_played_twice": 0, "tables_left_in_play": 0}
    assert counted["tables_after"] > counted["tables_before"]
    assert counted["requests"]["200"] > 100
