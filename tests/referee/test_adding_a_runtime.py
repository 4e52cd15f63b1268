"""docs/runtimes.md, tried: its runtime is added as one module from outside, and nothing else names it."""

import contextlib
import importlib
import re
import sys
from pathlib import Path

import pytest

from arena.operations.health_bots import check_runtimes
from bots.kit.local import doctor
from engine.wire import BYE
from referee import capability
from referee.bundle import import_archive
from referee.capability import offer_named, offers
from referee.contract import Limits
from referee.errors import BundleError
from referee.runtimes import all_recipes, host_runtime, recipes, runtime_named
from referee.sandbox import PlainProcessDriver, SandboxedDriver
from referee.staging import staged_bundle
from tests.referee.archives import zipped
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "runtimes.md").read_text()
((NAME, SOURCE),) = re.findall(r"^\*\*`([^`]+)`\*\*\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MANIFEST = b'name = "mine"\nruntime = "shell/1"\nentry_point = "main.sh"\n'
BOT = b'read -r hello\nprintf \'%s\\n\' \'{"type":"ready","name":"sh"}\'\nread -r bye\n'
FILES = {"rensho.toml": MANIFEST, "main.sh": BOT}


@contextlib.contextmanager
def on_the_path(folder):
    """The recipes of a folder are there inside, and gone afterwards."""
    caches = (all_recipes, runtime_named, capability._offer)
    recipes.__path__.append(str(folder))
    importlib.invalidate_caches()
    for cached in caches:
        cached.cache_clear()
    try:
        yield
    finally:
        recipes.__path__.remove(str(folder))
        sys.modules.pop("referee.runtimes.recipes.shell1", None)
        for cached in caches:
            cached.cache_clear()


@pytest.fixture
def added(tmp_path):
    (tmp_path / Path(NAME).name).write_text(SOURCE)
    with on_the_path(tmp_path):
        yield


def test_it_is_found_by_its_module_alone(added):
    assert list(all_recipes()) == ["python/1", "binary/1", "node/1", "python/2", "shell/1"]


def test_it_is_gone_when_its_module_is():
    assert "shell/1" not in all_recipes()
    assert "shell/1" in str(refusal(BundleError, import_archive, zipped(FILES), "mine.zip"))


def test_a_manifest_may_name_it(added):
    bundle = import_archive(zipped(FILES), "mine.zip")
    assert (bundle.manifest.runtime, bundle.manifest.entry_point) == ("shell/1", "main.sh")
    strange = {"rensho.toml": MANIFEST.replace(b"main.sh", b"main.py"), "main.py": BOT}
    assert refusal(BundleError, import_archive, zipped(strange), "mine.zip").code == "no_entry_point"


@pytest.mark.full
def test_it_is_offered_or_refused_with_a_remedy_as_every_other(added):
    offer = offer_named("shell/1")
    assert offer in offers()
    assert (offer.digest, offer.refusal) == (runtime_named("shell/1").digest, "")


@pytest.mark.full
@pytest.mark.django_db
def test_both_doctors_report_it(added):
    digest = offer_named("shell/1").digest[:12]
    rows = {finding.part: finding.detail for finding in doctor.machine_checks()}
    assert digest in rows["shell/1"]
    assert "shell/1" in rows["no sandbox"]
    assert f"shell/1 {digest}" in [finding.detail for finding in check_runtimes("runtimes")]


@pytest.mark.full
@pytest.mark.parametrize("is_sandboxed", [False, True], ids=["host", "sandbox"])
def test_its_bots_run(added, is_sandboxed):
    bundle = import_archive(zipped(FILES), "mine.zip")
    bot = staged_bundle(bundle.sha256, lambda _: bundle.data)
    kind, runtime = (SandboxedDriver, runtime_named) if is_sandboxed else (PlainProcessDriver, host_runtime)
    with kind(bot, runtime("shell/1"), "main.sh", Limits(), cpu_limit_s=5, label="seat 1") as driver:
        driver.post(b'{"type":"hello"}')
        reply = driver.collect(cpu_limit_ms=5000, wall_limit_ms=20_000)
        assert reply.line == b'{"type":"ready","name":"sh"}'
        driver.post(BYE)


def test_a_module_without_a_recipe_is_named(tmp_path):
    (tmp_path / "empty1.py").write_text("")
    with on_the_path(tmp_path), pytest.raises(TypeError, match="recipes/empty1"):
        all_recipes()
    sys.modules.pop("referee.runtimes.recipes.empty1")
