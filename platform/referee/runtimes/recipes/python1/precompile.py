"""Compiles a runtime tree. Run as a script by the tree's own interpreter version.

    precompile.py TREE PATH..          folders and modules below TREE, as bots see them

Bytecode is never checked against its source, and compiled in sorted order: same sources, same bytes.
"""

import os
import py_compile
import sys
from collections.abc import Iterator


def main() -> None:
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
