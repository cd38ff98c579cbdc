"""Top tens of bm25s, rank_bm25 and TF-IDF, which tests/it/sparse_parity.rs compares ours with.

usage: make.py datasets/fetched > expected.json.gz   (needs bm25s 0.3.16, rank_bm25 0.2.2, numpy)

Terms are what stands between white space, lower-cased, so that nothing but the weighting is compared. Documents: the
paragraphs of dev_distractor_400.json, one a title, by first occurrence (title, space, sentences joined); SciFact's corpus
(title, space, text). Questions: all 400; SciFact's 300 with judgements in qrels/test.tsv, in the order of queries.jsonl.
Written: for each data set and tool the documents' numbers and scores (six digits) of every question's top ten. TF-IDF is
the formula of the module's documentation in plain Python: tf = count / length, idf = ln(N / df), cosine.
"""
import gzip, json, math, sys
from collections import Counter, defaultdict
import bm25s, numpy as np
from rank_bm25 import BM25Okapi, BM25Plus

K1, B, TOP = 1.2, .75, 10


def hotpotqa(folder):
    questions = json.load(open(f'{folder}/hotpotqa/dev_distractor_400.json'))
    documents = {}
    for question in questions:
        for title, sentences in question['context']:
            documents.setdefault(title, f"{title} {''.join(sentences)}")
    return list(documents.values()), [question['question'] for question in questions]


def scifact(folder):
    documents = [f"{line['title']} {line['text']}" for line in map(json.loads, open(f'{folder}/scifact/corpus.jsonl'))]
    judged = {line.split('\t')[0] for line in list(open(f'{folder}/scifact/qrels/test.tsv'))[1:]}
    lines = map(json.loads, open(f'{folder}/scifact/queries.jsonl'))
    return documents, [line['text'] for line in lines if line['_id'] in judged]


def tfidf(documents):
    n = len(documents)
    frequencies = Counter(term for document in documents for term in set(document))
    idf = {term: math.log(n / frequency) for term, frequency in frequencies.items()}
    postings = defaultdict(list)
    for number, document in enumerate(documents):
        weights = {term: count / len(document) * idf[term] for term, count in Counter(document).items()}
        norm = math.sqrt(sum(weight * weight for weight in weights.values()))
        for term, weight in weights.items():
            postings[term].append((number, weight / norm))

    def scores(query):
        weights = {term: count / len(query) * idf[term] for term, count in Counter(query).items() if term in idf}
        norm = math.sqrt(sum(weight * weight for weight in weights.values()))
        scores = np.zeros(n)
        for term, weight in weights.items():
            for number, share in postings[term]:
                scores[number] += weight / norm * share
        return scores
    return scores


def tools(documents):
    for name, method, delta in (('lucene', 'lucene', .5), ('robertson', 'robertson', .5), ('atire', 'atire', .5),
                                ('bm25l', 'bm25l', .5), ('bm25plus', 'bm25+', 1)):
        index = bm25s.BM25(method=method, k1=K1, b=B, delta=delta, backend='numpy')
        index.index(documents, show_progress=False)
        yield name, index.get_scores
    yield 'okapi', BM25Okapi(documents, k1=K1, b=B, epsilon=.25).get_scores
    yield 'bm25plus (rank_bm25)', BM25Plus(documents, k1=K1, b=B, delta=1).get_scores
    yield 'tfidf', tfidf(documents)


def top(scores):
    best = np.lexsort((np.arange(len(scores)), -scores))[:TOP]
    return [[int(number) for number in best], [round(float(scores[number]), 6) for number in best]]


def main(folder):
    expected = {}
    for load in (hotpotqa, scifact):
        documents, queries = load(folder)
        documents = [document.lower().split() for document in documents]
        queries = [query.lower().split() for query in queries]
        expected[load.__name__] = {name: [top(scores(query)) for query in queries] for name, scores in tools(documents)}
    text = json.dumps(expected, separators=(',', ':'))
    sys.stdout.buffer.write(gzip.compress(text.encode(), 9, mtime=0))


main(sys.argv[1])
