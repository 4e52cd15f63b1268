"""requirements.lock pins what pyproject.toml asks for, with hashes and without addresses."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = re.findall(r"^(\S+?)(?:\[.*?\])?==([^\s;]+)(.*?)(?=^\S|\Z)", LOCK, re.MULTILINE | re.DOTALL)
ASKED = [
    Requirement(text)
    for text in [
        *PYPROJECT["project"]["dependencies"],
        *(text for extra in PYPROJECT["project"]["optional-dependencies"].values() for text in extra),
        *PYPROJECT["dependency-groups"]["dev"],
        *PYPROJECT["build-system"]["requires"],
    ]
]


def test_no_address_is_written_down():
    assert re.findall(r"https?://|index-url|find-links|file:", LOCK) == []


def test_every_pin_has_hashes():
    assert PINS
    assert [name for name, _, rest in PINS if "--hash=sha256:" not in rest] == []


@pytest.mark.parametrize("requirement", ASKED, ids=lambda r: r.name)
def test_what_is_asked_for_is_pinned_within_its_bounds(requirement):
    versions = [
        version for name, version, _ in PINS if canonicalize_name(name) == canonicalize_name(requirement.name)
    ]
    assert versions, f"{requirement.name} is not in requirements.lock; run: make lock"
    assert all(requirement.specifier.contains(version) for version in versions), versions
