"""numpy over the vectors that `cargo bench --bench vectors -- 100000 1000 FOLDER` wrote: vectors.py FOLDER.

Exact cosine search: one matrix product a block of queries, then argpartition and a sort of the best. Vectors are
normalised once, outside the clock, as Qdrant does when it stores them. Blocks of 1 (a query as it comes) and of 100.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np

DIMENSION = 384
TURNS = 3


def rows(path: Path) -> np.ndarray:
    read = np.fromfile(path, dtype="<f4").reshape(-1, DIMENSION)
    return read / np.linalg.norm(read, axis=1, keepdims=True)


def ask(vectors: np.ndarray, queries: np.ndarray, block: int, limit: int) -> float:
    began = time.perf_counter()
    for start in range(0, len(queries), block):
        scores = queries[start : start + block] @ vectors.T
        best = np.argpartition(scores, -limit, axis=1)[:, -limit:]
        order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
        np.take_along_axis(best, order, axis=1)
    return time.perf_counter() - began


def main() -> None:
    folder = Path(sys.argv[1])
    vectors, queries = rows(folder / "vectors.f32"), rows(folder / "queries.f32")
    print(f"numpy {np.__version__}: {len(queries)} queries over {len(vectors)} x {DIMENSION}, exact, ms a query:")
    for limit in (10, 100):
        for block in (1, 100):
            seconds = statistics.median(ask(vectors, queries, block, limit) for _ in range(TURNS))
            print(f"  top {limit}, {block} at a time: {seconds * 1e3 / len(queries):.3f}")


if __name__ == "__main__":
    main()
