"""Commands the documents name exist, and what they list is what the code has. Links: test_citations."""

import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import get_commands

from league.formats import all_formats
from league.standings import TIE_BREAKS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("deploy/*.md"),
        *ROOT.glob("engine/games/*/*.md"),
        *ROOT.glob("examples/**/*.md"),
    ]
)
MAKEFILE = (ROOT / "Makefile").read_text()


TREES = ("benchmarks", "bots", "deploy", "docs", "engine", "examples", "platform", "tests")
NOT_HERE = {"docs/adding-a-game.md": "highcard", "deploy/README.md": "0010_sets_of_runtimes"}
"""By page: what it names is to be made, or is in the history alone."""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_exist(page):
    text = page.read_text()
    targets = set(re.findall(r"(?:^ *|`)make (?:-C \S+ )?([a-z][a-z-]*)", text, re.MULTILINE))
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []
    commands = set(re.findall(r"manage\.py ([a-z_]+)", text))
    assert [command for command in commands if command not in get_commands()] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_files_exist(page):
    paths = re.findall(rf"`((?:{'|'.join(TREES)})(?:/[\w.-]+)+/?)`", page.read_text())
    missing = [path for path in paths if not (ROOT / path).exists()]
    elsewhere = NOT_HERE.get(named(page))
    assert [path for path in missing if elsewhere is None or elsewhere not in path] == []


def test_make_help_lists_what_people_make():
    (phony,) = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    listed = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
    parts = {"check-postgres", "check-sqlite", "compiled", "environment", "kernel", "new-site", "system"}
    assert {*phony.replace("\\\n", "").split()} - {*listed} == parts


def test_every_page_is_listed():
    listed = (ROOT / "docs" / "README.md").read_text()
    pages = [page for page in ROOT.glob("docs/**/*.md") if page.parent.name not in ("decisions", "rules")]
    names = sorted(str(page.relative_to(ROOT / "docs")) for page in pages if page.name != "README.md")
    assert [name for name in names if f"]({name})" not in listed] == []


def test_the_tie_breaks_of_the_page_are_those_of_the_code():
    page = (ROOT / "docs" / "scores.md").read_text()
    documented = [name for name in re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) if name in TIE_BREAKS]
    assert documented == list(TIE_BREAKS)
    tables = re.split(r"\n\n", page)
    (table,) = [part for part in tables if f"| `{documented[0]}` |" in part]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == documented, "and no others"


def test_every_format_says_what_it_is():
    assert [name for name, found in all_formats().items() if not found.title] == []


def test_the_formats_of_the_page_are_those_of_the_code():
    page = (ROOT / "docs" / "formats.md").read_text()
    (table,) = [part for part in re.split(r"\n\n", page) if part.startswith("| Format |")]
    assert {*re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE), "given"} == set(all_formats())


def test_the_chain_of_apps_is_the_one_that_is_checked():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract.get("containers") == ["arena"])
    apps = {app for layer in layers for app in layer.split(" | ")}
    assert {path.parent.name for path in (ROOT / "platform" / "arena").glob("*/apps.py")} <= apps
    for page in ("CONTRIBUTING.md", "docs/architecture.md"):
        chain = re.search(r"`(web, api[^`]* → [^`]+)`", (ROOT / page).read_text())
        assert chain, page
        assert set(re.split(r", | → ", chain[1])) == apps, page
