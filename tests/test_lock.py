"""requirements.lock pins what pyproject.toml asks for, with hashes and without addresses.

So does the lock of what the benchmarks compare with.
"""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PIN = re.compile(r"^(\S+?)(?:\[.*?\])?==([^\s;]+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
PINS = PIN.findall(LOCK)
PEERS = ROOT / "benchmarks" / "peers"
PEER_LOCK = (PEERS / "requirements.lock").read_text()
PEER_PINS = PIN.findall(PEER_LOCK)
ASKED = [
    Requirement(text)
    for text in [
        *PYPROJECT["project"]["dependencies"],
        *(text for extra in PYPROJECT["project"]["optional-dependencies"].values() for text in extra),
        *PYPROJECT["dependency-groups"]["dev"],
        *PYPROJECT["build-system"]["requires"],
    ]
]


@pytest.mark.parametrize("lock", [LOCK, PEER_LOCK], ids=["project", "peers"])
def test_no_address_is_written_down(lock):
    assert re.findall(r"https?://|index-url|find-links|file:", lock) == []


@pytest.mark.parametrize("pins", [PINS, PEER_PINS], ids=["project", "peers"])
def test_every_pin_has_hashes(pins):
    assert pins
    assert [name for name, _, rest in pins if "--hash=sha256:" not in rest] == []


def test_what_the_benchmarks_compare_with_is_pinned_within_its_bounds():
    lines = (PEERS / "requirements.in").read_text().splitlines()
    asked = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pinned = {canonicalize_name(name): version for name, version, _ in PEER_PINS}
    assert {r.name: pinned[r.name] for r in asked if r.specifier.contains(pinned[r.name])}.keys() == {
        r.name for r in asked
    }


@pytest.mark.parametrize("requirement", ASKED, ids=lambda r: r.name)
def test_what_is_asked_for_is_pinned_within_its_bounds(requirement):
    versions = [
        version for name, version, _ in PINS if canonicalize_name(name) == canonicalize_name(requirement.name)
    ]
    assert versions, f"{requirement.name} is not in requirements.lock; run: make lock"
    assert all(requirement.specifier.contains(version) for version in versions), versions
