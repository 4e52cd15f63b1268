"""Where faults are planted, and which tests are to find them. Paths are from the root of the repository."""

from __future__ import annotations

import re
from typing import NamedTuple

KAKEYA_TESTS = (
    "tests/engine/games/kakeya",
    "tests/engine/test_played.py",
    "tests/engine/test_playthroughs.py",
)
KAKKURI_TESTS = ("tests/engine/games/kakkuri", "tests/engine/test_playthroughs.py")
FORMAT_TESTS = (
    "tests/league/formats",
    "tests/league/test_separation.py",
    "tests/league/test_seeding.py",
    "tests/league/test_rotation.py",
)


class Sources(NamedTuple):
    """Files, as a glob, and the tests that concern them."""

    files: str
    tests: tuple[str, ...]
    about: re.Pattern[str] | None = None
    """Only in functions whose text has this; None for all."""


SEAL = re.compile(r"seal|is_closed|State\.CLOSED")
SEALING_TESTS = (
    "tests/arena/api/test_sealing.py",
    "tests/arena/web/test_sealing.py",
    "tests/arena/test_sealed.py",
    "tests/arena/matches/test_fault_groups.py",
    "tests/arena/api/test_faults.py",
    "tests/arena/api/test_resources.py",
    "tests/arena/api/test_shapes.py",
    "tests/arena/api/test_sides.py",
    "tests/arena/standings/test_export.py",
    "tests/arena/matches/test_rounds.py",
)
LEASE_TESTS = (
    "tests/arena/matches",
    "tests/arena/jobs/test_periodic.py",
    "tests/arena/jobs/test_standstill.py",
    "tests/arena/jobs/test_runtime_waits.py",
)
STANDINGS_TESTS = (
    "tests/league/test_scoring.py",
    "tests/league/test_adjudicated.py",
    "tests/league/test_standings.py",
    "tests/league/test_standings_of_parts.py",
    "tests/league/test_standings_of_many.py",
    "tests/league/test_crosstable.py",
)
VERIFY_TESTS = (
    "tests/league/test_verify.py",
    "tests/league/test_verify_bound.py",
    "tests/league/formats/test_brackets_verified.py",
    "tests/arena/standings/test_export.py",
    "tests/arena/operations/test_blobs_check.py",
)

AREAS: dict[str, tuple[Sources, ...]] = {
    "rules": (
        *(
            Sources(f"engine/games/kakeya/{name}.py", KAKEYA_TESTS)
            for name in ("deal", "state", "rotation", "ruleset", "notation")
        ),
        *(
            Sources(f"engine/games/kakkuri/{name}.py", KAKKURI_TESTS)
            for name in ("deal", "melds", "state", "turns", "standing", "bound", "ruleset", "notation")
        ),
    ),
    "scoring": (
        Sources("engine/games/kakeya/scoring.py", KAKEYA_TESTS),
        Sources("engine/games/kakkuri/scoring.py", KAKKURI_TESTS),
        Sources("platform/league/scoring.py", STANDINGS_TESTS),
        Sources("platform/league/standings.py", STANDINGS_TESTS),
    ),
    "pairing": (
        *(
            Sources(f"platform/league/{name}.py", FORMAT_TESTS)
            for name in (
                "pairing",
                "brackets",
                "elimination",
                "mixing",
                "movements",
                "rotation",
                "separation",
            )
        ),
        Sources("platform/league/formats/*.py", FORMAT_TESTS),
    ),
    "leases": tuple(
        Sources(f"platform/arena/matches/{name}.py", LEASE_TESTS)
        for name in ("leases", "dispatch", "shares", "waits", "stalls", "workers")
    ),
    "sealing": tuple(
        Sources(f"platform/arena/{name}.py", SEALING_TESTS, SEAL)
        for name in (
            *("matches/selectors", "matches/fixture_selectors", "matches/faults", "matches/models"),
            *("api/answers/tables", "standings/export"),
        )
    ),
    "verify": (Sources("platform/league/verify/*.py", VERIFY_TESTS),),
}
