"""Makes random-pairs.json.gz: 200 small run/qrels pairs with the values that the reference tools give them.

Made with Python 3.11, pytrec_eval-terrier 0.5.11 (built from trec_eval 9.0.8), ir_measures 0.4.3, numpy 2.4.6, pandas 3.1.1:

    python -m venv venv
    venv/bin/pip install pytrec_eval-terrier==0.5.11 ir_measures==0.4.3 numpy==2.4.6 pandas==3.1.1
    venv/bin/python tests/data/trec/make.py

Seeded: the same bytes come out every time. Nothing here computes a measure. Where a tool lacks a cutoff it is given the ranking cut at k; where
a tool has another tie rule it is given the ranking in trec_eval's order with scores that differ. Both are checked: pytrec_eval must say the
same of the reordered run as of the text itself, and every value that two tools know must agree.
"""

import gzip
import json
import math
import random
import struct
import warnings
from pathlib import Path

import ir_measures
import pytrec_eval

SEED = 3
N_PAIRS = 200
CUTOFFS = [1, 3, 5, 10, 100]
OUT = Path(__file__).parent / "random-pairs.json.gz"


# --- the pairs -----------------------------------------------------------------------------------------------------------------------


def document_ids(rng, n):
    """Distinct ids in one of five alphabets; bytes order them otherwise than numbers or a locale do."""
    style = rng.randrange(5)
    numbers = rng.sample(range(1, 130), n)
    if style == 0:
        return [f"d{number}" for number in numbers]
    if style == 1:
        return [str(number) for number in numbers]
    if style == 2:
        return [rng.choice(["a", "A", "_", "-", "Z"]) + f"{number}" for number in numbers]
    if style == 3:
        return [rng.choice(["é", "e", "文書", "z", "😀", "\uff5e"]) + f"{number}" for number in numbers]
    return [f"FT{number % 7}-{number:05}" if number % 2 else f"FT{number % 7}/{number}" for number in numbers]


# Scores by text. In each list some are equal, or equal as 32-bit floats only.
EQUAL = {
    "float": ["0.1", "0.10000000149011612", "0.1000000001", "0.1000001", "1", "1.00000001", "1.0000001", "16777216", "16777217", "16777218"],
    # 1 + 2^-24 and a little: as a 64-bit float it is the middle between two 32-bit floats and then rounds down to 1; read as a 32-bit float it would go up.
    "halfway": ["1.0000000596046447753906250001", "1.0", "1.00000011920928955078125", "1.0000000596046447753906249999"],
    "tiny": ["1e-5", "1.0E-05", "0.00001", "2e-5", "1e-46", "0", "-1e-5", "1e-45", "9.9999e-6", ".5e-4", "-1E-46"],
    "zero": ["-0.0", "0.0", "0", "-0", "0e0", "+0.0", "-1e-3", "1e-3"],
    "whole": ["3", "3.0", "2", "+2", "2.", "1", "-1", "-1.0", "30e-1"],
}


def scores(rng, n):
    """n scores as text: untied, tied, or tied in one of the ways of EQUAL."""
    style = rng.choice(["untied", "untied", "few", *EQUAL])
    if style == "untied":
        return [f"{value / 1000:.3f}" for value in rng.sample(range(-20_000, 20_000), n)]
    if style == "few":
        return [f"{rng.randrange(1, 5) / 2}" for _ in range(n)]
    return [rng.choice(EQUAL[style]) for _ in range(n)]


def pair(rng):
    """The text of a run and of its qrels."""
    n_queries = rng.randrange(3, 9)
    queries = rng.sample(["1", "2", "10", "11", "q3", "Q3", "q20", "ü-7", "質問4", "301"], n_queries)
    run_lines, qrels_lines = [], []
    roles = ["both", *(rng.choice(["both", "both", "both", "both", "missing", "unjudged"]) for _ in queries[1:])]
    for query, role in zip(queries, roles):
        n_documents = rng.choice([1, *range(5, 41)])
        documents = document_ids(rng, 60)
        found, others = documents[:n_documents], documents[n_documents:]
        if role != "missing":
            separator = rng.choice([" ", "\t", "  "])
            for document, score in zip(found, scores(rng, n_documents)):
                columns = [query, "Q0", document, str(rng.randrange(1, 1000)), score, "seeded"]
                run_lines.append(separator.join(columns))
        if role != "unjudged":
            n_found = rng.randrange(0, min(len(found), 18) + 1)
            n_others = rng.randrange(0, 12)
            judged = rng.sample(found, n_found) + rng.sample(others, n_others)
            # A query needs one grade that is not negative: without any, trec_eval stops and pytrec_eval may crash.
            judged = judged or [others[0]]
            grades = rng.choice([[0, 1], [-1, 0, 1, 2], [-2, -1, 0, 0, 1, 2, 3, 4], [0, -1], [0, 1, 4], [1]])
            graded = [(document, rng.choice(grades)) for document in judged]
            if all(grade < 0 for _, grade in graded):
                graded[0] = (graded[0][0], 0)
            qrels_lines += [f"{query} 0 {document} {grade}" for document, grade in graded]
    rng.shuffle(run_lines)
    rng.shuffle(qrels_lines)
    return "".join(line + "\n" for line in run_lines), "".join(line + "\n" for line in qrels_lines)


