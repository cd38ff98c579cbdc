"""Scores of MLQA's official script, which crates/core/src/measure/answer.rs is compared with.

usage: make.py mlqa_evaluation_v1.py > expected.jsonl   (github.com/facebookresearch/MLQA at any commit)

Random answers and gold answers of words in several scripts, punctuation and articles, 60 a language, scored by the functions
`exact_match_score` and `f1_score` of the script that is named on the command line. A line: language, answer, gold answers, and the
largest EM and F1 over them.
"""
import importlib.util, json, random, sys

spec = importlib.util.spec_from_file_location('official', sys.argv[1])
official = importlib.util.module_from_spec(spec)
spec.loader.exec_module(official)
WORDS = '''the a an Theatre 18 1,000.5 Denver él el la Las unos Único niño der die das Den einem Häuser Straße ein und của là cái
những Hà Nội चीनी दिल्ली में नई ال الكتاب والجامعة كتاب مدينة 北京 路易十四 2020年 是 的 東京タワー Москва İstanbul ΟΔΟΣ ﬁve café'''.split()
MARKS = ['', '', '', '', ',', '.', '!', '’', '“', '”', '—', '。', '、', '।', '؟', '،', '-', '$', '^', '`', '\'', '(', ')']
SPACES = [' ', ' ', ' ', '  ', '', '\u00a0', '\n']


def text(pick, words):
    parts = [pick.choice(MARKS) + pick.choice(words) + pick.choice(MARKS) + pick.choice(SPACES) for _ in range(pick.randint(0, 6))]
    return ''.join(parts)


pick = random.Random(38)
for language in ['en', 'es', 'hi', 'vi', 'de', 'ar', 'zh']:
    for _ in range(60):
        words = pick.sample(WORDS, 8)
        golds = [text(pick, words) for _ in range(pick.randint(1, 3))]
        answer = pick.choice(golds).upper() if pick.random() < .2 else text(pick, words)
        best = [max(float(score(answer, gold, language)) for gold in golds)
                for score in (official.exact_match_score, official.f1_score)]
        print(json.dumps([language, answer, golds, *best], ensure_ascii=False))
