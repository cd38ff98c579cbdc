"""Intervals of all differences that the randomisation tests do not reject, by their definition: p(d) counts all sign
vectors in exact fractions, and each bound is found by steps and bisection. Writes inverted.json, without other packages."""

import json
import random
from fractions import Fraction
from itertools import product
from pathlib import Path

LEVEL = Fraction(1, 20)
HALVINGS = 40


def bounds(p, mean, tests):
    """The ends of the stretch about the mean in which p(d), times the tests, is at least the level; None beyond 2."""

    def bound(side):
        steps = (Fraction(step, 50) for step in range(1, 101))
        high = next((x for x in steps if p(mean + side * x) * tests < LEVEL), None)
        if high is None:
            return None
        low = high - Fraction(1, 50)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if p(mean + side * middle) * tests >= LEVEL:
                low = middle
            else:
                high = middle
        return float(mean + side * low)

    return bound(-1), bound(1)


def signs(n):
    return list(product([1, -1], repeat=n))


def alone(sums, sizes, tests):
    """|sum| under all signs of the clusters' differences less d."""

    def p(d):
        less = [total - d * size for total, size in zip(sums, sizes)]
        observed = abs(sum(less))
        vectors = signs(len(less))
        return Fraction(sum(abs(sum(s * x for s, x in zip(v, less))) >= observed for v in vectors), len(vectors))

    return float(p(Fraction(0))), *bounds(p, sum(sums) / sum(sizes), tests)


def case(rng, n_clusters, lean):
    """Clusters of one to twelve questions; differences in tenths."""
    sizes = [rng.choice([1, 1, 2, 3, 12]) for _ in range(n_clusters)]
    cluster_of = [cluster for cluster, size in enumerate(sizes) for _ in range(size)]

    values = [Fraction(rng.choice([0, 0, rng.randint(-4, 4) + lean]), 10) for _ in cluster_of]
    sums = [sum(v for v, c in zip(values, cluster_of) if c == cluster) for cluster in range(n_clusters)]
    sizes = [Fraction(size) for size in sizes]
    return {
        "cluster_of": cluster_of,
        "differences": [float(v) for v in values],
        "alone": alone(sums, sizes, 1),
        "of_three_tests": alone(sums, sizes, 3),
    }


rng = random.Random(19)
cases = [case(rng, n_clusters, lean) for n_clusters in (5, 6, 7, 8, 9) for lean in (0, 2, 4)]
Path(__file__).with_name("inverted.json").write_text(json.dumps(cases) + "\n")
