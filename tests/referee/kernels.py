"""A kernel of two lines for tests: packages as ``engine.kernel`` is one, compiled or not."""

from __future__ import annotations

import hashlib
import subprocess
import sysconfig
from pathlib import Path

from referee.runtimes import kernel

INIT = b"from engine.kernel import counting\n\nis_compiled = counting.__file__.endswith('.so')\n"
TWIN = b"def seven():\n    return 7\n"
C = """\
#include <Python.h>
static PyObject *seven(PyObject *self, PyObject *none) { return PyLong_FromLong(7); }
static PyMethodDef methods[] = {{"seven", seven, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "counting", "", -1, methods};
PyMODINIT_FUNC PyInit_counting(void) { return PyModule_Create(&module); }
"""


def twin(folder: Path) -> Path:
    """A folder with the sources of the kernel alone."""
    folder.mkdir()
    (folder / "__init__.py").write_bytes(INIT)
    (folder / "counting.py").write_bytes(TWIN)
    return folder


def pretended(folder: Path) -> Path:
    """The same with a file in place of a compiled module."""
    pretend(twin(folder))
    return folder


def pretend(folder: Path, code: bytes = b"machine code") -> Path:
    """A file in place of the module, compiled of the source that is there."""
    sha256 = hashlib.sha256((folder / "counting.py").read_bytes()).hexdigest()
    target = folder / f"counting{kernel.own_suffix()}"
    target.write_bytes(code + f"\0rensho-made-of: counting.py={sha256};\0".encode())
    return target


def compiled(folder: Path) -> Path:
    """The same with the module compiled."""
    source = twin(folder).with_suffix(".c")
    source.write_text(C)
    target = folder / f"counting{kernel.own_suffix()}"
    include = f"-I{sysconfig.get_path('include')}"
    command = ["gcc", "-O0", "-shared", "-fPIC", include, "-o", str(target), str(source)]
    subprocess.run(command, check=True, timeout=60, stdin=subprocess.DEVNULL)
    return folder
