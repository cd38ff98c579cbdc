"""The package as a whole: imports, the program, its errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import ragtriage
from ragtriage import _binary


def test_importing_brings_no_other_library() -> None:
    code = "import sys; import ragtriage; ragtriage.Recorder; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "polars", "numpy", "langchain_core", "llama_index", "haystack", "pytest"} & set(loaded)


def test_every_public_name_can_be_imported() -> None:
    for name in ragtriage.__all__:
        assert getattr(ragtriage, name).__doc__, name


def test_an_error_of_the_program_is_an_exception_with_its_hint() -> None:
    with pytest.raises(ragtriage.CommandError) as raised:
        _ = ragtriage.Run("missing").summary
    assert "missing" in raised.value.message
    assert raised.value.hint
    assert raised.value.exit_code != 0


def test_a_missing_program_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGTRIAGE_BINARY", str(tmp_path / "none"))
    with pytest.raises(ragtriage.BinaryError, match="no file"):
        _binary.path()


def test_a_program_of_another_version_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "ragtriage"
    program.write_text("#!/bin/sh\necho ragtriage 9.9.9\n")
    program.chmod(0o755)
    monkeypatch.setenv("RAGTRIAGE_BINARY", str(program))
    monkeypatch.setattr(_binary.metadata, "version", lambda name: "0.1.0")
    with pytest.raises(ragtriage.BinaryError, match=r"has version 9\.9\.9, but the Python package has version 0\.1\.0"):
        _binary.path()


def test_an_interrupt_is_passed_on_and_ends_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "ragtriage"
    program.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, sys, time\n"
        "if sys.argv[1] == '--version': sys.exit(print('ragtriage 0'))\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "try:\n"
        "    (folder / 'started').touch()\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    (folder / 'kept').touch()\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("RAGTRIAGE_BINARY", str(program))
    monkeypatch.setattr(_binary.metadata, "version", lambda name: "0")

    def interrupt() -> None:
        while not (tmp_path / "started").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        _binary.run(["run"])
    assert (tmp_path / "kept").exists()


@pytest.mark.parametrize(("interrupts", "patience"), [(1, 0.5), (2, 60.0)])
def test_a_program_that_ignores_an_interrupt_is_killed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, interrupts: int, patience: float
) -> None:
    program = tmp_path / "ragtriage"
    program.write_text(
        f"#!{sys.executable}\n"
        "import os, pathlib, signal, sys, time\n"
        "if sys.argv[1] == '--version': sys.exit(print('ragtriage 0'))\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "(folder / 'new').write_text(str(os.getpid()))\n"
        "(folder / 'new').rename(folder / 'pid')\n"
        "time.sleep(60)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("RAGTRIAGE_BINARY", str(program))
    monkeypatch.setattr(_binary.metadata, "version", lambda name: "0")
    monkeypatch.setattr(_binary, "_INTERRUPT_SECONDS", patience)

    def interrupt() -> None:
        while not (tmp_path / "pid").exists():
            time.sleep(0.02)
        for _ in range(interrupts):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)

    thread = threading.Thread(target=interrupt)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        _binary.run(["run"])
    assert time.monotonic() - started < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    thread.join()


def test_the_module_is_the_program() -> None:
    done = subprocess.run([sys.executable, "-m", "ragtriage", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ragtriage ")
