"""What a command module needs to add itself to ``rensho``."""

from __future__ import annotations

import argparse
from typing import TypeAlias

# The class that argparse gives for subparsers has no public name; its parameter exists for checkers only.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where ``register(commands)`` adds its parser, with ``set_defaults(command=function)``."""
