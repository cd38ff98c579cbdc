"""ragtriage's sparse index beside bm25s, tantivy and rank_bm25: seconds to index and queries/s, top 10, one thread.

usage: bm25.py target/release/examples/bm25 CORPUS.jsonl QUERIES.jsonl [--rounds N] [--peers bm25s-numba,tantivy]
(BEIR's form: title, text / text). What is measured, and how, is in README.md beside this file.
"""
import argparse, json, os, re, statistics, subprocess, tempfile, time

PEERS = ['bm25s-numba', 'bm25s-numpy', 'tantivy', 'rank_bm25']
RANK_BM25_QUERIES = 60


class Ours:
    """bm25.rs beside this file, which waits for a line and then asks every question once."""

    def __init__(self, program, corpus, queries, kind):
        self.process = subprocess.Popen([program, corpus, queries, kind], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.index_seconds = json.loads(self.process.stdout.readline())['index_seconds']

    def round(self):
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())['queries_per_second']

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def bm25s_rounds(tokens, query_tokens, n_queries, backend):
    import bm25s
    start = time.perf_counter()
    index = bm25s.BM25(method='lucene', k1=1.2, b=.75, backend=backend)
    index.index(tokens, show_progress=False)
    seconds = time.perf_counter() - start
    arguments = dict(k=10, show_progress=False, **({'n_threads': 1} if backend == 'numba' else {}))

    def once():
        start = time.perf_counter()
        index.retrieve(query_tokens, **arguments)
        return n_queries / (time.perf_counter() - start)
    once(), once()  # numba compiles
    return seconds, once


def tantivy_rounds(documents, queries):
    import tantivy
    schema = tantivy.SchemaBuilder()
    schema.add_text_field('body', stored=False, tokenizer_name='default')
    schema.add_integer_field('id', stored=True)
    start = time.perf_counter()
    index = tantivy.Index(schema.build())
    writer = index.writer(256_000_000, 2)
    for number, document in enumerate(documents):
        writer.add_document(tantivy.Document(body=document, id=number))
    writer.commit()
    writer.wait_merging_threads()
    seconds = time.perf_counter() - start
    index.reload()
    searcher = index.searcher()
    words = lambda query: (word for word in re.findall(r'\w+', query.lower()) if word not in ('and', 'or', 'not'))
    parsed = [index.parse_query(' '.join(words(query)), ['body']) for query in queries]

    def once():
        start = time.perf_counter()
        for query in parsed:
            searcher.search(query, 10, count=False)
        return len(parsed) / (time.perf_counter() - start)
    once()
    return seconds, once


def rank_bm25_rounds(documents, queries):
    from rank_bm25 import BM25Okapi
    documents = [re.findall(r'\w+', document.lower()) for document in documents]
    queries = [re.findall(r'\w+', query.lower()) for query in queries[:RANK_BM25_QUERIES]]
    start = time.perf_counter()
    index = BM25Okapi(documents)
    seconds = time.perf_counter() - start

    def once():
        start = time.perf_counter()
        for query in queries:
            index.get_scores(query).argsort()[::-1][:10]
        return len(queries) / (time.perf_counter() - start)
    return seconds, once


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('corpus')
    parser.add_argument('queries')
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--peers', default=','.join(PEERS))
    options = parser.parse_args()
    peers = options.peers.split(',')
    with open(options.corpus) as lines:
        documents = [(line.get('title', '') + ' ' + line['text']).strip() for line in map(json.loads, lines)]
    with open(options.queries) as lines:
        queries = [json.loads(line)['text'] for line in lines]
    print(f'{len(documents)} documents, {len(queries)} queries, {sum(map(len, documents)) / 1e6:.1f} MB')

    import bm25s
    start = time.perf_counter()
    tokens = bm25s.tokenize(documents, stopwords='en', show_progress=False)
    tokenize_seconds = time.perf_counter() - start
    query_tokens = bm25s.tokenize(queries, stopwords='en', show_progress=False)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, tokenized in (('corpus', tokens), ('queries', query_tokens)):
            paths.append(os.path.join(folder, name))
            names = {number: word for word, number in tokenized.vocab.items()}
            with open(paths[-1], 'w') as file:
                for ids in tokenized.ids:
                    file.write(json.dumps({'text': ' '.join(names[number] for number in ids)}) + '\n')
        ours = Ours(options.program, *paths, 'terms')
    analysed = Ours(options.program, options.corpus, options.queries, 'words')
    rounds = {'ragtriage': ours.round}
    print(f'ragtriage: words, stop words, stems and index {analysed.index_seconds:.2f} s; '
          f'index of given terms {ours.index_seconds:.2f} s')
    analysed.end()
    for peer in peers:
        if peer.startswith('bm25s-'):
            seconds, rounds[peer] = bm25s_rounds(tokens, query_tokens, len(queries), peer.removeprefix('bm25s-'))
            print(f'{peer}: words, stop words {tokenize_seconds:.2f} s; index {seconds:.2f} s')
        else:
            make = {'tantivy': tantivy_rounds, 'rank_bm25': rank_bm25_rounds}[peer]
            seconds, rounds[peer] = make(documents, queries)
            print(f'{peer}: index {seconds:.2f} s')
    ours.round()
    figures = {name: [] for name in rounds}
    for _ in range(options.rounds):
        for name, once in rounds.items():
            figures[name].append(once())
    ours.end()
    base = figures['ragtriage']
    print('queries/s        median      best  ragtriage over it (median of the rounds, best over best)')
    for name, values in figures.items():
        ratio = statistics.median(our / value for our, value in zip(base, values))
        print(f'{name:12} {statistics.median(values):10.0f} {max(values):9.0f}  {ratio:.2f}, {max(base) / max(values):.2f}')


if __name__ == '__main__':
    main()
