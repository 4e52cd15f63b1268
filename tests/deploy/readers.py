"""The programs that read the files of ``deploy/``, and what they say of a file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SITE = "rensho.example.org"
PROXIES = ROOT / ".tools" / "proxies" / "usr"
UNITS = {
    "web": "rensho-web.service",
    "worker": "rensho-worker@.service",
    "play": "rensho-play.service",
    "housekeeping": "rensho-housekeeping.service",
    "beat": "rensho-beat.service",
    "analysis": "rensho-analysis.service",
    "notes": "rensho-notes.service",
}
"""The unit with the command of each image."""


def installed(name: str) -> str:
    """The path of a program of the development environment."""
    path = Path(sys.executable).with_name(name)
    assert path.exists(), f"{name} is missing: run make .venv/.dev"
    return str(path)


def unpacked(path: str) -> str:
    """The path of a program of Debian's package; skips, which fails in CI, where there is none."""
    if not (PROXIES / path).exists():
        pytest.skip(f"no {path}: run make proxies")
    return str(PROXIES / path)


def complaint(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """What a program prints if it refuses its file, else an empty text."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
    )
    return (done.stdout + done.stderr or f"exit status {done.returncode}") if done.returncode else ""


def compose(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run ``docker compose config`` on a file."""
    command = [installed("docker-compose"), "-f", str(file), "config", *options]
    environment = {**os.environ, "RENSHO_HOST": SITE}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def compose_services() -> dict[str, Any]:
    """The services of ``compose.yaml``, with everything merged and filled in."""
    done = compose(DEPLOY / "compose.yaml", "--format", "json")
    assert done.returncode == 0, done.stderr
    services: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    return services


def seconds(duration: str) -> int:
    """Seconds of a duration such as ``11m0s``."""
    total, number = 0, ""
    for character in duration:
        if character.isdigit():
            number += character
        else:
            total += int(number) * {"h": 3600, "m": 60, "s": 1}[character]
            number = ""
    return total


def instructions(target: str) -> dict[str, list[str]]:
    """Values of the instructions of an image by name, with those of the stages it is made from."""
    stages: dict[str, dict[str, list[str]]] = {}
    bases: dict[str, str] = {}
    text = (DEPLOY / "images" / "Containerfile").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    name = ""
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        instruction, _, value = line.strip().partition(" ")
        if instruction == "FROM":
            base, _, name = value.partition(" AS ")
            stages[name], bases[name] = {}, base
        elif name and instruction:
            stages[name].setdefault(instruction, []).append(value.strip())
    found: dict[str, list[str]] = {}
    while target in stages:
        for instruction, values in stages[target].items():
            found[instruction] = values + found.get(instruction, [])
        target = bases[target]
    return found


def unit(name: str) -> dict[str, list[str]]:
    """Settings of the section Service of a unit."""
    section: dict[str, list[str]] = {}
    for line in (DEPLOY / "systemd" / name).read_text().splitlines():
        key, mark, value = line.partition("=")
        if mark and not line.startswith("#"):
            section.setdefault(key, []).append(value)
    return section


def connections(replicas: Mapping[str, int], tables: int, pool: int, play_tables: int) -> int:
    """Connections to PostgreSQL by the table in ``deploy/README.md``, with three for commands."""
    each = {
        "web": pool,
        "worker": 2 * tables + 1,
        "housekeeping": 3,
        "play": play_tables + 2,
        "analysis": 1,
        "notes": 1,
    }
    return sum(each[name] * count for name, count in replicas.items() if name in each) + 3


def compose_secrets() -> dict[str, Any]:
    text = (DEPLOY / "compose.yaml").read_text()
    secrets: dict[str, Any] = yaml.safe_load(text)["secrets"]
    return secrets
