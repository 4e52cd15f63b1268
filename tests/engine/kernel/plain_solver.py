"""The solver as plain Python, whether it is compiled or not, and with faults planted in its source."""

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "engine" / "kernel"
PARTS = ("suits", "table", "lookup", "bounds", "last", "order", "replies", "search", "")


def plain_solving(name, part="", right="", wrong=""):
    """``engine.kernel.solving`` made of the Python sources, with some text of a part replaced."""
    prefix = f"engine.kernel.plain_{name}"
    for known in PARTS:
        stem = f"solving_{known}".rstrip("_")
        text = (FOLDER / f"{stem}.py").read_text()
        if right and known == part:
            assert text.count(right) == 1, f"{right!r} is not once in {stem}.py"
            text = text.replace(right, wrong)
        for other in PARTS[:-1]:
            text = text.replace(f"from engine.kernel.solving_{other} import", f"from {prefix}_{other} import")
        spec = importlib.util.spec_from_loader(f"{prefix}_{known}".rstrip("_"), loader=None)
        module = importlib.util.module_from_spec(spec)
        module.__file__ = str(FOLDER / f"{stem}.py")
        sys.modules[spec.name] = module
        exec(compile(text, module.__file__, "exec"), module.__dict__)
    return module
