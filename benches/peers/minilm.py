"""How near our vectors are to sentence-transformers' own: a check, run by hand.

usage: cargo bench --bench encode --no-run      (prints the program's path)
       python minilm.py ENCODE MODEL_FOLDER     (needs: torch, sentence-transformers)
Makes 200 texts of 3 to 400 word pieces from the words of datasets/runbooks (seeded), encodes them with `ENCODE` (benches/encode.rs)
and with sentence-transformers one by one in float32, and prints the least cosine and the largest difference of a number. MODEL_FOLDER
is all-MiniLM-L6-v2's; its sentence-transformers files may be missing (a pinned download has none), so the steps are named here:
mean pooling, unit length, 256 word pieces. Exit 1 where a cosine is not above .99999.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer

N_TEXTS, FEWEST, MOST, MAX_TOKENS, LEAST_COSINE = 200, 3, 400, 256, 0.99999
ROOT = Path(__file__).resolve().parents[2]


def main():
    program, folder = sys.argv[1:]
    transformer = Transformer(folder, model_kwargs={"dtype": "float32"})
    width = transformer.model.config.hidden_size
    model = SentenceTransformer(modules=[transformer, Pooling(width, pooling_mode="mean"), Normalize()], device="cpu")
    model.max_seq_length = MAX_TOKENS
    texts = make_texts(model.tokenizer)
    theirs = np.array([model.encode(text, show_progress_bar=False) for text in texts], dtype=np.float64)
    with tempfile.TemporaryDirectory() as scratch:
        lines, vectors = Path(scratch, "texts.jsonl"), Path(scratch, "vectors.f32")
        lines.write_text("".join(json.dumps(text) + "\n" for text in texts))
        subprocess.run([program, folder, lines, "--vectors", vectors], check=True, stdout=subprocess.DEVNULL)
        ours = np.fromfile(vectors, dtype="<f4").reshape(len(texts), -1).astype(np.float64)
    cosines = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    others = (ours @ theirs.T)[~np.eye(len(texts), dtype=bool)]
    print(f"{len(texts)} texts: least cosine {cosines.min():.9f}, mean {cosines.mean():.9f}; largest difference of a number "
          f"{np.abs(ours - theirs).max():.2e}; nearest pair of different texts {others.max():.6f}")
    sys.exit(0 if cosines.min() > LEAST_COSINE else 1)


def make_texts(tokenizer):
    """Seeded runs of the runbooks' words, white space and punctuation included, of FEWEST to MOST word pieces."""
    words = " ".join(path.read_text() for path in sorted((ROOT / "datasets/runbooks/corpus").rglob("*.md"))).split(" ")
    draw = random.Random(20261121)
    texts = []
    for i in range(N_TEXTS):
        start = draw.randrange(len(words) - MOST)
        run = " ".join(words[start : start + MOST])
        ends = tokenizer(run, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        n_tokens = FEWEST + round(i * (MOST - FEWEST) / (N_TEXTS - 1))
        texts.append(run[: ends[n_tokens - 1][1]])
    return texts


main()
