"""Names of settings: all that are read are known, those that are not are told with the nearest."""

from __future__ import annotations

import re
from pathlib import Path

from arena.settings.names import (
    INSTALLATION_VARIABLES,
    OTHER_VARIABLES,
    PREFIXES,
    unknown_name_warnings,
    unknown_names,
)

ROOT = Path(__file__).resolve().parents[3]
READS = (
    r"""environ(?:ment)?(?:\.get\(|\[|\.setdefault\()["']([A-Z_]+)["']""",
    r"""^[A-Z_]+ = "([A-Z]+_[A-Z_]+)"$""",
    r"""_(?:text|integer|is_on|items)\("(WEBHOOKS?_[A-Z_]+)\"""",
    r"""switch_of\(os\.environ, "([A-Z_]+)"\)""",
    r"""\$\{([A-Z_]+)[-:}]""",
    r"""^\t([A-Z_]+)=\$""",
)


def names_read() -> set[str]:
    """What looks like a variable that something reads or sets, anywhere here, and begins like ours."""
    found: set[str] = set()
    folders = ("platform", "bots", "deploy", "tests", "benchmarks", "engine")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    for path in [ROOT / "Makefile", ROOT / "manage.py", *paths]:
        if path.name == "Makefile" or path.suffix in (".py", ".sh", ".service"):
            text = path.read_text()
            found |= {name for pattern in READS for name in re.findall(pattern, text, re.MULTILINE)}
    return {name for name in found if name.startswith(PREFIXES) and not name.endswith("_")}


def test_every_name_that_is_read_is_known() -> None:
    read = names_read()
    known = {"RENSHO_DATA", "RENSHO_TABLES", "RENSHO_CHROMIUM", "WEBHOOKS_PER_USER", "RENSHO_HTTPS"}
    assert known <= read, "the patterns find names"
    assert sorted(read - INSTALLATION_VARIABLES - OTHER_VARIABLES) == []


def test_a_misspelt_name_is_told_with_the_nearest_and_without_its_value() -> None:
    environment = {
        "RENSHO_STREAM": "5",
        "RENSHO_HTTP": "1",
        "BOT_MEMORY": "1",
        "WORKER_RUNTIME": "python/1",
        "SANDBOX_GROUP": "off",
        "BOT_X": "secret",
    }
    assert unknown_names(environment) == {
        "RENSHO_STREAM": "RENSHO_STREAMS",
        "RENSHO_HTTP": "RENSHO_HTTPS",
        "BOT_MEMORY": "BOT_MEMORY_BYTES",
        "WORKER_RUNTIME": "WORKER_RUNTIMES",
        "SANDBOX_GROUP": "SANDBOX_CGROUP",
        "BOT_X": "",
    }
    assert "secret" not in " ".join(unknown_name_warnings(environment))


def test_what_is_set_for_tests_scripts_or_other_programs_is_not_told() -> None:
    others = ("RENSHO_CHROMIUM", "RENSHO_EXPLORE", "RENSHO_EXHAUSTIVE", "RENSHO_BROWSER_SITE", "RENSHO_TOKEN")
    assert unknown_names(dict.fromkeys([*others, "PATH", "PGPASSWORD", "WORK"], "1")) == {}
    assert unknown_names(dict.fromkeys(INSTALLATION_VARIABLES, "")) == {}
