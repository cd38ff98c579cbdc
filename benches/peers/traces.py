"""Seeded traces of a RAG over a seeded data set: `traces.py FOLDER [N_TRACES]`.

The data set is `corpus.py`'s, with a document of 84 words and a question for each trace (10,000). A trace is an export of OTLP/JSON as
OpenInference's LangChain package writes it (tests/data/spans/otlp-langchain.jsonl): a chain, a retriever whose ten documents are its
output as JSON and attributes of its own, and a model with its prompt, as a message and as JSON, its answer and its tokens. The document
of the question is at a random rank; the answer is the gold answer if that rank is among the first five.
Written: the data set, config.toml with `k = 10`, and traces.jsonl (236 MB for 10,000).
"""
import json, random, sys

import corpus

N_HITS, N_FOUND, SEED = 10, 5, 20261125
START = 1_795_559_565_000_000_000
CONFIG = '''[dataset]
format = "jsonl"
path = "."

[chunking]
strategy = "document"

[retrieval]
k = 10
'''
SYSTEM = 'Answer in as few words as possible, using only the passages.'


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def value(value):
    if isinstance(value, int):
        return {'intValue': str(value)}
    return {'stringValue': value if isinstance(value, str) else json.dumps(value)}


def span(trace, number, parent, name, kind, attributes):
    start = START + trace * 1_000_000_000 + number * 1_000_000
    attributes = {**attributes, 'openinference.span.kind': kind}
    return {
        'traceId': f'{trace + 1:032x}', 'spanId': f'{trace + 1:014x}{number:02x}', 'parentSpanId': f'{trace + 1:014x}{parent:02x}' if parent else '',
        'flags': 256, 'name': name, 'kind': 1, 'startTimeUnixNano': str(start), 'endTimeUnixNano': str(start + 900_000),
        'attributes': [{'key': key, 'value': value(one)} for key, one in attributes.items()], 'status': {'code': 'STATUS_CODE_OK'},
    }


def trace(number, question, documents, rng):
    hits = rng.sample(documents, N_HITS)
    own = documents[int(question['id'][1:])]
    rank = rng.randrange(N_HITS)
    hits = [hit for hit in hits if hit is not own][:N_HITS - 1]
    hits.insert(rank, own)
    answer = question['answers'][0] if rank < N_FOUND else 'unknown'
    metadata = [{'source': hit['id'], 'title': hit['id'], 'score': round(1 - at / 16, 4)} for at, hit in enumerate(hits)]
    found = [{'id': None, 'metadata': one, 'page_content': hit['text'], 'type': 'Document'} for one, hit in zip(metadata, hits)]
    listed = {}
    for at, (one, hit) in enumerate(zip(metadata, hits)):
        listed[f'retrieval.documents.{at}.document.content'] = hit['text']
        listed[f'retrieval.documents.{at}.document.metadata'] = one
    passages = '\n\n'.join(f'[{at}] {hit["text"]}' for at, hit in enumerate(hits, 1))
    user = f'{passages}\n\nQuestion: {question["text"]}'
    message = {'lc': 1, 'type': 'constructor', 'id': ['langchain', 'schema', 'messages', 'HumanMessage'], 'kwargs': {'content': user, 'type': 'human'}}
    spans = [
        span(number, 2, 1, 'VectorStoreRetriever', 'RETRIEVER', {
            'input.value': question['text'], 'output.value': {'documents': found}, 'output.mime_type': 'application/json', **listed}),
        span(number, 3, 1, 'ChatModel', 'LLM', {
            'input.value': {'messages': [[message]]}, 'input.mime_type': 'application/json',
            'llm.input_messages.0.message.role': 'system', 'llm.input_messages.0.message.content': SYSTEM,
            'llm.input_messages.1.message.role': 'user', 'llm.input_messages.1.message.content': user,
            'output.value': {'generations': [[{'text': answer}]]}, 'llm.output_messages.0.message.role': 'assistant',
            'llm.output_messages.0.message.content': answer, 'llm.model_name': 'seeded',
            'llm.token_count.prompt': 2_000, 'llm.token_count.completion': 3}),
        span(number, 1, 0, 'chain', 'CHAIN', {'input.value': question['text'], 'output.value': answer}),
    ]
    scope = {'scope': {'name': 'openinference.instrumentation.langchain', 'version': '0.1.80'}, 'spans': spans}
    resource = {'attributes': [{'key': 'service.name', 'value': {'stringValue': 'rag'}}]}
    return {'resourceSpans': [{'resource': resource, 'scopeSpans': [scope]}]}


def main(folder, n_traces):
    corpus.N_QUESTIONS, corpus.N_WORDS = n_traces, 84
    corpus.main(folder, n_traces)
    with open(f'{folder}/config.toml', 'w') as config:
        config.write(CONFIG)
    rng = random.Random(SEED)
    documents, questions = lines(f'{folder}/corpus.jsonl'), lines(f'{folder}/questions.jsonl')
    with open(f'{folder}/traces.jsonl', 'w') as traces:
        for number, question in enumerate(questions):
            traces.write(json.dumps(trace(number, question, documents, rng), separators=(',', ':')) + '\n')


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000)