# --- the tools -----------------------------------------------------------------------------------------------------------------------


def as_float32(score):
    """A 64-bit float rounded to 32 bits, as C does on assignment; -0.0 equals 0.0."""
    return struct.unpack("f", struct.pack("f", score))[0]


def in_trec_order(ranking):
    """Document ids in trec_eval 9.0.8's order: score as a 32-bit float, then the id's bytes, both descending."""
    return sorted(ranking, key=lambda document: (as_float32(ranking[document]), document.encode()), reverse=True)


def untied(run, depth=None):
    """The same rankings with whole scores that all differ, cut at a depth."""
    return {
        query: {document: float(1000 - rank) for rank, document in enumerate(in_trec_order(ranking)[:depth])} for query, ranking in run.items()
    }


def by_pytrec_eval(qrels, run, names, level):
    """{our name: {query: value}} for {our name: trec_eval's name}."""
    found = pytrec_eval.RelevanceEvaluator(qrels, set(names.values()), relevance_level=level).evaluate(run)
    return {ours: {query: found[query][theirs.replace(".", "_")] for query in found} for ours, theirs in names.items()}


def by_ir_measures(measures, qrels, run):
    """{our name: {query: value}} for {our name: ir_measures' measure}, for queries that are in both."""
    values = {name: {} for name in measures}
    names = {str(measure): name for name, measure in measures.items()}
    for metric in ir_measures.iter_calc(list(measures.values()), qrels, run):
        if metric.query_id in run:
            values[names[str(metric.measure)]][metric.query_id] = float(metric.value)
    return values


def must_agree(what, left, right):
    """Stops when two tools differ."""
    for name in left.keys() & right.keys():
        assert left[name].keys() == right[name].keys(), (what, name)
        for query in left[name]:
            assert math.isclose(left[name][query], right[name][query], rel_tol=1e-12, abs_tol=1e-12), (what, name, query, left[name], right[name])


def expected(run_text, qrels_text, level):
    """{our name: {query: value}} over the queries that both sides have."""
    run = pytrec_eval.parse_run(run_text.splitlines())
    qrels = pytrec_eval.parse_qrel(qrels_text.splitlines())
    both = {query: run[query] for query in run if query in qrels}
    ranked = untied(both)

    names = {"AP": "map", "RR": "recip_rank", "Rprec": "Rprec", "nDCG": "ndcg", "SetF1": "set_F"}
    for k in CUTOFFS:
        names |= {f"AP@{k}": f"map_cut.{k}", f"P@{k}": f"P.{k}", f"Recall@{k}": f"recall.{k}"}
        names |= {f"Success@{k}": f"success.{k}", f"nDCG@{k}": f"ndcg_cut.{k}"}
    values = by_pytrec_eval(qrels, both, names, level)
    must_agree("order", values, by_pytrec_eval(qrels, ranked, names, level))

    # RR@k and SetF1@k: the ranking cut at k. RR@k is known to ir_measures too (MS MARCO's script).
    for k in CUTOFFS:
        cut = by_pytrec_eval(qrels, untied(both, k), {f"RR@{k}": "recip_rank", f"SetF1@{k}": "set_F", f"AP@{k}": "map"}, level)
        must_agree("cut", values, cut)
        values |= cut
    rr = {f"RR@{k}": ir_measures.RR(rel=level) @ k for k in CUTOFFS}
    msmarco = by_ir_measures(rr, qrels, ranked)
    # MS MARCO's script leaves out a query without a relevant document.
    msmarco = {name: {query: found.get(query, 0.0) for query in ranked} for name, found in msmarco.items()}
    must_agree("RR@k", values, msmarco)

    values |= by_ir_measures({f"Judged@{k}": ir_measures.Judged @ k for k in CUTOFFS}, qrels, ranked)
    return values, sorted(qrels), sorted(both)


def entry(rng, index):
    """One pair with its values; every fourth has relevance level 2."""
    run_text, qrels_text = pair(rng)
    level = 2 if index % 4 == 3 else 1
    values, judged, both = expected(run_text, qrels_text, level)
    table = {}
    for name in sorted(values):
        of_query = values[name]
        assert sorted(of_query) == both, name
        assert all(0.0 <= value <= 1.0 + 1e-12 for value in of_query.values()), name
        total = math.fsum(of_query.values())
        table[name] = {
            "per_query": {query: of_query.get(query, 0.0) for query in judged},
            "all": total / len(judged),
            "intersection": total / len(both),
        }
    return {"level": level, "run": run_text, "qrels": qrels_text, "expected": table}


def main():
    warnings.simplefilter("ignore")
    rng = random.Random(SEED)
    pairs = [entry(rng, index) for index in range(N_PAIRS)]
    text = json.dumps(pairs, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    with open(OUT, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=9, mtime=0) as packed:
        packed.write(text.encode())
    n_values = sum(len(table["per_query"]) for one in pairs for table in one["expected"].values())
    print(f"{len(pairs)} pairs, {len(pairs[0]['expected'])} measures, {n_values} values, {OUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
