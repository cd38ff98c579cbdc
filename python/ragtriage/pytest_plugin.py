"""Gates as tests: ``pytest --rag-config ragtriage.toml --rag-baseline runs/main``.

::

    def test_rag(rag_run):
        rag_run.check(min={"EM@5": 0.6}, max_drop={"AnswerCorrect": 0.05})

The fixture ``rag_run`` runs the configuration once for all tests. A failed gate shows its sentence.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from ragtriage.errors import RagtriageError

if TYPE_CHECKING:
    from ragtriage import Run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("ragtriage", "gates on a RAG pipeline")
    group.addoption("--rag-config", metavar="FILE", help="configuration that the fixture rag_run runs")
    group.addoption("--rag-results", metavar="FILE", help="results file that rag_run imports with that configuration, in place of a run")
    group.addoption("--rag-partial", action="store_true", help="leave out questions without a line in that file")
    group.addoption("--rag-baseline", metavar="RUN", help="baseline of its checks: the folder of a run")


@pytest.fixture(scope="session")
def rag_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of ``--rag-config``, checked against ``--rag-baseline`` where a check names no baseline."""
    import ragtriage

    config, results, baseline = (request.config.getoption(f"--rag-{name}") for name in ("config", "results", "baseline"))
    if config is None:
        raise pytest.UsageError("the fixture rag_run needs --rag-config FILE")
    out = tmp_path_factory.mktemp("ragtriage")
    if results is None:
        run = ragtriage.run(config, out=out, name="run")
    else:
        is_partial = bool(request.config.getoption("--rag-partial"))
        run = ragtriage.diagnose(results, config, out=out, name="run", partial=is_partial)
    return ragtriage.Run(run.path, baseline=baseline)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Shows the sentences of failed gates, and the errors of the program, in place of a traceback."""
    outcome = yield
    error = call.excinfo.value if call.excinfo is not None else None
    runs = sys.modules.get("ragtriage._runs")
    if runs is not None and isinstance(error, runs.GateFailed):
        outcome.get_result().longrepr = "\n".join(f"gate failed: {line}" for line in str(error).splitlines())
    elif "rag_run" in getattr(item, "fixturenames", ()) and isinstance(error, (pytest.UsageError, RagtriageError)):
        outcome.get_result().longrepr = f"error: {error}"
