"""A seeded native data set as large as asked for: `corpus.py FOLDER N_DOCUMENTS`.

The word of rank r is drawn with probability in proportion to 1 / (r + 2.7) (Mandelbrot's form of Zipf's law), out of 347,970 words
of one to three syllables. A document has 60 words in sentences of 12. A question (1,000, or one per document if there are fewer) is
six words of one document; two neighbouring words of it are the gold answer, and their byte range the gold evidence.
Written: corpus.jsonl, questions.jsonl and config.toml, which runs BM25 without a generator.
"""
import itertools, json, os, sys
import numpy as np

N_WORDS, N_QUESTIONS, BATCH, SEED = 60, 1_000, 10_000, 20261125
SYLLABLES = [consonant + vowel for consonant in 'bcdfglmnprstvw' for vowel in 'aeiou']
CONFIG = '''[dataset]
format = "jsonl"
path = "."

[retrieval]
retrievers = ["bm25"]

[generation]
generator = "none"
'''


def document(words):
    """The document's text; all of it is ASCII, so that a character is a byte."""
    sentences = [' '.join(words[at:at + 12]).capitalize() + '.' for at in range(0, len(words), 12)]
    return ' '.join(sentences)


def question(number, text, words, rng):
    at = int(rng.integers(1, 10))  # within a sentence, not at its edges
    answer = f'{words[at]} {words[at + 1]}'
    start = text.index(f' {answer} ') + 1
    asked = ' '.join(words[word] for word in rng.choice(N_WORDS, 6, replace=False))
    evidence = [{'doc': f'd{number}', 'ranges': [[start, start + len(answer)]]}]
    return {'id': f'q{number}', 'text': f'{asked}?', 'kind': 'span', 'answers': [answer], 'evidence': evidence}


def main(folder, n_documents):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(SEED)
    names = [''.join(word) for n in (1, 2, 3) for word in itertools.product(SYLLABLES, repeat=n)]
    weights = 1 / (np.arange(len(names)) + 2.7)
    cumulated = np.cumsum(weights / weights.sum())
    asked = set(rng.choice(n_documents, min(N_QUESTIONS, n_documents), replace=False).tolist())
    with open(f'{folder}/config.toml', 'w') as config:
        config.write(CONFIG)
    with open(f'{folder}/corpus.jsonl', 'w') as corpus, open(f'{folder}/questions.jsonl', 'w') as questions:
        for first in range(0, n_documents, BATCH):
            n = min(BATCH, n_documents - first)
            drawn = np.minimum(np.searchsorted(cumulated, rng.random((n, N_WORDS))), len(names) - 1)
            for number, ranks in enumerate(drawn.tolist(), first):
                words = [names[rank] for rank in ranks]
                text = document(words)
                corpus.write(json.dumps({'id': f'd{number}', 'text': text}) + '\n')
                if number in asked:
                    questions.write(json.dumps(question(number, text, words, rng)) + '\n')


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]))
