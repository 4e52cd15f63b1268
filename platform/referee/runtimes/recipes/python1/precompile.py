"""Compiles a runtime tree. Run as a script by the tree's own interpreter version.

    precompile.py TREE PATH..          folders and modules below TREE, as bots see them

Every module gets bytecode that is never checked against its source, since the tree never changes. Runs in a
separate process and in sorted order, so that the same sources give the same bytes.
"""

import os
import py_compile
import sys
from collections.abc import Iterator


def main() -> None:
    """Compile every module below the given paths; modules with syntax errors remain source only."""
    tree, *places = sys.argv[1:]
    for path_inside in places:
        for path in _modules(tree + path_inside):
            py_compile.compile(
                path,
                dfile=path.removeprefix(tree),
                doraise=False,
                quiet=2,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )


def _modules(root: str) -> Iterator[str]:
    if root.endswith(".py"):
        yield root
    for where, subfolders, files in os.walk(root):
        subfolders.sort()
        yield from (f"{where}/{name}" for name in sorted(files) if name.endswith(".py"))


if __name__ == "__main__":
    main()
