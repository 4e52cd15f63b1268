"""The shape of the tree: source roots, names and what may import what, as CONTRIBUTING.md says."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[1]
PLATFORM = ROOT / "platform"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SITE_PACKAGES = ("arena", "league", "referee", "viewer")
PACKAGES = [ROOT / "engine", ROOT / "bots", *(PLATFORM / name for name in SITE_PACKAGES)]
MODULES = sorted(
    path for package in [*PACKAGES, ROOT / "tests", ROOT / "benchmarks"] for path in package.rglob("*.py")
)
MOST_LINES = 500
GENERATED = "Generated from"


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules a file imports; relative imports start with a dot."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def module_name(path: Path, root: Path) -> str:
    """The full name of a module that lies below a source root."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(name: str, path: Path, known: Collection[str]) -> set[str]:
    """Which of the known modules a module imports, wherever in it, also for type checkers alone."""
    found = set()
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            found |= {full if (full := f"{source}.{alias.name}") in known else source for alias in node.names}
    return (found & set(known)) - {name}


def import_circle(modules: Mapping[str, Path]) -> list[str]:
    """Modules each of which imports the one before it, the first again as the last; none if there is none."""
    graph = {name: imported_modules(name, path, modules) for name, path in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def test_no_circle_of_imports():
    """Imports for type checkers alone count: who reads one module should not have to read the other first."""
    modules = {
        module_name(path, PLATFORM if PLATFORM in path.parents else ROOT): path
        for package in PACKAGES
        for path in package.rglob("*.py")
    }
    assert len(modules) > 500
    assert import_circle(modules) == []


MOST_IMPORTERS = {"webhooks": 0, "play": 0, "experiments": 2, "integrity": 2, "ladders": 2, "ratings": 8}
"""Modules of the core that may import a feature, apart from the list of features."""
BETWEEN_FEATURES = {("ladders", "ratings"), ("integrity", "ratings")}


def feature_of(name: str) -> str:
    """The feature a module is of, empty if it is of the core."""
    return name.split(".")[2] if name.startswith("arena.features.") else ""


def test_a_feature_can_be_removed():
    """With its folder go the line that mounts it, and at most a few imports of the core."""
    modules = {module_name(path, PLATFORM): path for path in (PLATFORM / "arena").rglob("*.py")}
    features = {feature_of(name) for name in modules} - {""}
    assert features <= set(MOST_IMPORTERS)
    importers: dict[str, set[str]] = {feature: set() for feature in features}
    between = set()
    for name, path in modules.items():
        for feature in {feature_of(other) for other in imported_modules(name, path, modules)} - {""}:
            if not feature_of(name):
                importers[feature] |= {name} - {"arena.mounts"}
            elif feature != feature_of(name):
                between.add((feature_of(name), feature))
    assert between == BETWEEN_FEATURES
    too_many = {
        feature: sorted(names) for feature, names in importers.items() if len(names) > MOST_IMPORTERS[feature]
    }
    assert too_many == {}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("import a.two", "import a.one"),
        ("from a import two", "from a.one import x"),
        ("from . import two", "from .one import x"),
        ("from a.two import x", "if TYPE_CHECKING:\n    from a.one import x"),
        ("def late():\n    from a import two", "from a import one"),
    ],
)
def test_a_circle_of_imports_is_found_however_it_is_written(tmp_path, first, second):
    written = {"__init__": "", "one": first, "two": second, "three": "from a import one, two"}
    modules = {}
    (tmp_path / "a").mkdir()
    for name, text in written.items():
        path = tmp_path / "a" / f"{name}.py"
        path.write_text(text)
        modules[module_name(path, tmp_path)] = path
    assert sorted(set(import_circle(modules))) == ["a.one", "a.two"]
    modules["a.two"].write_text("")
    assert import_circle(modules) == []


def test_platform_is_a_source_root_and_no_package():
    # A package of this name would hide the module of the standard library from Django and Celery.
    loose = [path.name for path in PLATFORM.iterdir() if path.is_file()]
    assert loose == [], "nothing may lie directly in platform/"
    packages = sorted(path.name for path in PLATFORM.iterdir() if path.name != "__pycache__")
    assert packages == [*SITE_PACKAGES]


def test_no_module_imports_from_a_test_module():
    """What several tests use has a module with a plain name."""
    module = re.compile(
        r"^\s*(?:from|import) [\w.]*\btest_\w+|^\s*from tests[\w.]* import .*\btest_", re.MULTILINE
    )
    assert [path for path in MODULES if module.search(path.read_text())] == []


def test_no_test_makes_its_process_the_web_server_s():
    """To import ``arena.asgi`` pools the connections of a process, which other tests of it count."""
    importing = re.compile(
        r"^\s*(?:from arena\.asgi|import arena\.asgi|from arena import .*\basgi\b)", re.MULTILINE
    )
    tests = [path for path in MODULES if path.is_relative_to(ROOT / "tests")]
    assert [relative(path) for path in tests if importing.search(path.read_text())] == []


def test_no_tests_lie_under_platform():
    posing = [*PLATFORM.rglob("test_*.py"), *PLATFORM.rglob("*_test.py"), *PLATFORM.rglob("conftest.py")]
    assert posing == []


