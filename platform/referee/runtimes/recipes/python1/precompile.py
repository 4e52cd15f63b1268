"""Compiles a runtime tree. Run as a script by the very interpreter the tree holds.

    precompile.py TREE FOLDER..        folders below TREE, as the bots will see them

Every module gets bytecode that is never checked against its source, since the tree never changes.
Runs in a separate process, in sorted order, so that the same sources give the same bytes.
"""

import os
import py_compile
import sys


def main() -> None:
    """Compile every module below the folders; one that does not compile is left as source."""
    tree, *folders = sys.argv[1:]
    for folder in folders:
        for where, subfolders, files in os.walk(tree + folder):
            subfolders.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    path = f"{where}/{name}"
                    py_compile.compile(
                        path,
                        dfile=path.removeprefix(tree),
                        doraise=False,
                        quiet=2,
                        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
                    )


if __name__ == "__main__":
    main()
