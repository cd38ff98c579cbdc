"""One peer scores one run as a process of its own: worker.py TOOL RUN QRELS [--warm]

Prints every query's values and the means as JSON, as `ragtriage score --per-query --json` does, and on stderr the seconds that reading
and evaluating alone took. With --warm the evaluation has run once on a tiny run before the clock starts.
"""

import json
import sys
import time


def by_pytrec_eval():
    """Read and evaluate with pytrec_eval."""
    import pytrec_eval

    names = {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR", "P_5": "P@5", "recall_100": "Recall@100"}

    def score(run_path, qrels_path):
        with open(qrels_path) as file:
            qrels = pytrec_eval.parse_qrel(file)
        with open(run_path) as file:
            run = pytrec_eval.parse_run(file)
        asked = {"ndcg_cut.10", "map", "recip_rank", "P.5", "recall.100"}
        values = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
        return {query: {ours: found[theirs] for theirs, ours in names.items()} for query, found in values.items()}

    return score


def by_ranx():
    """Read and evaluate with ranx."""
    import ranx

    names = {"ndcg@10": "nDCG@10", "map": "AP", "mrr": "RR", "precision@5": "P@5", "recall@100": "Recall@100"}

    def score(run_path, qrels_path):
        qrels = ranx.Qrels.from_file(str(qrels_path), kind="trec")
        run = ranx.Run.from_file(str(run_path), kind="trec")
        ranx.evaluate(qrels, run, list(names))
        queries = next(iter(run.scores.values()))
        return {query: {ours: float(run.scores[theirs][query]) for theirs, ours in names.items()} for query in queries}

    return score


def main():
    tool, run_path, qrels_path = sys.argv[1:4]
    score = {"pytrec_eval": by_pytrec_eval, "ranx": by_ranx}[tool]()
    if "--warm" in sys.argv:
        from pathlib import Path
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            tiny_run, tiny_qrels = Path(folder, "run.trec"), Path(folder, "qrels.trec")
            tiny_run.write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 a 1 1.0 x\n")
            tiny_qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
            score(tiny_run, tiny_qrels)
    begun = time.perf_counter()
    per_query = score(run_path, qrels_path)
    seconds = time.perf_counter() - begun
    metrics = list(next(iter(per_query.values())))
    means = {name: sum(values[name] for values in per_query.values()) / len(per_query) for name in metrics}
    json.dump({"means": means, "per_query": per_query}, sys.stdout)
    print(seconds, file=sys.stderr)


if __name__ == "__main__":
    main()
