"""Finds the program and runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from .errors import BinaryError, CommandError

VARIABLE = "RAGTRIAGE_BINARY"
"""Environment variable with the path of a program to use instead of the installed one."""


@cache
def path() -> str:
    """Returns the program's path: ``RAGTRIAGE_BINARY``, the one installed with this package, or the first in ``PATH``.

    Raises:
        BinaryError: There is no such program.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not Path(chosen).is_file():
            raise BinaryError(f"no file `{chosen}` (from {VARIABLE})", f"unset {VARIABLE} to use the installed program")
        return chosen
    found = shutil.which("ragtriage", path=sysconfig.get_path("scripts")) or shutil.which("ragtriage")
    if found is None:
        raise BinaryError("the program `ragtriage` is not installed", "`pip install ragtriage` installs it")
    return found


def run(arguments: Sequence[str | os.PathLike[str]], *, accepts: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    """Runs the program and returns its exit code and outputs.

    Args:
        arguments: The arguments, without the program's name.
        accepts: The exit codes that are not failures: 1 is a gate's.

    Raises:
        BinaryError: There is no program.
        CommandError: The program ended with another exit code.
    """
    done = subprocess.run([path(), *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode not in accepts:
        message, hint = _parse(done.stderr)
        raise CommandError(message or f"ragtriage ended with exit code {done.returncode}", hint, exit_code=done.returncode)
    return done


def _parse(stderr: str) -> tuple[str, str | None]:
    """Returns the message and hint of the last error that the program printed."""
    message, hint = "", None
    for line in stderr.splitlines():
        if line.startswith("error: "):
            message, hint = line.removeprefix("error: "), None
        elif line.startswith("hint: "):
            hint = line.removeprefix("hint: ")
    return message, hint
