"""The short examples in docstrings are right."""

import doctest
import importlib
import pkgutil

import pytest

import bots.sdk
import engine
import league
import referee

MODULES = sorted(
    module.name
    for package in (engine, league, referee, bots.sdk)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
