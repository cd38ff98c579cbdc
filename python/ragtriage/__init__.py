"""Record a RAG pipeline from Python, and ask which stage lost each answer.

The package starts the program ``ragtriage``, which computes everything; nothing is computed in Python.
"""

from __future__ import annotations

from .errors import BinaryError, CommandError, RagtriageError, RecordError

__all__ = ["BinaryError", "CommandError", "RagtriageError", "RecordError"]
