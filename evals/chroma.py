"""Chroma's chunking study (Smith and Troynikov 2024) as a folder that ragtriage reads.

usage: chroma.py IN OUT

IN holds `questions_df.csv` and `corpora/*.md`, as the public repository brandonstarxel/chunking_evaluation has them in
`chunking_evaluation/evaluation_framework/general_evaluation_data`. OUT becomes a data set of format `files`: the corpora
untouched, and `questions.jsonl`. All excerpts of a question are needed, so they are the ranges of one member of one group; their
offsets count code points there and bytes here. A question is tagged with its corpus. Excerpts whose text does not stand where
their offsets say end the work with an error.
"""
import argparse, csv, json, pathlib, sys


def byte_offsets(text):
    """Where each code point of `text` starts in UTF-8, and where the last one ends."""
    offsets = [0]
    for letter in text:
        offsets.append(offsets[-1] + len(letter.encode()))
    return offsets


def ranges(question, text, offsets):
    """The excerpts of a line of the table as byte ranges, each once, in the order of the text."""
    found = set()
    for excerpt in json.loads(question['references']):
        start, end = int(excerpt['start_index']), int(excerpt['end_index'])
        if text[start:end] != excerpt['content']:
            sys.exit(f"{question['corpus_id']} {start}-{end}: not the text of the excerpt: {text[start:end]!r}")
        found.add((offsets[start], offsets[end]))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('source', type=pathlib.Path, metavar='IN')
    parser.add_argument('target', type=pathlib.Path, metavar='OUT')
    arguments = parser.parse_args()
    (arguments.target / 'corpus').mkdir(parents=True, exist_ok=True)
    texts, offsets = {}, {}
    for file in sorted((arguments.source / 'corpora').glob('*.md')):
        (arguments.target / 'corpus' / file.name).write_bytes(file.read_bytes())
        texts[file.stem] = file.read_bytes().decode()
        offsets[file.stem] = byte_offsets(texts[file.stem])
    n_excerpts = 0
    with open(arguments.source / 'questions_df.csv', encoding='utf-8', newline='') as table, \
            open(arguments.target / 'questions.jsonl', 'w', encoding='utf-8') as lines:
        for number, question in enumerate(csv.DictReader(table)):
            corpus = question['corpus_id']
            needed = ranges(question, texts[corpus], offsets[corpus])
            n_excerpts += len(needed)
            line = {'id': f'{corpus}-{number:03}', 'text': question['question'],
                    'evidence': [{'doc': f'{corpus}.md', 'ranges': needed}], 'tags': [corpus]}
            lines.write(json.dumps(line, ensure_ascii=False) + '\n')
    print(f'{len(texts)} documents, {number + 1} questions, {n_excerpts} excerpts', file=sys.stderr)


if __name__ == '__main__':
    main()
