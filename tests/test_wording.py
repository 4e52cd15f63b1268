"""Wording that plain technical English does not use becomes rarer, folder by folder."""

from __future__ import annotations

import pytest

from tests.wording import held, hits_by_folder

HITS = hits_by_folder()


@pytest.mark.parametrize("folder", HITS)
def test_hits_only_fall(folder: str) -> None:
    hits, allowed = HITS[folder], held().get(folder, 0)
    assert len(hits) <= allowed, hits
    assert len(hits) == allowed, "python -m tests.wording writes the lower number"


def test_every_folder_with_hits_exists() -> None:
    assert set(held()) <= set(HITS)
