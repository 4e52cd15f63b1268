"""Real installations, each in a data folder and on a port of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.operations.installation import child_environment
from benchmarks.demo.client import DemoClient
from benchmarks.demo.site import DemoSite
from tests.databases import rows_of

REPOSITORY = Path(__file__).resolve().parents[2]
EXTRA = {"DJANGO_SETTINGS_MODULE": "arena.settings.base", "REDIS_URL": "", "DATABASE_URL": ""}
COMMAND_S = 300
WORKERS = 2
CUPS = 3
"""Daily cups of a new installation."""
PATIENCE_S = 180.0
"""A guard against hanging, not a measure."""
PLAYERS = """
from arena.accounts.models import User
from arena.accounts.services import token_create, user_create
first = User.objects.count()
for number in range(first, first + {count}):
    user = user_create(f"player{{number}}")
    print("token", token_create(user, name="t", scopes={scopes}, actor=user)[1])
"""


RUNNING: list[Installation] = []
LOG_LINES = 40


class Installation:
    """``manage.py up`` with its own data; its database is read aside, its accounts are made by command."""

    def __init__(self, data: Path, **extra: str) -> None:
        self.data = data
        self.extra = {**EXTRA, **extra}
        self.site = self.again()

    def again(self, *, has_house: bool = False) -> DemoSite:
        """The same installation to be started once more; ``has_house`` as for an operator."""
        return DemoSite(0, workers=WORKERS, data=self.data, extra=self.extra, has_house=has_house)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What the installation's own database says."""
        return rows_of(self.extra["DATABASE_URL"], self.data, query)

    def manage(self, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of the operator on this installation."""
        return self._run(str(REPOSITORY / "manage.py"), *args, check=check)

    def demo(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the demo on this installation, whatever its status."""
        return self._run("-m", "benchmarks.demo", *args, check=False)

    def _run(self, *args: str, check: bool) -> subprocess.CompletedProcess[str]:
        env = {**child_environment(), **self.extra, "RENSHO_DATA": str(self.data)}
        return subprocess.run(
            [sys.executable, *args],
            cwd=REPOSITORY,
            env=env,
            check=check,
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
        )

    def client(self, name: str, *flags: str) -> DemoClient:
        """A caller for a new account."""
        return DemoClient(self.site.url, self.manage("user_create", name, "--token", *flags).stdout.strip())

    def players(self, count: int, *scopes: str) -> list[DemoClient]:
        """Clients of new accounts, which one command creates: a process for each takes its time."""
        code = PLAYERS.format(count=count, scopes=list(scopes or ("read", "bots")))
        said = self.manage("shell", "-v", "0", "-c", code).stdout.splitlines()
        return [DemoClient(self.site.url, line.split()[1]) for line in said if line.startswith("token ")]

    def worker_is_ready(self) -> bool:
        """Whether the worker has proved its sandbox."""
        return self.rows("SELECT 1 FROM matches_worker WHERE runtimes != '{}'") != []


@contextmanager
def running(installed: Installation) -> Iterator[Installation]:
    """Up and ready; stopped afterwards, also if a test has started it again."""
    RUNNING.append(installed)
    try:
        installed.site.__enter__().wait_ready(installed.worker_is_ready)
        yield installed
    finally:
        RUNNING.remove(installed)
        installed.site.__exit__()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the ends of the installation's logs with a failed test: they are gone soon after."""
    report = yield
    if report.failed:
        for installed in RUNNING:
            for log in sorted((installed.data / "logs").glob("*.log")):
                lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
                report.sections.append((f"end of {log.name}", "\n".join(lines)))
    return report


@pytest.fixture(scope="package")
def shared_installation(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Callable[[Path], str]
) -> Iterator[Installation]:
    """Up and ready for all who leave it running and do not mind the events of others."""
    data = tmp_path_factory.mktemp("data")
    with running(Installation(data, DATABASE_URL=migrated_database(data))) as installed:
        yield installed


@pytest.fixture(scope="module")
def installation(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Callable[[Path], str]
) -> Iterator[Installation]:
    """Up and ready, for the module alone; stopped afterwards."""
    data = tmp_path_factory.mktemp("data")
    with running(Installation(data, DATABASE_URL=migrated_database(data))) as installed:
        yield installed


@pytest.fixture(scope="package")
def fresh(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Installation]:
    """As an operator's first ``make up``: with house bots and cups. For tests that leave it running."""
    installation = Installation(tmp_path_factory.mktemp("operator"), DATABASE_URL=new_database())
    installation.site = installation.again(has_house=True)
    with running(installation):
        deadline = time.monotonic() + PATIENCE_S
        while len(installation.rows("SELECT 1 FROM competition_tournament")) < CUPS:
            installation.site.look_after()
            assert time.monotonic() < deadline, (installation.data / "logs" / "up.log").read_text()
            time.sleep(0.5)
        yield installation


def is_alive(pid: int) -> bool:
    """Whether the process runs; a dead one nobody has waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
