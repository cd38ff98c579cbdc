"""Times ragtriage's encoder against sentence-transformers (torch) and ONNX Runtime on the same texts, in turns, in one command.

    python -m venv venv && venv/bin/pip install -r benches/peers/requirements-encode.txt
    venv/bin/python benches/peers/encode.py MODEL_FOLDER TEXTS.jsonl [--texts N] [--rounds N]

MODEL_FOLDER holds all-MiniLM-L6-v2 in transformers' form; TEXTS.jsonl a JSON string a line. What the rows mean: README.md beside this file.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
OURS = ["ragtriage float32", "ragtriage float32 avx2", "ragtriage bfloat16"]
PEERS = ["torch float32", "torch bfloat16", "onnxruntime float32", "onnxruntime int8"]


class Worker:
    """A peer as a process that loads once and encodes all texts each time it is told to."""

    def __init__(self, tool, given, folder):
        self.vectors = Path(folder, tool.replace(" ", "-") + ".npy")
        command = [sys.executable, HERE / "encode_worker.py", tool, given.model, given.texts_file, str(given.texts), self.vectors]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a worker ended with {self.process.wait()}")
        return json.loads(line)

    def turn(self):
        self.process.stdin.write("encode\n")
        self.process.stdin.flush()
        return self.answer()


class Ours:
    """The bench, which loads anew each time, before its clock starts."""

    def __init__(self, binary, tool, given, folder):
        self.vectors = Path(folder, tool.replace(" ", "-") + ".f32")
        _, precision, *instructions = tool.split()
        # Fewer instructions than the processor has; read by the bench alone.
        self.environment = os.environ | {"RAGTRIAGE_BENCH_INSTRUCTIONS": name for name in instructions}
        self.command = [binary, given.model, given.texts_file, "--texts", str(given.texts), "--precision", precision, "--vectors", self.vectors]

    def turn(self):
        done = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, env=self.environment)
        return json.loads(done.stdout)


def built():
    """Builds the bench and says where it lies."""
    command = ["cargo", "bench", "--no-run", "--bench", "encode", "--message-format", "json"]
    lines = subprocess.run(command, cwd=HERE.parent.parent, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    artifacts = [json.loads(line) for line in lines]
    return next(a["executable"] for a in artifacts if a.get("executable") and a["target"]["name"] == "encode")


def unit(path, n_texts):
    """A tool's vectors at unit length."""
    import numpy as np

    vectors = np.load(path) if path.suffix == ".npy" else np.fromfile(path, dtype="<f4").reshape(n_texts, -1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("texts_file")
    parser.add_argument("--texts", type=int, default=1000, help="so many texts, from the first")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-bfloat16", action="store_true", help="leave it out, which a processor without it emulates slowly")
    parser.add_argument("--binary", help="the built bench; cargo builds it otherwise")
    given = parser.parse_args()
    binary = given.binary or built()
    ours, peers = ([name for name in names if not (given.no_bfloat16 and name.endswith("bfloat16"))] for names in (OURS, PEERS))
    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {given.rounds} rounds in turns")
    with tempfile.TemporaryDirectory() as folder:
        tools = {name: Ours(binary, name, given, folder) for name in ours}
        tools.update({name: Worker(name, given, folder) for name in peers})
        turns = {name: [] for name in tools}
        for _ in range(given.rounds):
            for name, tool in tools.items():
                turns[name].append(tool.turn())
        counted = {turn["tokens"] for all_turns in turns.values() for turn in all_turns}
        if len(counted) != 1:
            sys.exit(f"the tools counted different tokens: {counted}")
        n_texts = turns[ours[0]][0]["texts"]
        reference = unit(tools["torch float32"].vectors, n_texts)
        speed = {name: statistics.median(turn["tokens_per_second"] for turn in turns[name]) for name in tools}
        print(f"{n_texts} texts, {counted.pop()} tokens\n")
        columns = ["tool", "tokens/s, median", "min", "max", *(f"{name} is so many times as fast" for name in ours), "cosine to torch float32, min", "mean", "peak MiB"]
        print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
        for name, tool in tools.items():
            speeds = [turn["tokens_per_second"] for turn in turns[name]]
            # Of the turns beside each other, so that a machine that slows down slows both.
            ratios = [statistics.median(a["tokens_per_second"] / b["tokens_per_second"] for a, b in zip(turns[own], turns[name])) for own in ours]
            cosines = (unit(tool.vectors, n_texts) * reference).sum(axis=1)
            peak = max(turn["peak_bytes"] for turn in turns[name]) / 2**20
            cells = [name, f"{speed[name]:.0f}", f"{min(speeds):.0f}", f"{max(speeds):.0f}", *(f"{ratio:.2f}" for ratio in ratios), f"{cosines.min():.6f}", f"{cosines.mean():.6f}", f"{peak:.0f}"]
            print("| " + " | ".join(cells) + " |")
        for tool in tools.values():
            if isinstance(tool, Worker):
                tool.process.stdin.close()
                tool.process.wait()


if __name__ == "__main__":
    main()