@pytest.mark.parametrize("path", [[], [ROOT], [ROOT, PLATFORM], [PLATFORM, ROOT]], ids=str)
def test_the_standard_librarys_platform_is_found_from_the_root(path):
    program = "import sys, platform; print(platform.python_version()); import uuid, asyncio"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(p) for p in path]}; {program}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "{}.{}.{}".format(*sys.version_info)


def test_every_tool_knows_both_source_roots():
    tool = PYPROJECT["tool"]
    assert tool["hatch"]["build"]["dev-mode-dirs"] == [".", "platform"]
    assert tool["pytest"]["ini_options"]["pythonpath"] == [".", "platform"]
    assert tool["ruff"]["src"] == [".", "platform"]
    assert tool["mypy"]["mypy_path"] == "$MYPY_CONFIG_FILE_DIR:$MYPY_CONFIG_FILE_DIR/platform"


def test_the_wheel_holds_the_product_without_demo_and_seeding():
    built = WheelBuilder(str(ROOT)).recurse_included_files()
    paths = {Path(file.distribution_path) for file in built if file.distribution_path.endswith(".py")}
    assert {path.parts[0] for path in paths} == {"engine", "bots", *SITE_PACKAGES}
    assert Path("arena/operations/management/commands/up.py") in paths
    assert [path for path in paths if {"demo", "seeding"} & {*path.parts}] == []


@pytest.mark.full
def test_an_installed_site_has_its_documents(tmp_path):
    """Built, unpacked elsewhere, and asked without the repository beside it."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    program = (
        "from arena.web.base.documents import files; import json;"
        "paths = [*files.page_keys(), files.DESCRIPTION];"
        "print(json.dumps({path: str(files.root() / path) for path in paths}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    shown = json.loads(done.stdout)
    assert {"docs/kit.md", "docs/rules/kakeya.md", "deploy/README.md", "CHANGELOG.md"} <= set(shown)
    assert [path for path in shown.values() if not path.startswith(str(tmp_path / "site"))] == []
    assert [path for path in shown.values() if not Path(path).is_file()] == []


def test_pytest_keeps_its_import_mode():
    assert "import-mode" not in PYPROJECT["tool"]["pytest"]["ini_options"]["addopts"]


def test_every_folder_of_tests_is_a_package():
    # Without one, tests/engine would pose as engine.
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    folders |= {
        parent
        for folder in folders
        for parent in folder.parents
        if ROOT / "tests" in [parent, *parent.parents]
    }
    assert [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_modules_are_named_for_what_they_hold():
    vague = [relative(path) for path in MODULES if path.stem in ("utils", "helpers", "misc", "common_utils")]
    assert vague == []


def test_modules_are_short():
    """Except those that are generated and say so at the top."""
    written = [path for path in MODULES if GENERATED not in path.read_text()[:400]]
    long = [f"{relative(p)}: {n}" for p in written if (n := len(p.read_text().splitlines())) > MOST_LINES]
    assert long == [], f"more than {MOST_LINES} lines: divide by purpose"


def test_migrations_are_named_for_what_they_do():
    names = [relative(path) for path in PLATFORM.glob("arena/*/migrations/*_auto_*.py")]
    assert names == []


def test_the_engine_needs_the_standard_library_only():
    strangers = [
        f"{relative(path)}: {name}"
        for path in (ROOT / "engine").rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] not in {*sys.stdlib_module_names, "engine", ""}
    ]
    assert strangers == []


def test_the_sdk_needs_the_standard_library_and_the_engine_only():
    strangers = [
        f"{relative(path)}: {name}"
        for path in (ROOT / "bots" / "sdk").rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] not in {*sys.stdlib_module_names, "engine", ""}
        and not name.startswith("bots.sdk")
    ]
    assert strangers == []


def test_bots_import_what_an_entrant_could():
    """House bots and the template see the SDK, the standard library, numpy, their own modules, and the kernel
    where it is."""
    strangers = []
    for manifest in [
        *(ROOT / "bots" / "house").rglob("rensho.toml"),
        *(ROOT / "bots" / "template").rglob("rensho.toml"),
    ]:
        own = {path.stem for path in manifest.parent.glob("*.py")}
        allowed = {*sys.stdlib_module_names, *own, "numpy"}
        kernel = {"engine.kernel"} if tomllib.loads(manifest.read_text())["runtime"] == "python/2" else set()
        strangers += [
            f"{relative(path)}: {name}"
            for path in manifest.parent.rglob("*.py")
            for name in imports(path)
            if name.split(".")[0] not in allowed and not name.startswith("bots.sdk") and name not in kernel
        ]
    assert strangers == []


def test_app_configs_carry_the_full_name():
    for apps in PLATFORM.glob("arena/*/apps.py"):
        assert f'name = "arena.{apps.parent.name}"' in apps.read_text(), relative(apps)


def test_the_modules_of_tests_that_are_commands_are_loaded_by_nobody_else_first() -> None:
    """What pytest has imported before may hide a circle of imports."""
    modules = [
        name
        for name in (module_name(path, ROOT) for path in sorted((ROOT / "tests").rglob("*.py")))
        if f"python -m {name} " in (ROOT / "CONTRIBUTING.md").read_text()
    ]
    assert "tests.browser.site" in modules
    done = subprocess.run(
        [sys.executable, "-c", "; ".join(f"import {name}" for name in sorted(modules))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
