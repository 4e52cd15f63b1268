"""Static files: hashed names kept for a year, compressed beforehand, collected when they change."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import brotli
import pytest
from django.conf import settings
from django.http import HttpResponse
from django.templatetags.static import static
from django.test import RequestFactory, override_settings

from arena.server.static_files import StaticFiles, sources_digest, static_collect
from arena.server.static_files import __file__ as module
from tests import migrated

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with all static files, as ``manage.py serve`` makes it."""
    data = tmp_path_factory.mktemp("data")
    migrated.static_copy(tmp_path_factory, data)
    root = data / "static"
    backend = {"BACKEND": "arena.server.static_files.HashedStorage"}
    with override_settings(STATIC_ROOT=root, STORAGES=settings.STORAGES | {"staticfiles": backend}):
        yield root


def served(address: str, **headers: str) -> HttpResponse:
    """The answer to a request for a static file."""
    app = StaticFiles(lambda request: HttpResponse(status=404))
    response: HttpResponse = app(RequestFactory().get(address, **headers))
    return response


@pytest.mark.parametrize(
    "name", ["web/rensho.css", "web/live.js", "web/site.js", "django_htmx/htmx-4.min.js"]
)
def test_names_have_the_hash_of_the_content_and_are_kept_for_a_year(collected: Path, name: str) -> None:
    address = static(name)
    stem, ending = name.rsplit(".", 1)
    assert address.startswith(f"/static/{stem}.")
    assert address.endswith(f".{ending}")
    assert address != f"/static/{name}"
    response = served(address, HTTP_ACCEPT_ENCODING="gzip")
    assert response.status_code == 200
    assert response["Cache-Control"] == "max-age=31536000, public, immutable"
    assert response["Content-Encoding"] == "gzip"
    packed = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    plain = b"".join(served(address).streaming_content)  # type: ignore[attr-defined]
    assert gzip.decompress(packed) == plain
    assert len(packed) < len(plain)
    response = served(address, HTTP_ACCEPT_ENCODING="gzip, deflate, br, zstd")
    assert response["Content-Encoding"] == "br"
    smaller = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert brotli.decompress(smaller) == plain
    assert len(smaller) < len(packed)


def test_a_plain_name_is_served_but_not_kept(collected: Path) -> None:
    response = served("/static/web/rensho.css")
    assert response.status_code == 200
    assert "immutable" not in response["Cache-Control"]


def test_what_was_not_collected_goes_by_its_plain_name(collected: Path) -> None:
    assert static("web/of-tomorrow.css") == "/static/web/of-tomorrow.css"


def test_files_of_libraries_that_no_page_uses_are_not_collected(collected: Path) -> None:
    assert not (collected / "rest_framework").exists()
    assert {path.name.split(".")[0] for path in (collected / "django_htmx").iterdir()} == {
        "htmx-4",
        "django-htmx",
    }


@pytest.mark.parametrize("changes", ["a source", "the module"])
def test_files_are_collected_again_only_if_a_source_changed(
    collected: Path, tmp_path: Path, changes: str
) -> None:
    (tmp_path / "sources").mkdir()
    source = tmp_path / "sources" / "one.css"
    source.write_text("a { color: red }")
    finder = "django.contrib.staticfiles.finders.FileSystemFinder"
    # One file: to compress all of them takes seconds.
    with override_settings(
        STATIC_ROOT=tmp_path / "static", STATICFILES_DIRS=[source.parent], STATICFILES_FINDERS=[finder]
    ):
        assert static_collect()
        assert not static_collect()
        changed = source if changes == "a source" else Path(module)
        before, at = sources_digest(), changed.stat().st_mtime_ns
        try:
            os.utime(changed, ns=(at + 1, at + 1))
            assert sources_digest() != before
            assert static_collect()
            assert not static_collect()
        finally:
            os.utime(changed, ns=(at, at))
        assert list((tmp_path / "static").glob("one.*.css"))


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_serve(
    collected: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert not static_collect(tmp_path / "file")
    assert "uncompressed" in caplog.text


def test_a_storage_without_hashes_has_nothing_to_collect() -> None:
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES=settings.STORAGES | {"staticfiles": plain}):
        assert not static_collect()
