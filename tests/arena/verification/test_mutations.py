"""Whatever is changed in an export is found: as it is, by who forges every hash, by who signs again."""

from __future__ import annotations

import functools
import io
import json
import os
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.standings.export import tournament_export
from bots.kit.errors import InvalidInput
from bots.kit.local import verify
from bots.kit.local.verify import export_verify
from engine.played import played_table
from tests import chance
from tests.arena.verification.events import EVENTS
from tests.arena.verification.expected import MEANINGLESS, NOT_DERIVED, NOT_DERIVED_UNPLAYED
from tests.arena.verification.mutations import Mutation, mutations
from tests.league.archives import KEYS, Archive, forged, posted, signed, unpacked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.full,
]

WHOLE = "VERIFY_AUDIT"
"""Environment: the file that gets the figures of the whole audit; without it a sample is made."""
SAMPLE = chance.at_most(40, 6)
"""Changes of an event, where only a sample is made."""
INSTANCES = 2
"""Rows of every place that are changed."""
PLAIN, FORGER, OPERATOR = "plain", "forger", "operator"


@pytest.fixture(autouse=True)
def replayed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that was replayed is not replayed again: what it says depends on its bytes alone."""
    monkeypatch.setattr(verify, "played_table", functools.lru_cache(maxsize=4096)(played_table))


def found(archive: Archive | bytes, keys: Mapping[str, bytes]) -> list[str]:
    """What is wrong with an export, whoever finds it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile says that a name stands twice
        packed = archive if isinstance(archive, bytes) else archive.packed()
    try:
        return export_verify(Path("x.zip"), io.BytesIO(packed), keys=keys).disagreements
    except InvalidInput as error:
        return [str(error)]


def disguised(mutation: Mutation, archive: Archive, disguise: str) -> Archive | bytes | None:
    """The export with the change; None if the disguise undoes it."""
    made = mutation.apply(archive)
    if disguise == PLAIN or isinstance(made, bytes):
        return made if disguise == PLAIN else None
    try:
        if disguise == OPERATOR:
            made = posted(made)
        made = forged(made, keeps_statements=mutation.place.startswith("statements"))
        if disguise == OPERATOR:
            made = signed(made)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None  # It can only be shown as it is: there is nothing to compute hashes of.
    return None if made == archive else made


@pytest.mark.parametrize("name", EVENTS)
def test_whatever_is_changed_in_an_export_is_found(name: str) -> None:
    event = EVENTS[name]()
    archive = signed(forged(posted(unpacked(tournament_export(event, event.organiser)))))
    assert found(archive, KEYS) == []
    drawn = random.Random(name)
    chosen = mutations(archive, drawn, INSTANCES)
    if WHOLE not in os.environ:
        chosen = drawn.sample(chosen, SAMPLE)
    made: Counter[str] = Counter()
    missed: dict[str, set[str]] = defaultdict(set)
    for mutation in chosen:
        for disguise in (PLAIN, FORGER, OPERATOR):
            changed = disguised(mutation, archive, disguise)
            if changed is None:
                continue
            made[disguise] += 1
            if not found(changed, KEYS):
                missed[disguise].add(mutation.name)
    if WHOLE in os.environ:
        with Path(os.environ[WHOLE]).open("a") as file:
            caught = {disguise: sorted(names) for disguise, names in missed.items()}
            file.write(json.dumps({"event": name, "changes": made, "missed": caught}) + "\n")
    assert missed[PLAIN] | missed[FORGER] <= set(MEANINGLESS)
    by_statements = [f"{place}:" for place in NOT_DERIVED]
    if name == "never_played":
        by_statements += NOT_DERIVED_UNPLAYED
    strange = [change for change in missed[OPERATOR] if not change.startswith(tuple(by_statements))]
    assert set(strange) <= set(MEANINGLESS)
