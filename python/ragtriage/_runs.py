"""Finished runs: their metrics, verdict, failure classes, questions and gates."""

from __future__ import annotations

import difflib
import html
import json
import os
import shutil
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from . import _binary
from ._tables import Kind, frame
from .errors import RagtriageError

Format = Literal["html", "screen", "terminal", "md", "json"]
GateMode = Literal["interval", "strict", "mean"]

_TEXTS = ("id", "question", "kind", "class", "fault", "cause", "reason", "answer", "correct", "correct_because")
_LISTS = ("tags", "flags", "gold_answers", "unsupported")
"""Columns of the table of questions that hold texts and lists of texts; the others are metrics."""


class UnknownMetricError(RagtriageError, KeyError):
    """A run has no value of a metric."""

    __str__ = RagtriageError.__str__


class GateFailed(RagtriageError, AssertionError):  # noqa: N818
    """A run failed its gates.

    Attributes:
        check: All gates with their verdicts.
    """

    def __init__(self, check: Check) -> None:
        sentences = (f"{gate.gate}: {gate.reason}" for gate in check.gates if gate.verdict == "fail")
        super().__init__("\n".join(sentences))
        self.check = check


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a metric over n questions, with its 95% confidence interval.

    ``low`` and ``high`` are ``None`` where no interval can be computed.
    """

    mean: float
    n: int
    low: float | None
    high: float | None

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        return f"{self.mean:.3f}{_interval(self.low, self.high)} (n = {self.n})"


@dataclass(frozen=True, slots=True)
class ClassShare:
    """The questions of a failure class: their number, and their share with its 95% confidence interval."""

    count: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.count} ({self.share:.1%}, 95% CI [{self.low:.1%}, {self.high:.1%}])"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether retrieval is the bottleneck.

    Attributes:
        text: The verdict in a sentence or two.
        conclusion: ``retrieval``, ``generator``, ``undecided``, ``retrieval_only`` or ``withheld``.
        bottleneck: The stage or fault that loses most, or ``None``.
        cautions: What limits the verdict. ``str(verdict)`` has them as well.
    """

    text: str
    conclusion: str
    bottleneck: str | None
    cautions: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((self.text, *self.cautions))


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and its verdict: ``pass``, ``fail`` or ``inconclusive``."""

    gate: str
    verdict: str
    value: float
    low: float | None
    high: float | None
    limit: float
    n: int
    reason: str


@dataclass(frozen=True, slots=True)
class Check:
    """The gates of a run, in their order."""

    passed: bool
    gates: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The paired difference of a metric, run minus baseline, with its 95% confidence interval and p-values."""

    metric: str
    baseline: float
    run: float
    delta: float
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n: int
    wins: int
    ties: int
    losses: int

    def __float__(self) -> float:
        return self.delta

    def __str__(self) -> str:
        p = "" if self.p is None else f", p = {self.p:.3f}"
        return f"{self.delta:+.3f}{_interval(self.low, self.high)}{p} (n = {self.n})"


class _Screen:
    """Shows itself as the program prints it, in a notebook as well."""

    @cached_property
    def _screen(self) -> str:
        return _binary.in_python(_binary.run(self._command()).stdout)

    def _command(self) -> list[str | os.PathLike[str]]:
        raise NotImplementedError

    def __str__(self) -> str:
        return self._screen

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._screen)}</pre>"

    def _repr_markdown_(self) -> str:
        return textwrap.indent(self._screen, "    ")


