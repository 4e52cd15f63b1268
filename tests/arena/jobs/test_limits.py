"""Limits of bots as settings: read once, refused in one sentence, in every order, told to everybody."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.orders import process_limits
from arena.settings.limits import MIN_VALUES, bot_limits_of, variable_of
from referee.contract import Limits
from tests.arena.play import claimed, waiting
from tests.refusals import refusal

FIELDS = [field.name for field in dataclasses.fields(Limits)]


def test_every_limit_is_a_setting_with_a_floor_below_its_default() -> None:
    assert set(MIN_VALUES) == set(FIELDS)
    for field in FIELDS:
        assert MIN_VALUES[field] <= getattr(Limits(), field)
        lowest = {variable_of(field): str(MIN_VALUES[field]), "BOT_STDERR_KEEP_BYTES": "1024"}
        assert getattr(bot_limits_of(lowest), field) == MIN_VALUES[field]


def test_without_settings_the_defaults_hold() -> None:
    assert bot_limits_of({}) == Limits()
    assert bot_limits_of({"BOT_MEMORY_BYTES": "", "BOT_TOKEN": "somebody else's"}) == Limits()


def test_a_setting_changes_its_limit_alone() -> None:
    limits = bot_limits_of({"BOT_MEMORY_BYTES": "268435456", "BOT_CORES": "1.5"})
    assert limits == dataclasses.replace(Limits(), memory_bytes=256 << 20, cores=1.5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("BOT_MEMORY_BYTES", "256M"),
        ("BOT_MEMORY_BYTES", "1024"),
        ("BOT_MEMORY_BYTES", "1" + "0" * 20),
        ("BOT_THREADS", "0"),
        ("BOT_THREADS", "2.5"),
        ("BOT_CORES", "nan"),
        ("BOT_CORES", "-1"),
        ("BOT_FAULTS_BEFORE_FORFEIT", "-1"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_that_names_it(name: str, text: str) -> None:
    refused = refusal(SystemExit, bot_limits_of, {name: text})
    message = str(refused)
    assert f"{name}={text!r}" in message
    assert "default" in message
    assert "\n" not in message


def test_limits_at_odds_with_each_other_are_refused() -> None:
    with pytest.raises(SystemExit, match="BOT_STDERR_KEEP_BYTES"):
        bot_limits_of({"BOT_STDERR_KEEP_BYTES": "4096", "BOT_STDERR_KILL_BYTES": "2048"})


def test_no_command_starts_with_limits_that_cannot_be(tmp_path: Path) -> None:
    env = {
        **os.environ,
        "RENSHO_DATA": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "arena.settings.base",
        "BOT_OPEN_FILES": "some",
    }
    manage = Path(settings.REPOSITORY) / "manage.py"
    done = subprocess.run(
        [sys.executable, str(manage), "up"], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "BOT_OPEN_FILES='some'" in done.stderr


def test_tables_are_ordered_with_them(running: Tournament, settings) -> None:
    settings.BOT_LIMITS = Limits(memory_bytes=96 << 20, cores=0.5)
    assert claimed(waiting(running)[0]).order.limits == settings.BOT_LIMITS


@pytest.mark.django_db
def test_everybody_is_told(settings, client: Client) -> None:
    settings.BOT_LIMITS = Limits(memory_bytes=96 << 20, cores=0.5)
    limits = client.get("/api/v1/limits").json()["process"]
    assert limits == process_limits()
    assert (limits["memory_bytes"], limits["cores"]) == (96 << 20, 0.5)
    assert set(limits) == set(FIELDS)
