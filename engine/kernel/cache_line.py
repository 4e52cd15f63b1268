"""What a compiled module tells the processor about memory; plain Python has no such thing.

In C it is the macro that ``solving_suits.pxd`` declares, and this module is not compiled.
"""

from __future__ import annotations


def fetch(word: int) -> None:
    """Have the line of memory that a word is in brought to the processor, and go on meanwhile.

    In C it takes the word's address and does not wait for it, as reading it would.
    """