class Comparison(_Screen, Mapping[str, Difference]):
    """Differences by metric. Printed, and in a notebook, it is the report of ``ragtriage compare``.

    Attributes:
        verdict: The verdict in a sentence.
    """

    def __init__(self, pair: Mapping[str, Any], command: Sequence[str | os.PathLike[str]]) -> None:
        self.verdict: str = pair["verdict"]
        self._arguments = list(command)
        self._differences = {
            found["metric"]: Difference(
                found["metric"],
                found["baseline"],
                found["run"],
                found["delta"],
                *_bounds(found["ci95"]),
                found["p"],
                found["p_holm"],
                found["n"],
                found["wins"],
                found["ties"],
                found["losses"],
            )
            for found in pair["metrics"]
        }

    def __getitem__(self, metric: str) -> Difference:
        try:
            return self._differences[metric]
        except KeyError:
            raise _unknown(metric, self._differences) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._differences)

    def __len__(self) -> int:
        return len(self._differences)

    def __repr__(self) -> str:
        return f"<Comparison: {self.verdict}>"

    def _command(self) -> list[str | os.PathLike[str]]:
        return self._arguments


class Run(_Screen):
    """A finished run in its folder.

    ``run["EM@5"]`` is a :class:`Mean`. The run is evaluated by the program when it is first asked. Printed, and in a notebook, it is the
    first screen of the report.

    Args:
        path: The run's folder.
        baseline: The baseline of checks that name none: a run or its folder.

    Raises:
        CommandError: When it is first asked: there is no finished run in the folder.
    """

    def __init__(self, path: str | os.PathLike[str], *, baseline: Run | str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path)
        self._baseline = baseline

    @cached_property
    def summary(self) -> dict[str, Any]:
        """``summary.json``, as ``ragtriage schema summary`` describes it."""
        summary: dict[str, Any] = _binary.json(["report", self.path, "--format", "json"])
        return summary

    def __getitem__(self, metric: str) -> Mean:
        """Returns the mean of a metric.

        Raises:
            UnknownMetricError: The run has no value of it.
        """
        means = self.summary["metrics"]
        if metric in self.summary["class_shares"]:
            raise UnknownMetricError(f"`{metric}` is a failure class, not a metric", f'`run.classes["{metric}"]` is its share')
        if metric not in means:
            raise _unknown(metric, means)
        found = means[metric]
        return Mean(found["mean"], found["n"], *_bounds(found["ci95"]))

    @property
    def metrics(self) -> dict[str, Mean]:
        """The means of all metrics."""
        return {metric: self[metric] for metric in self.summary["metrics"]}

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, or ``None`` if no question can be judged."""
        found = self.summary.get("verdict")
        if found is None:
            return None
        text, *cautions = map(_binary.in_python, (found["text"], *found.get("cautions", ())))
        return Verdict(text, found["conclusion"], found.get("bottleneck"), tuple(cautions))

    @property
    def classes(self) -> dict[str, ClassShare]:
        """The questions of each failure class."""
        shares = self.summary["class_shares"].items()
        return {name: ClassShare(found["count"], found["share"], *found["ci95"]) for name, found in shares}

    def questions(self, kind: Kind = "dict") -> Any:
        """Returns a row for each question: its failure class with the reason, tags, answer, gold answers, and the values of all metrics: ``outcomes.jsonl``.

        The columns of two runs have equal types, so that the frames concatenate. ``tags``, ``flags``, ``gold_answers`` and ``unsupported`` are lists.

        Args:
            kind: ``dict`` (rows by question id), ``pandas`` or ``polars``.
        """
        lines = (self.path / "outcomes.jsonl").read_text(encoding="utf-8").split("\n")
        rows = [{**dict.fromkeys(_TEXTS), **{name: [] for name in _LISTS}, **json.loads(line)} for line in lines if line]
        names = list(rows[0]) if rows else ["id"]
        types = {name: str if name in _TEXTS else list if name in _LISTS else float for name in names}
        return frame(rows, kind, "id", types)

    def report(self, path: str | os.PathLike[str] | None = None, format: Format = "html", *, text: bool = True) -> Path:  # noqa: A002
        """Writes a report and returns its path.

        Args:
            path: The file; by default in the run's folder: the HTML report's own, ``report.txt`` for a text, else ``report.FORMAT``.
            format: A format of ``ragtriage report``.
            text: False omits documents, gold answers and answers.
        """
        printed = _binary.run(["report", self.path, "--format", format, *([] if text else ["--no-text"])]).stdout
        if format == "html":
            written = Path(printed.removesuffix("\n"))
            return written if path is None else Path(shutil.copy(written, path))
        ending = "txt" if format in ("terminal", "screen") else format
        target = self.path / f"report.{ending}" if path is None else Path(path)
        target.touch(mode=0o600)
        target.write_text(printed, encoding="utf-8")
        return target

    def check(
        self,
        *,
        min: Mapping[str, float] | None = None,  # noqa: A002
        max: Mapping[str, float] | None = None,  # noqa: A002
        max_drop: Mapping[str, float] | None = None,
        baseline: Run | str | os.PathLike[str] | None = None,
        mode: GateMode | None = None,
        config: str | os.PathLike[str] | None = None,
    ) -> Check:
        """Checks the run against gates: those given, and those of its configuration.

        Warns of inconclusive gates, which pass.

        Args:
            min: Minimum means by metric, and minimum shares by failure class.
            max: Maximum means by metric, and maximum shares by failure class.
            max_drop: Maximum losses compared with the baseline; rises where lower is better.
            baseline: A run or its folder.
            mode: Decide by confidence interval or by mean.
            config: Configuration file with ``[gates]``; by default ``ragtriage.toml``, if it has gates, else the run's own.

        Raises:
            GateFailed: A gate failed.
            CommandError: A gate cannot be judged.
        """
        arguments: list[str | os.PathLike[str]] = ["check", self.path, *([] if config is None else [config]), "--json"]
        for flag, gates in (("--min", min), ("--max", max), ("--max-drop", max_drop)):
            for name, limit in (gates or {}).items():
                arguments += [flag, f"{name}={float(limit)!r}"]
        baseline = self._baseline if baseline is None else baseline
        if baseline is not None:
            arguments += ["--baseline", baseline.path if isinstance(baseline, Run) else baseline]
        if mode is not None:
            arguments += ["--gate", mode]
        report = _binary.json(arguments, accepts=(0, 1))
        check = Check(report["passed"], tuple(map(_gate, report["gates"])))
        if not check.passed:
            raise GateFailed(check)
        for gate in check.gates:
            if gate.verdict != "pass":
                warnings.warn(f"{gate.gate}: {gate.reason}", stacklevel=2)
        return check

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    def _command(self) -> list[str | os.PathLike[str]]:
        return ["report", self.path, "--format", "screen"]


def compare(baseline: Run | str | os.PathLike[str], run: Run | str | os.PathLike[str], *, intersect: bool = False) -> Comparison:
    """Compares a run with a baseline, question by question.

    Args:
        baseline: The run that differences start from.
        run: The other run.
        intersect: Compare only the questions that both share.

    Raises:
        CommandError: The runs ask different questions.
    """
    folders = [value.path if isinstance(value, Run) else value for value in (baseline, run)]
    command = ["compare", *folders, *(["--intersect"] if intersect else [])]
    return Comparison(_binary.json([*command, "--json"])["pairs"][0], command)


def _gate(gate: Mapping[str, Any]) -> Gate:
    low, high = _bounds(gate["ci95"])
    return Gate(gate["gate"], gate["verdict"], gate["value"], low, high, gate["limit"], gate["n"], _binary.in_python(gate["reason"]))


def _bounds(ci95: Sequence[float] | None) -> tuple[float | None, float | None]:
    return (None, None) if ci95 is None else (ci95[0], ci95[1])


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"


def _unknown(metric: str, known: Mapping[str, object]) -> UnknownMetricError:
    near = difflib.get_close_matches(metric, known, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else "`run.metrics` has those of this run"
    return UnknownMetricError(f"the run has no metric `{metric}`", hint)
