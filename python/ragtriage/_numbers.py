"""Numbers of other libraries, such as numpy, as those of Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def finite(value: Any, convert: Callable[[Any], float]) -> Any:
    """Returns what ``convert`` makes of a value: ``float``, or ``operator.index`` for whole numbers; ``None`` if it is no finite number.

    A text is no number, even if it can be read as one.
    """
    if isinstance(value, str):
        return None
    try:
        number = convert(value)
        return number if math.isfinite(number) else None
    except (TypeError, ValueError, OverflowError):
        return None
