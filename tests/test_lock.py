"""The locks pin what pyproject.toml asks for, with hashes and without addresses.

So does the lock of what the benchmarks compare with.
"""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PIN = re.compile(r"^(\S+?)(?:\[.*?\])?==([^\s;]+)(.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
LOCKS = {path.stem: path.read_text() for path in sorted((ROOT / "requirements").glob("*.lock"))}
LOCKS["run"] = (ROOT / "requirements.lock").read_text()
PEERS = ROOT / "benchmarks" / "peers"
LOCKS["peers"] = (PEERS / "requirements.lock").read_text()
PINS = {name: PIN.findall(text) for name, text in LOCKS.items()}
SMALLER = {"run": "extras", "extras": "dev"}
"""Each lock and the one that contains all its pins."""
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
OF_AUTHORS = {"rl"}
"""Extras for authors of bots, which no site installs."""
GROUPS = PYPROJECT["dependency-groups"]
ASKED = {
    "run": [*PYPROJECT["project"]["dependencies"], *EXTRAS["server"], *PYPROJECT["build-system"]["requires"]],
    "extras": [text for name, extra in EXTRAS.items() if name not in OF_AUTHORS for text in extra],
    "dev": [
        *(text for group in GROUPS.values() for text in group if isinstance(text, str)),
        *(text for name in OF_AUTHORS for text in EXTRAS[name]),
    ],
    "peers": [
        line
        for line in (PEERS / "requirements.in").read_text().splitlines()
        if line and not line.startswith("#")
    ],
}


@pytest.mark.parametrize("lock", LOCKS)
def test_no_address_is_written_down(lock):
    assert re.findall(r"https?://|index-url|find-links|file:", LOCKS[lock]) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock):
    assert PINS[lock]
    assert [name for name, _, rest in PINS[lock] if "--hash=sha256:" not in rest] == []


@pytest.mark.parametrize("lock", SMALLER)
def test_a_lock_is_part_of_the_next_one(lock):
    pins, larger = ({pin[:2] for pin in PINS[name]} for name in (lock, SMALLER[lock]))
    assert pins < larger


def test_a_site_installs_no_tool_of_the_tests():
    installed = {canonicalize_name(name) for name, _, _ in PINS["run"]}
    groups = {name: group for name, group in GROUPS.items() if name not in ("build", "dev")}
    asked = {
        canonicalize_name(Requirement(text).name)
        for group in groups.values()
        for text in group
        if isinstance(text, str)
    }
    assert asked.isdisjoint(installed)


@pytest.mark.parametrize(
    ("lock", "requirement"),
    [(lock, Requirement(text)) for lock, texts in ASKED.items() for text in texts],
    ids=str,
)
def test_what_is_asked_for_is_pinned_within_its_bounds(lock, requirement):
    versions = [
        version
        for name, version, _ in PINS[lock]
        if canonicalize_name(name) == canonicalize_name(requirement.name)
    ]
    assert versions, f"{requirement.name} is not in the lock {lock}; run: make lock"
    assert all(requirement.specifier.contains(version) for version in versions), versions
