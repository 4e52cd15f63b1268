"""Write the files of a release: ``python -m tests.releases.make 1.0.0``.

The folder ``tests/releases/1.0.0`` gets the database of a small site, its blobs, the ids of its pages, and
the export of a finished event. Run it once, with the code of the release, and commit the folder.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.browser import site

RELEASES = Path(__file__).resolve().parent


def make(target: Path, release: str, database: Callable[[Path], str] = lambda data: "") -> None:
    """Write the files of a release into a folder that exists.

    ``database(data)`` returns the URL of the database to fill; empty: SQLite in the data folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        site.run(
            Path(folder), "tests.releases.site", str(target), release, function="write", url=database(data)
        )


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Write the database and the export that a release leaves.")
    parser.add_argument("release", help="such as 1.0.0; the version of the installed distribution")
    parser.add_argument("--folder", type=Path, default=RELEASES, help="where the folder of the release goes")
    given = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", given.release):
        parser.error(f"{given.release!r} is not a release such as 1.0.0")
    target = given.folder / given.release
    if target.exists():
        parser.error(f"{target} exists: the files of a release are written once")
    target.mkdir(parents=True)
    try:
        make(target, given.release)
    except BaseException:
        shutil.rmtree(target)
        raise
    for path in sorted(target.iterdir()):
        print(f"{path.stat().st_size:9,} {path}")
    return 0


if __name__ == "__main__":
    sys.path.insert(1, str(RELEASES.parents[1] / "platform"))
    sys.exit(main())
