"""Starts a Python bot. Copied into the runtime tree and run there as a script; imports almost nothing.

    launcher.py BUNDLE_FOLDER ENTRY_POINT [LIBRARY_FOLDER]

Puts the bot's folder first on ``sys.path`` and the platform's libraries last, so that ``import strategy``
finds the bot's own module and ``from bots.sdk import Bot`` the platform's. Then runs the entry point as
``__main__``. Standard output is flushed at every line end.
"""

import builtins
import posix
import sys

_pipe2 = posix.pipe2


def pipe() -> tuple[int, int]:
    """Replace ``os.pipe``; also works where the sandbox refuses pipe2(2)."""
    return pipe2(posix.O_CLOEXEC)


def pipe2(flags: int, /) -> tuple[int, int]:
    """Replace ``os.pipe2``; also works where the sandbox refuses pipe2(2)."""
    try:
        return _pipe2(flags)
    except PermissionError:
        # Installed in the runtime tree: own_pipes.py.
        import _own_pipes  # type: ignore[import-not-found]

        ends: tuple[int, int] = _own_pipes.pipe2(flags)
        return ends


def main() -> None:
    folder, entry_point, *libraries = sys.argv[1:]
    path = f"{folder}/{entry_point}"
    own_folder = path.rpartition("/")[0]
    sys.path[:0] = [own_folder] if own_folder == folder else [own_folder, folder]
    sys.path += libraries
    sys.argv[:] = [path]
    # Defined by the site module, which is disabled.
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]
    # Before any import of os, which copies them from posix.
    posix.pipe, posix.pipe2 = pipe, pipe2
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        with open(path, "rb") as file:  # noqa: PTH123  (pathlib would double the start-up time)
            source = file.read()
    except OSError as error:
        sys.exit(f"cannot read entry point {entry_point!r} of the bundle: {error.strerror}")
    module = type(sys)("__main__")
    module.__file__ = path
    module.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = module
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        import traceback

        own_frames = error.__traceback__.tb_next if error.__traceback__ is not None else None
        traceback.print_exception(error.with_traceback(own_frames))
        sys.exit(1)


if __name__ == "__main__":
    main()
