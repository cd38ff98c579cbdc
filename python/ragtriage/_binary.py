"""Finds the program and runs it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import metadata
from json import loads
from pathlib import Path
from typing import Any, NamedTuple

from .errors import BinaryError, CommandError

VARIABLE = "RAGTRIAGE_BINARY"
"""Environment variable with the path of a program to use instead of the installed one."""

_INTERRUPT_SECONDS = 20
"""Time that an interrupted program has to finish the question in progress."""


class Done(NamedTuple):
    """The outputs of a program that ended."""

    exit_code: int
    stdout: str
    stderr: str


def path() -> str:
    """Returns the path of the program.

    It is ``RAGTRIAGE_BINARY``, the one installed with this package, or the first in ``PATH``.

    Raises:
        BinaryError: There is no such program, or it has another version than this package.
    """
    return _checked(_found(os.environ.get(VARIABLE)))


def _found(chosen: str | None) -> str:
    if chosen:
        if not Path(chosen).is_file():
            raise BinaryError(f"no file `{chosen}` (from {VARIABLE})", f"unset {VARIABLE} to use the installed program")
        return chosen
    found = shutil.which("ragtriage", path=sysconfig.get_path("scripts")) or shutil.which("ragtriage")
    if found is None:
        raise BinaryError("the program `ragtriage` is not installed", "`pip install ragtriage` installs it; or name it in `RAGTRIAGE_BINARY`")
    return found


@cache
def _checked(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, errors="replace", check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BinaryError(f"cannot run `{program}`: {error}", "install the package again") from error
    found = done.stdout.strip().removeprefix("ragtriage ")
    try:
        expected = metadata.version("ragtriage")
    except metadata.PackageNotFoundError:  # The source tree, not an installed package.
        return program
    if found != expected:
        message = f"`{program}` has version {found}, but the Python package has version {expected}"
        raise BinaryError(message, f"install the package again, or unset {VARIABLE}")
    return program


def run(arguments: Sequence[str | os.PathLike[str]], *, accepts: Sequence[int] = (0,)) -> Done:
    """Runs the program and returns its exit code and outputs.

    An interrupt is passed on, so that the program keeps what it has done. A second one, or 20 seconds, kill it.

    Args:
        arguments: The arguments, without the program's name.
        accepts: The exit codes that are not failures; 1 is that of a failed gate.

    Raises:
        BinaryError: There is no program, or it has another version than this package.
        CommandError: The program ended with another exit code.
    """
    command = [path(), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace"
    ) as process:
        try:
            stdout, stderr = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            try:
                with suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=_INTERRUPT_SECONDS)
            finally:
                process.kill()  # Without effect on a program that has ended.
                process.wait()
            raise
    if process.returncode not in accepts:
        message, hint = _parse(stderr)
        ended = f"ragtriage ended with exit code {process.returncode}"
        raise CommandError(message or ": ".join([ended, *stderr.splitlines()[-1:]]), hint, exit_code=process.returncode)
    return Done(process.returncode, stdout, stderr)


def json(arguments: Sequence[str | os.PathLike[str]], *, accepts: Sequence[int] = (0,)) -> Any:
    """Runs the program and returns the JSON that it printed; see :func:`run`."""
    done = run(arguments, accepts=accepts)
    try:
        return loads(done.stdout)
    except ValueError as error:
        raise CommandError(f"`{path()}` printed no JSON", "install the package again", exit_code=done.exit_code) from error


def _parse(stderr: str) -> tuple[str, str | None]:
    """Returns the message and hint of the last error that the program printed."""
    message, hint = "", None
    for line in stderr.splitlines():
        if line.startswith("error: "):
            message, hint = in_python(line.removeprefix("error: ")), None
        elif line.startswith("hint: "):
            hint = in_python(line.removeprefix("hint: "))
    return message, hint


_ARGUMENTS = {
    **{flag: f"{flag}=" for flag in ("name", "out", "config", "baseline", "level", "scorer", "documents", "llm")},
    **{flag: f"{flag}=True" for flag in ("partial", "conditions", "resume", "intersect")},
    **{"min": "min=", "max": "max=", "max-drop": "max_drop=", "gate": "mode=", "metric": "metrics=", "set": "settings="},
}
"""Keyword arguments of this package, by the program's flags."""

_CALLS = (
    (r"ragtriage report \S+ --format (\w+)", r'run.report(format="\1")'),
    (r"ragtriage report [^\s`]+(?= *(`|$))", "run.report()"),
    (r"ragtriage compare \S+ [^\s`]+", "ragtriage.compare(baseline, run)"),
    (r"ragtriage run (?:\S+ )?--resume ([^\s`]+)", r'ragtriage.run(config, name="\1", resume=True)'),
    (r"--resume ([\w.-]+)", r'name="\1", resume=True'),
    (r"--set ([\w.]+)=([^\s`,;]+)", r'settings={"\1": \2}'),
    (r"--(min|max|max-drop) ([\w@/()]+)=([\d.]+)", lambda found: f'{found[1].replace("-", "_")}={{"{found[2]}": {found[3]}}}'),
    (r"--(llm|scorer|gate) ([^\s`,;]+)", lambda found: f'{_ARGUMENTS[found[1]]}"{found[2]}"'),
    (r"--([a-z]+(?:-[a-z]+)?)(?: ([A-Z]+\b))?", lambda found: _argument(found[1], found[2]) or found[0]),
)
"""Commands and flags in the texts of the program, and what is called or passed instead."""


def _argument(flag: str, value: str | None) -> str | None:
    name = _ARGUMENTS.get(flag)
    return None if name is None else name + (value or "") if name.endswith("=") else name


def in_python(text: str) -> str:
    """Returns a text of the program with keyword arguments and calls for the flags and commands that this package has."""
    for pattern, replacement in _CALLS:
        text = re.sub(pattern, replacement, text)
    return text
