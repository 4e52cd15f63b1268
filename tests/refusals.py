"""What a call is refused with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

Refused = TypeVar("Refused", bound=BaseException)


def refusal(kind: type[Refused], call: Callable[..., Any], *args: Any, **options: Any) -> Refused:
    """The error of this kind that the call raises."""
    with pytest.raises(kind) as caught:
        call(*args, **options)
    return caught.value
