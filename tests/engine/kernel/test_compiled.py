"""Modules of the kernel that have C types: their functions in C make no Python objects."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TYPED = sorted((ROOT / "engine" / "kernel").glob("*.pxd"))
A_FUNCTION = re.compile(r"^ *cdef (?:inline )?(?:[a-z]+ )+(\w+)\(", re.MULTILINE)
CALLS_PYTHON = {"poll_limits"}
"""Now and then the solver asks Python whether to go on."""
OBJECTS = re.compile(r"\b(?:PyNumber|PyObject|PyLong|PyErr|__Pyx_Py\w*|__Pyx_GetModule\w*)_\w+")


@pytest.mark.parametrize("types", TYPED, ids=[types.stem for types in TYPED])
def test_no_number_of_a_typed_function_is_a_python_object(types):
    c_file = ROOT / "var" / "kernel" / f"{types.stem}.c"
    assert c_file.exists(), "make setup compiles it, with what deploy/system-packages.sh tests installs"
    code, names = c_file.read_text(), set(A_FUNCTION.findall(types.read_text())) - CALLS_PYTHON
    assert names
    for name in names:
        # Cython spells a method with its class; the body ends at the first brace that stands at the margin.
        bodies = re.findall(
            rf"^static [^;\n]*__pyx_f_\w*{types.stem}(?:_[0-9]+[A-Za-z]+)?_{name}\([^;\n]*\) {{\n(.*?)^}}",
            code,
            re.M | re.S,
        )
        assert len(bodies) == 1, name
        assert OBJECTS.findall(bodies[0]) == [], name
