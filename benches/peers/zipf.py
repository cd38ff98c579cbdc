"""A seeded corpus as large as asked for, whose terms are as unequal as those of English: `zipf.py FOLDER [N_DOCUMENTS]`.

The term of rank r is drawn with probability in proportion to 1 / (r + 2.7) (Mandelbrot's form of Zipf's law); the first
50 ranks are left out, as stop words would be. 500,000 terms can be drawn. Lengths are log-normal, median 60, mean 72 terms.
A question is 2 to 8 terms of one document, drawn as they stand there. Written: corpus.jsonl and queries.jsonl (1,000).
"""
import json, os, sys
import numpy as np

N_TERMS, STOPPED, N_QUERIES, SEED = 500_000, 50, 1_000, 20261121


def name(rank):
    """A word of three letters or more, none of which is an English stop word: it ends in `q`."""
    letters = ''
    while rank:
        rank, letter = divmod(rank, 26)
        letters += chr(ord('a') + letter)
    return letters.ljust(2, 'a') + 'q'


def main(folder, n_documents):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(SEED)
    weights = 1 / (np.arange(STOPPED, STOPPED + N_TERMS) + 2.7)
    cumulated = np.cumsum(weights / weights.sum())
    names = np.array([name(rank) for rank in range(N_TERMS)])
    sources = set(rng.choice(n_documents, min(N_QUERIES, n_documents), replace=False).tolist())
    number = 0
    with open(f'{folder}/corpus.jsonl', 'w') as corpus, open(f'{folder}/queries.jsonl', 'w') as queries:
        while number < n_documents:
            n = min(10_000, n_documents - number)
            lengths = np.maximum(1, rng.lognormal(np.log(60), 0.6, n).astype(int))
            drawn = np.minimum(np.searchsorted(cumulated, rng.random(lengths.sum())), N_TERMS - 1)
            for terms in np.split(drawn, np.cumsum(lengths)[:-1]):
                corpus.write(json.dumps({'text': ' '.join(names[terms])}) + '\n')
                if number in sources:
                    queries.write(json.dumps({'text': ' '.join(names[rng.choice(terms, rng.integers(2, 9))])}) + '\n')
                number += 1


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
