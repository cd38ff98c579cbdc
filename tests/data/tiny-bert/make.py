"""Makes the seeded tiny BERT of this folder, and the vectors that transformers computes with it.

usage: python make.py        (needs: pip install torch transformers sentence-transformers)
Writes config.json, tokenizer.json, model.safetensors, modules.json, sentence_bert_config.json, 1_Pooling/config.json
and expected.json next to itself. The weights are noise: the folder tests arithmetic, not meaning. The widths (24, heads
of 6) are chosen so that no vector register is filled evenly, and tokenizer.json carries the same trap as
all-MiniLM-L6-v2's: truncation and padding to a length that the encoder must override.
"""
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

HERE = Path(__file__).resolve().parent
MAX_SEQ_LENGTH = 60
LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + ["£", "€", "“", "”", "’", "–", "…"]
WORDS = """the of and in to is was for on as by with that at from it an be are not this which or his her we model test
data paper what who when where why how many river city king year war music film book heart cell gene tea cup red blue
green small large old new first last two three ##s ##ed ##ing ##er ##ly ##tion ##al ##en ##re ##st ##th ##on""".split()
TEXTS = [
    "",
    "a",
    "tea",
    "The river.",
    "What is the first cell?",
    "It was not the old king, it was the new one.",
    "testing tested tests tester",
    "  white\tspace\n\nof many  sorts  ",
    "Café Ångström naïve Zürich",
    "日本語 and 漢字 in the paper",
    "emoji 🙂 and 👩‍👩‍👧 here",
    "“quoted” – it’s £5, €7…",
    "e\u0301 is e with a combining accent",
    "control\u0000and\ufffdreplacement\u200bzero width",
    "1234567890 3.14159 1e-10",
    "A large blue book of music from the city; who made this film, when and why?",
    "Привет мир",
    "x" * 101,
    "a b c d e f g h i j k l m n o p q r s t u v w x y z " * 3,
    "the heart of the model is small " * 7,
    "the heart of the model is small " * 8 + "and this tail is never read",
    "[CLS] literal [SEP] specials [MASK] in [PAD] text",
]


def main():
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *("##" + c for c in LETTERS)]
    vocabulary += [*DIGITS, *("##" + c for c in DIGITS), *PUNCTUATION, *WORDS]
    vocabulary = list(dict.fromkeys(vocabulary))
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=56,
        max_position_embeddings=64, hidden_act="gelu", layer_norm_eps=1e-12, architectures=["BertModel"],
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    noise = np.random.Generator(np.random.PCG64(20261121))
    state = {}
    for name, tensor in sorted(model.state_dict().items()):
        if "position_ids" in name:
            continue
        centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        values = centre + 0.25 * noise.standard_normal(tuple(tensor.shape))
        state[name] = torch.from_numpy(values.astype(np.float32))
    model.load_state_dict(state, strict=False)
    save_file(state, HERE / "model.safetensors", metadata={"format": "pt"})
    kept = ["architectures", "hidden_act", "hidden_size", "intermediate_size", "layer_norm_eps",
            "max_position_embeddings", "model_type", "num_attention_heads", "num_hidden_layers", "pad_token_id",
            "type_vocab_size", "vocab_size"]
    described = config.to_dict() | {"position_embedding_type": "absolute", "pad_token_id": 0}
    write("config.json", {k: described[k] for k in [*kept, "position_embedding_type"]})
    write("modules.json", [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ])
    write("sentence_bert_config.json", {"max_seq_length": MAX_SEQ_LENGTH, "do_lower_case": False})
    write("1_Pooling/config.json", {"word_embedding_dimension": 24, "pooling_mode_cls_token": False,
                                    "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": False,
                                    "pooling_mode_mean_sqrt_len_tokens": False})

    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.enable_truncation(MAX_SEQ_LENGTH)
    ids = [tokenizer.encode(text).ids for text in TEXTS]
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(length=12)
    (HERE / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False) + "\n")

    rows = []
    with torch.no_grad():
        for text, row in zip(TEXTS, ids):
            hidden = model(input_ids=torch.tensor([row])).last_hidden_state[0]
            mean = hidden.double().mean(0)
            vector = mean / mean.norm()
            rows.append({"text": text, "tokens": len(row), "vector": [float(f"{x:.8g}") for x in vector.tolist()]})
    lines = ",\n".join(json.dumps(r, ensure_ascii=True) for r in rows)
    (HERE / "expected.json").write_text("[\n" + lines + "\n]\n")

    peer = SentenceTransformer(str(HERE), device="cpu")
    peer.max_seq_length = MAX_SEQ_LENGTH
    theirs = peer.encode(TEXTS, batch_size=1)
    ours = np.array([r["vector"] for r in rows])
    print(len(vocabulary), "word pieces; largest difference to sentence-transformers", np.abs(ours - theirs).max())
    print("cosine between texts, min", (ours @ ours.T).min())


def write(name, value):
    (HERE / name).write_text(json.dumps(value, indent=1) + "\n")


main()
