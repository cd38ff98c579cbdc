"""Records a RAG pipeline from Python, and says which stage lost each answer.

The package starts the program ``ragtriage``, which computes every number.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._dataset import Dataset, dataset
    from ._diagnosis import diagnose, run
    from ._recorder import Question, Recorder, record
    from ._runs import Check, ClassShare, Comparison, Difference, Gate, GateFailed, Mean, Run, UnknownMetricError, Verdict, compare
    from ._scoring import Scores, score, score_answers
    from .errors import BinaryError, CommandError, RagtriageError, RecordError

__all__ = [
    "BinaryError",
    "Check",
    "ClassShare",
    "CommandError",
    "Comparison",
    "Dataset",
    "Difference",
    "Gate",
    "GateFailed",
    "Mean",
    "Question",
    "RagtriageError",
    "RecordError",
    "Recorder",
    "Run",
    "Scores",
    "UnknownMetricError",
    "Verdict",
    "compare",
    "dataset",
    "diagnose",
    "record",
    "run",
    "score",
    "score_answers",
]

_MODULES = ("errors", "_recorder", "_runs", "_dataset", "_scoring", "_diagnosis")


def __getattr__(name: str) -> Any:
    """Imports what is used first, so that ``import ragtriage`` takes a millisecond."""
    if name in __all__:
        for module in _MODULES:
            found = importlib.import_module(f".{module}", __name__)
            if name in getattr(found, "__dict__", {}):
                globals()[name] = getattr(found, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
