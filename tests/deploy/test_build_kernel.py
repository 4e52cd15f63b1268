"""Compiling the kernel, for the clone and the wheel: once, and without a compiler a line says why not."""

import os
import platform
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from engine import kernel
from referee.runtimes.kernel import require_current

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "deploy" / "build_kernel.py"


def built(path):
    return subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_without_a_compiler_one_line_says_what_is_missing(tmp_path):
    done = built(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (0, "", 1)
    assert "apt-get install gcc" in done.stderr


def test_compiled_code_rounds_a_product_before_adding_it(tmp_path):
    """As Python does, even on processors that can do both at once."""
    (tmp_path / "sum.c").write_text("double sum(double a, double b, double c) { return a * b + c; }\n")
    flags = [*runpy.run_path(str(SCRIPT))["FLAGS"], *(["-mfma"] if platform.machine() == "x86_64" else [])]
    command = ["cc", *flags, "-S", "-o", "-", str(tmp_path / "sum.c")]
    assembly = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "mul" in assembly
    assert "madd" not in assembly


def test_what_is_compiled_already_is_left_alone():
    assert kernel.is_compiled, "make setup compiles it, with what deploy/system-packages.sh tests installs"
    assert built(os.environ["PATH"]).returncode == 0
    modules = sorted((ROOT / "engine" / "kernel").glob("*.so"))
    assert [path.name.partition(".")[0] for path in modules] == sorted(
        path.stem for path in (ROOT / "engine" / "kernel").glob("*.pxd")
    )
    before = [path.stat().st_mtime_ns for path in modules]
    done = built(os.environ["PATH"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.stat().st_mtime_ns for path in modules] == before
    require_current(ROOT / "engine" / "kernel")


@pytest.fixture
def planned(tmp_path):
    """What the build hook of the wheel adds, by its place in the wheel, and what it asks of the builder."""

    def plan(version="standard"):
        builder = WheelBuilder(str(ROOT))
        (hook,) = builder.get_build_hooks(str(tmp_path)).values()
        data = {"force_include": {}}
        hook.initialize(version, data)
        return {place: source for source, place in data.pop("force_include").items()}, data

    return plan


def test_the_wheel_has_what_is_compiled_and_names_its_machine(planned):
    added, data = planned()
    modules = {f"engine/kernel/{path.name}" for path in (ROOT / "engine" / "kernel").glob("*.so")}
    assert {place for place in added if place.endswith(".so")} == modules
    assert data == {"pure_python": False, "infer_tag": True}
    assert planned("editable") == ({}, {})


def test_without_a_compiler_the_wheel_is_for_any_machine_and_a_line_says_why(
    planned, monkeypatch, tmp_path, capfd
):
    monkeypatch.setenv("PATH", str(tmp_path))
    added, data = planned()
    said = "".join(capfd.readouterr())
    assert (said.count("\n"), "apt-get install gcc" in said) == (1, True)
    monkeypatch.undo()
    monkeypatch.setenv("RENSHO_PURE_WHEEL", "1")
    assert planned() == (added, data)
    assert capfd.readouterr() == ("", "")
    assert "arena/documents/docs" in added
    assert (data, [place for place in added if place.endswith(".so")]) == ({}, [])


def test_where_compiling_fails_the_wheel_is_built_without(planned, monkeypatch, tmp_path, capfd):
    (tmp_path / "cc").write_text("#!/bin/sh\necho unknown option; exit 1\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    added, data = planned()
    assert "\nunknown option\n" in "".join(capfd.readouterr())
    assert (data, [place for place in added if place.endswith(".so")]) == ({}, [])
