"""The toy game of docs/adding-a-game.md, which is found without being added to the project."""

import contextlib
import importlib
import re
import sys
from pathlib import Path

import bots.sdk.games
import engine.games
import viewer.games
from engine import all_games

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text()
FILES = dict(re.findall(r"^\*\*`([^`]+)`\*\*\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PACKAGES = {
    engine.games: "engine/games",
    bots.sdk.games: "bots/sdk/games",
    viewer.games: "platform/viewer/games",
}
"""Where the page adds a module, by the package that finds it."""
PLUGIN = """
from pathlib import Path
import bots.sdk.games, engine.games, engine.playthrough, viewer.games
for package, folder in ((engine.games, "."), (bots.sdk.games, "."), (viewer.games, "platform")):
    package.__path__.append(str(Path(__file__).parent.joinpath(folder, *package.__name__.split("."))))
engine.playthrough.FOLDER = Path(__file__).parent / "playthroughs"
"""

COMMAND = """
import sys
from bots.kit.cli import main
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


def written(folder, change=lambda text: text, only=("",)):
    """The files of the page whose names begin with ``only``, in a folder that is not the repository's."""
    for name, text in FILES.items():
        if not name.startswith(only):
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change(text))
    # Python imports this module at its start, in workers too.
    (folder / "sitecustomize.py").write_text(PLUGIN)
    (folder / "command.py").write_text(COMMAND)
    return folder


@contextlib.contextmanager
def on_the_path(folder):
    """The game and what shows it are there inside, and gone afterwards."""
    caches = (all_games, viewer.games.module_of)
    for package, below in PACKAGES.items():
        package.__path__.append(str(folder / below))
    importlib.invalidate_caches()
    for cached in caches:
        cached.cache_clear()
    try:
        yield
    finally:
        for package, below in PACKAGES.items():
            package.__path__.remove(str(folder / below))
        for name in [name for name in sys.modules if ".games.highcard" in name]:
            del sys.modules[name]
        bots.sdk.games._VIEWS.pop("highcard", None)
        for cached in caches:
            cached.cache_clear()
