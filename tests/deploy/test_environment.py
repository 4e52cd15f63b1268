"""The env example names settings that exist, and the units get what they expand."""

import dataclasses
import re
from pathlib import Path

from arena.settings.analysis import PREFIX as ANALYSIS
from arena.settings.analysis import AnalysisLimits
from arena.settings.limits import variable_of
from arena.settings.names import INSTALLATION_VARIABLES
from arena.settings.rates import DEFAULT_RATES, PREFIX
from arena.settings.secret_files import SECRETS, file_variable
from arena.settings.server import PREFIX as SERVER
from arena.settings.server import ServerLimits
from referee.contract import Limits

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "deploy" / "rensho.env.example").read_text()
NAMES = re.findall(r"^#?([A-Z][A-Z_]+)=", EXAMPLE, re.MULTILINE)
UNITS = "\n".join(path.read_text() for path in (ROOT / "deploy" / "systemd").iterdir())
CODE = "\n".join(path.read_text() for path in (ROOT / "platform").rglob("*.py"))


def read_by_code(name: str) -> bool:
    if name in map(file_variable, SECRETS):
        return True
    if name.startswith("BOT_"):
        return name in {variable_of(field.name) for field in dataclasses.fields(Limits)}
    if name.startswith(PREFIX):
        return name.removeprefix(PREFIX).lower() in DEFAULT_RATES
    if name.startswith(SERVER):
        return name.removeprefix(SERVER).lower() in {field.name for field in dataclasses.fields(ServerLimits)}
    if name.startswith(ANALYSIS):
        return name.removeprefix(ANALYSIS).lower() in AnalysisLimits._fields
    readers = r"environ(?:ment)?(\.get\(|\[)|switch_of\(os\.environ, |_(text|integer|is_on|items)\("
    is_read = re.search(rf"""({readers})["']{name}["']""", CODE)
    return (is_read or re.search(rf"""^[A-Z_]+ = "{name}"$""", CODE, re.MULTILINE)) is not None


def test_every_setting_is_read_by_the_code_or_a_unit():
    assert NAMES
    assert [name for name in NAMES if not read_by_code(name) and f"${{{name}}}" not in UNITS] == []


def test_every_variable_a_unit_expands_is_in_the_example():
    assert set(re.findall(r"\$\{(\w+)\}", UNITS)) <= set(NAMES)


def test_the_settings_an_installation_must_choose_are_there():
    chosen = "RENSHO_DATA DATABASE_URL REDIS_URL SECRET_KEY RENSHO_HOSTS SANDBOX_MIN_LEVEL"
    assert set(chosen.split()) <= set(NAMES)


def test_every_line_is_one_setting_or_a_comment():
    lines = [line for line in EXAMPLE.splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[A-Z_]+=[^\s\"']+", line)] == []


def test_every_setting_that_is_read_is_there():
    assert sorted(INSTALLATION_VARIABLES - set(NAMES)) == []


def test_limits_in_comments_are_the_defaults():
    given = dict(
        re.findall(
            r"^#((?:BOT|WEBHOOKS?|RENSHO_SERVER|RENSHO_ANALYSIS)_[A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE
        )
    )
    for field in dataclasses.fields(Limits):
        assert given[variable_of(field.name)] == str(field.default), field.name
    for field in dataclasses.fields(ServerLimits):
        assert given[SERVER + field.name.upper()] == str(field.default), field.name
    for name, default in AnalysisLimits._field_defaults.items():
        assert given[ANALYSIS + name.upper()] == str(default), name


def test_no_secret_is_given_away():
    assert re.search(r"^SECRET_KEY=", EXAMPLE, re.MULTILINE) is None
