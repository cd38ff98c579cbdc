"""Times ragtriage's scoring against pytrec_eval and ranx on the same files, and checks that they agree.

    python -m venv venv && venv/bin/pip install -r benches/peers/requirements.txt
    venv/bin/python benches/peers/peers.py target/release/ragtriage
    venv/bin/python benches/peers/peers.py target/release/ragtriage --predictions PREDICTIONS.json --gold GOLD.json

What the rows mean and what they do not: README.md beside this file.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
METRICS = ["nDCG@10", "AP", "RR", "P@5", "Recall@100"]
MEBIBYTE = 1 << 20
# getrusage counts kibibytes on Linux, bytes on macOS.
RSS_UNIT = 1 if sys.platform == "darwin" else 1 << 10


class Sample:
    """One process: its wall seconds, its peak memory in bytes, what it printed."""

    def __init__(self, command, folder, environment=None):
        out, err = Path(folder, "stdout"), Path(folder, "stderr")
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            begun = time.perf_counter()
            child = subprocess.Popen(command, stdout=stdout, stderr=stderr, env={**os.environ, **(environment or {})})
            _, status, usage = os.wait4(child.pid, 0)
            self.seconds = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{command[0]} ended with {child.returncode}: {err.read_text()[-2000:]}")
        self.peak = usage.ru_maxrss * RSS_UNIT
        self.printed, self.talk = out, err


def in_process(sample):
    """The seconds that a worker says reading and evaluating took."""
    return float(sample.talk.read_text().splitlines()[-1])


def means_of_ragtriage(printed):
    """{metric: mean} of `ragtriage score --json`."""
    metrics = json.loads(printed)["files"][0]["metrics"]
    return {name: metrics[name]["mean"] for name in METRICS}


def row(name, seconds, peak, base):
    """A line of the table; the ratio is to ragtriage's median."""
    median = statistics.median(seconds)
    ratio = f"{median / base:.1f}" if base else ""
    memory = f"{peak / MEBIBYTE:.0f}" if peak else ""
    print(f"| {name} | {median:.3f} | {min(seconds):.3f} | {max(seconds):.3f} | {ratio} | {memory} |")


def heading(text):
    """Begins a table."""
    print(f"\n{text}\n\n| tool | median s | min s | max s | times ragtriage | peak MiB |\n|---|---|---|---|---|---|")


def score_command(ragtriage, folder):
    """ragtriage on the files of a folder."""
    metrics = [part for name in METRICS for part in ("-m", name)]
    return [ragtriage, "score", "--run", str(folder / "run.trec"), "--qrels", str(folder / "qrels.trec"), *metrics, "--per-query", "--json"]


def make(folder, n_queries, n_documents):
    """The files, made in a process of its own: the parent's size would count as every child's peak."""
    folder.mkdir()
    subprocess.run([sys.executable, HERE / "make_run.py", folder, str(n_queries), str(n_documents)], check=True)


def against_peers(ragtriage, folder, repetitions):
    """1,000 queries x 1,000 documents, every tool in turn, several times over."""
    files = folder / "thousand"
    make(files, 1_000, 1_000)
    run, qrels = str(files / "run.trec"), str(files / "qrels.trec")
    # ranx keeps what numba compiled in a folder: this one starts empty.
    numba = {"NUMBA_CACHE_DIR": str(folder / "numba")}
    worker = [sys.executable, str(HERE / "worker.py")]

    whole, alone, peak, means = {}, {}, {}, {}

    def take(name, command, reader, environment=None):
        sample = Sample(command, folder, environment)
        whole.setdefault(name, []).append(sample.seconds)
        peak[name] = max(peak.get(name, 0), sample.peak)
        means[name] = reader(sample.printed.read_text())
        return sample

    def means_of_worker(printed):
        return json.loads(printed)["means"]

    first = Sample([*worker, "ranx", run, qrels], folder, numba)
    for _ in range(repetitions):
        if ragtriage:
            command = score_command(ragtriage, files)
            take("ragtriage", command, means_of_ragtriage)
            take("ragtriage --resamples 0", [*command, "--resamples", "0"], means_of_ragtriage)
        take("pytrec_eval", [*worker, "pytrec_eval", run, qrels], means_of_worker)
        take("ranx", [*worker, "ranx", run, qrels], means_of_worker, numba)
        for tool in ("pytrec_eval", "ranx"):
            warm = Sample([*worker, tool, run, qrels, "--warm"], folder, numba)
            alone.setdefault(tool, []).append(in_process(warm))

    base = statistics.median(whole["ragtriage"]) if ragtriage else None
    heading(f"1,000 queries x 1,000 documents, {', '.join(METRICS)}, every query's values printed as JSON, {repetitions} interleaved repetitions")
    for name in whole:
        row(f"{name}, whole process", whole[name], peak[name], base)
    row("ranx, whole process, numba compiles first", [first.seconds], first.peak, base)
    for name in alone:
        row(f"{name}, reading and evaluating alone, warm", alone[name], None, base)

    names = list(means)
    for name in METRICS:
        values = [means[tool][name] for tool in names]
        spread = max(values) - min(values)
        print(f"{name}: {'; '.join(f'{tool} {value:.9f}' for tool, value in zip(names, values))}" + ("" if spread <= 1e-6 else "  DIFFER"))
        if spread > 1e-6:
            sys.exit(f"the tools differ by {spread} in {name}")
    print(f"\nall means within 1e-6 of each other: {', '.join(names)}")


def one_tool(name, command, folder, repetitions, seconds_limit=None, bytes_limit=None):
    """ragtriage alone; says whether a limit holds."""
    samples = [Sample(command, folder) for _ in range(repetitions)]
    heading(f"{name}, {repetitions} repetitions")
    row("ragtriage, whole process", [sample.seconds for sample in samples], max(sample.peak for sample in samples), None)
    median = statistics.median(sample.seconds for sample in samples)
    peak = max(sample.peak for sample in samples)
    if seconds_limit and median >= seconds_limit:
        sys.exit(f"{median:.3f} s is not under {seconds_limit} s")
    if bytes_limit and peak >= bytes_limit:
        sys.exit(f"{peak} bytes is not under {bytes_limit}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ragtriage", nargs="?", help="the built program; without it the peers alone are timed")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--predictions", help="HotpotQA predictions, timed with --gold")
    parser.add_argument("--gold", help="the HotpotQA golds they answer")
    given = parser.parse_args()
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        against_peers(given.ragtriage, folder, given.repetitions)
        if not given.ragtriage:
            return
        big = folder / "ten-thousand"
        make(big, 10_000, 1_000)
        one_tool("10,000 queries x 1,000 documents", score_command(given.ragtriage, big), folder, 3, bytes_limit=10**9)
        if given.predictions:
            command = [given.ragtriage, "score", "--predictions", given.predictions, "--gold", given.gold, "--json"]
            one_tool("predictions, with intervals", command, folder, given.repetitions)
            one_tool("predictions, --resamples 0", [*command, "--resamples", "0"], folder, given.repetitions, seconds_limit=0.1)


if __name__ == "__main__":
    main()
