"""Looks for traces of other bots and tables: files, processes, modules, strings, the launcher's frames."""

import gc
import os
import sys

from attempts import attempt_all
from honest import play

TRIES = {
    "os.listdir('/tmp')": "[]",
    "sorted(os.listdir('/dev'))": "['full', 'null', 'random', 'urandom', 'zero']",
    "[pid for pid in range(1, 2000) if exists(pid)]": "[1, 2]",
    "sorted(name for name in os.listdir('/bot') if not name.endswith('.py'))": "['rensho.toml']",
    "sorted(os.listdir('/usr/lib/rensho/bots'))": "['__init__.py', '__pycache__', 'sdk']",
    "[name for name in ('referee', 'arena', 'league', 'bots.kit', 'django') if importable(name)]": "[]",
    "sorted({frame.f_code.co_filename for frame in frames()})": (
        "['/bot/looks_for_neighbours.py', '/usr/lib/rensho/launcher.py']"
    ),
    "sorted(frames()[-1].f_globals['__builtins__'].__dict__.keys() & {'order', 'seed', 'key'})": "[]",
    "[name for name in sys.modules if name.split('.')[0] in ('referee', 'arena')]": "[]",
    "[text for text in strings() if 'rensho-id' in text or 'bundle_sha256' in text]": "[]",
}


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def importable(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def frames():
    frame = sys._getframe()
    found = []
    while frame:
        if "attempts" not in frame.f_code.co_filename and frame.f_code.co_filename != "<string>":
            found.append(frame)
        frame = frame.f_back
    return found


def strings():
    own = set(TRIES)
    for thing in gc.get_objects():
        if isinstance(thing, dict):
            yield from (value for value in thing.values() if isinstance(value, str) and value not in own)


attempt_all(
    TRIES,
    {"os": os, "sys": sys, "exists": exists, "importable": importable, "frames": frames, "strings": strings},
)
play()
