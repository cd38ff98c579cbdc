"""Writes a seeded run and its qrels: make_run.py FOLDER QUERIES DOCUMENTS

Per query 50 to 100 judged documents, grades 0 to 3; about two thirds of them are in the ranking, better ones rather higher. No two scores of a query
are equal, also not as 32-bit floats: the tools break ties in different ways.
"""

import random
import sys
from pathlib import Path

SEED = 7


def main():
    folder, n_queries, n_documents = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(SEED)
    with open(folder / "run.trec", "w") as run, open(folder / "qrels.trec", "w") as qrels:
        for query in range(1, n_queries + 1):
            documents = [f"DOC-{number:07}" for number in rng.sample(range(1_000_000), n_documents + 40)]
            found, others = documents[:n_documents], documents[n_documents:]
            steps = sorted(rng.sample(range(1, 30_000), n_documents), reverse=True)
            run.writelines(f"{query} Q0 {document} {rank} {step / 1000:.3f} seeded\n" for rank, (document, step) in enumerate(zip(found, steps), 1))
            n_judged = rng.randrange(50, 101)
            n_found = min(n_judged * 2 // 3, n_documents)
            ranks = set()
            while len(ranks) < n_found:
                ranks.add(int(n_documents * rng.random() ** 2))
            for rank in sorted(ranks):
                grade = rng.choice([0, 1, 2, 3] if rank < n_documents // 10 else [0, 0, 0, 1, 2])
                qrels.write(f"{query} 0 {found[rank]} {grade}\n")
            for document in rng.sample(others, min(n_judged - n_found, len(others))):
                qrels.write(f"{query} 0 {document} {rng.choice([0, 0, 0, 1])}\n")


if __name__ == "__main__":
    main()
