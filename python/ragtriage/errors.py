"""Exceptions of this package, each with a hint that says what to do."""

from __future__ import annotations


class RagtriageError(Exception):
    """A failure, with the message and hint that the program prints.

    Attributes:
        message: What failed, where and why.
        hint: What to do about it, or ``None``.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.message = message
        self.hint = hint


class BinaryError(RagtriageError):
    """The program is missing, or of another version than this package."""


class CommandError(RagtriageError):
    """The program failed.

    Attributes:
        exit_code: The program's exit code.
    """

    def __init__(self, message: str, hint: str | None = None, *, exit_code: int) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


class RecordError(RagtriageError):
    """A record of questions cannot be written as asked."""
