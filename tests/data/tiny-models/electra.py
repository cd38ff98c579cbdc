"""What ELECTRA computes (Clark et al. 2020): the states of the seeded checkpoint in `electra`, by the formulas, in 64 bits.

usage: python electra.py        (Python's standard library alone; writes electra.json)
"""
import json
import struct
from math import erf, exp, sqrt
from pathlib import Path

HERE = Path(__file__).resolve().parent
SEQUENCES = [[2, 10, 3], [2, 7, 8, 9, 40, 100, 3], [2, 50, 3, 60, 70, 3]]


def tensors(path):
    data = path.read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    header.pop("__metadata__", None)
    formats = {"F32": ("f", 4), "F16": ("e", 2)}
    found = {}
    for name, of in header.items():
        code, size = formats[of["dtype"]]
        start, end = of["data_offsets"]
        values = struct.unpack(f"<{(end - start) // size}{code}", data[8 + n + start:8 + n + end])
        width = of["shape"][-1]
        rows = [list(values[i:i + width]) for i in range(0, len(values), width)]
        found[name.removeprefix("electra.")] = rows if len(of["shape"]) == 2 else rows[0]
    return found


def linear(t, name, row):
    pairs = zip(t[name + ".weight"], t[name + ".bias"])
    return [sum(w * x for w, x in zip(weights, row)) + bias for weights, bias in pairs]


def norm(t, name, row, epsilon):
    mean = sum(row) / len(row)
    scale = sqrt(sum((x - mean) ** 2 for x in row) / len(row) + epsilon)
    return [(x - mean) / scale * g + b for x, g, b in zip(row, t[name + ".weight"], t[name + ".bias"])]


def added(a, b):
    return [x + y for x, y in zip(a, b)]


def attended(queries, keys, values, n_heads):
    width = len(queries[0]) // n_heads
    out = [[] for _ in queries]
    for head in range(n_heads):
        part = slice(head * width, (head + 1) * width)
        for row, query in zip(out, queries):
            scores = [sum(a * b for a, b in zip(query[part], key[part])) / sqrt(width) for key in keys]
            weights = [exp(score - max(scores)) for score in scores]
            row += [sum(w * v[i] for w, v in zip(weights, values)) / sum(weights)
                    for i in range(part.start, part.stop)]
    return out


def states(t, config, ids):
    epsilon = config["layer_norm_eps"]
    table = [t[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position", "token_type")]
    rows = [norm(t, "embeddings.LayerNorm", added(added(table[0][i], table[1][at]), table[2][0]), epsilon)
            for at, i in enumerate(ids)]
    rows = [linear(t, "embeddings_project", row) for row in rows]
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        parts = [[linear(t, f"{at}attention.self.{part}", row) for row in rows] for part in ("query", "key", "value")]
        out = [linear(t, at + "attention.output.dense", row) for row in attended(*parts, config["num_attention_heads"])]
        rows = [norm(t, at + "attention.output.LayerNorm", added(a, b), epsilon) for a, b in zip(out, rows)]
        inner = [[x / 2 * (1 + erf(x / sqrt(2))) for x in linear(t, at + "intermediate.dense", row)] for row in rows]
        out = [linear(t, at + "output.dense", row) for row in inner]
        rows = [norm(t, at + "output.LayerNorm", added(a, b), epsilon) for a, b in zip(out, rows)]
    return rows


def main():
    folder = HERE / "electra"
    t, config = tensors(folder / "model.safetensors"), json.loads((folder / "config.json").read_text())
    rows = [{"ids": ids, "states": [[float(f"{x:.7g}") for x in row] for row in states(t, config, ids)]}
            for ids in SEQUENCES]
    (HERE / "electra.json").write_text(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
