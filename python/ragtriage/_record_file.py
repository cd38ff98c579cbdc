"""The file of a record: whole lines are appended, or nothing."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import RecordError


class RecordFile:
    """Appends questions, one a line. The caller sees that one thread writes at a time.

    Args:
        path: The record. An existing file is replaced.
        resume: Keep the lines of an existing file. A last line that an interrupted process left incomplete is removed.

    Raises:
        RecordError: The file cannot be written, is not a record, or is open in another recorder.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        self.ids: set[str] = set()
        try:
            self._file: int | None = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise RecordError(f"cannot write `{path}`: {error.strerror}", "check the folder and its permissions") from error
        try:
            self._lock()
            self._keep(self._known() if resume else 0)
        except BaseException:
            self.close()
            raise

    @property
    def is_closed(self) -> bool:
        """True after :meth:`close`."""
        return self._file is None

    def append(self, line: Mapping[str, Any]) -> None:
        """Writes a question. After an error nothing of it is in the file.

        Raises:
            TypeError: A value is not one of JSON.
            ValueError: A number is not finite.
            OSError: The disk is full, for example.
        """
        file = self._file_open()
        # A lone surrogate is no text that UTF-8 can hold.
        data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode("utf-8", errors="replace") + b"\n"
        before = os.fstat(file).st_size
        try:
            written = 0
            while written < len(data):
                written += os.write(file, data[written:])
        except OSError:
            self._keep(before)
            raise

    def close(self) -> None:
        """Closes the file, and with it its lock."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _keep(self, size: int) -> None:
        """Removes what is behind the first ``size`` bytes. Devices have no size."""
        if os.path.isfile(self.path):
            os.ftruncate(self._file_open(), size)

    def _known(self) -> int:
        """Notes the ids of the complete lines, and returns how many bytes they take."""
        data = self.path.read_bytes()
        complete = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:complete].split(b"\n")[:-1], 1):
            known = _id_of(line)
            if known is None:
                raise self._other_file(number)
            self.ids.add(known)
        rest = data[complete:]
        last = _id_of(rest)
        if last is not None:
            os.write(self._file_open(), b"\n")
            self.ids.add(last)
            return len(data) + 1
        if rest and not rest.startswith(b"{"):
            raise self._other_file(len(self.ids) + 1)
        return complete

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file_open(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordError(f"`{self.path}` is open in another recorder", "close that one, or name another file") from error
        except OSError:  # The file system has no locks.
            return

    def _file_open(self) -> int:
        assert self._file is not None
        return self._file

    def _other_file(self, number: int) -> RecordError:
        message = f"`{self.path}`, line {number}: not a question of a record"
        return RecordError(message, "resume a file that a Recorder wrote, or name another")


def _id_of(line: bytes) -> str | None:
    try:
        known = json.loads(line)
        key = known["id"] if "id" in known else known["question"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return key if isinstance(key, str) else None
