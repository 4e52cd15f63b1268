"""The two example bots as bundles: the C one is built here, and nowhere kept."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from referee.bundle import Bundle, import_folder
from referee.contract import Limits
from referee.driver import DriverFault
from referee.runtimes import runtime_named
from referee.sandbox import SandboxedDriver
from referee.staging import staged_bundle
from tests.referee.foreign import COMPILE_TIMEOUT_S, EXAMPLES


@pytest.fixture(scope="session")
def javascript_bot() -> Bundle:
    """The bot of examples/javascript."""
    return import_folder(EXAMPLES / "javascript")


@pytest.fixture(scope="session")
def c_bot(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The bot of examples/c, built as its README says."""
    folder = tmp_path_factory.mktemp("c") / "bot"
    shutil.copytree(EXAMPLES / "c", folder, ignore=shutil.ignore_patterns("bot"))
    done = subprocess.run(
        ["make", "-C", str(folder)],
        capture_output=True,
        text=True,
        timeout=COMPILE_TIMEOUT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stderr} Remedy: apt-get install gcc libc6-dev make"
    return import_folder(folder)


class Said:
    """What a bot said before it was ended."""

    def __init__(self, driver: SandboxedDriver) -> None:
        self.line, self.fault = "", None
        try:
            with driver:
                self.line = driver.collect(cpu_limit_ms=8000, wall_limit_ms=20_000).line.decode()
        except DriverFault as fault:
            self.fault = fault.reason
        self.report = driver.close()


@pytest.fixture
def first_line():
    """Start a bot in the sandbox and hear its first line, which it may write unasked."""

    def start(bundle: Bundle, limits: Limits = Limits()) -> Said:  # noqa: B008  (frozen)
        runtime = runtime_named(bundle.manifest.runtime)
        folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
        driver = SandboxedDriver(
            folder, runtime, bundle.manifest.entry_point, limits, cpu_limit_s=20, label="a foreign bot"
        )
        return Said(driver)

    return start
