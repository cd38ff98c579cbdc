"""Makes the seeded tiny checkpoints of this folder, and what transformers computes with them.

usage: python make.py        (made with torch 2.15.0, transformers 5.23.0, tokenizers 0.23.3, sentence-transformers 6.2.0)
Writes a folder for each of cross-encoder, dpr-question, dpr-passage, colbert, roberta and distilbert, and expected.json. The
weights are noise stored as float16: the folders test arithmetic, not meaning. The widths (12, heads of 3) fill no vector
register evenly. The tokenizers are word pieces, and byte-level BPE for roberta.
"""
import json
import string
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from sentence_transformers import CrossEncoder
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig, BertForSequenceClassification, BertModel, DistilBertConfig,
    DistilBertForSequenceClassification, DPRConfig, DPRContextEncoder, DPRQuestionEncoder, PreTrainedTokenizerFast,
    RobertaConfig, RobertaForSequenceClassification,
)

HERE = Path(__file__).resolve().parent
WIDTH, HEADS, INNER, LAYERS, POSITIONS = 12, 4, 28, 2, 40
WORDS = """the of and in to is was for it what who when where river city king year tea cup red blue large small old new
first ##s ##ed ##ing ##er ##ly""".split()
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = [*SPECIALS, "[unused0]", "[unused1]", *string.ascii_lowercase, *("##" + c for c in string.ascii_lowercase),
              *string.digits, *string.punctuation, *WORDS]
LONG = "the old king of the river city was in the new year a large cup of red tea, and it is blue; "
TEXTS = [
    "tea",
    "What is the first river?",
    "The old king was in the city (it is large).",
    "Café: 42 cups, 3.5 teas!",
    "",
    "...",
    LONG * 3,
]
TITLED = [
    ["Tea", "Tea is in the cup."],
    ["", "The river is blue."],
    ["The Old King", LONG * 3],
    [LONG * 3, "first"],
    [LONG, LONG * 2],
    ["King", ""],
]
PAIRS = [
    ["what is tea", "Tea is red, in a cup."],
    ["who was the king?", "The river is blue."],
    ["where", LONG * 3],
    [LONG * 3, "tea"],
    [LONG * 2, LONG * 2],
    ["", "the"],
    ["", ""],
    ["[SEP] king", "cup [MASK] of [CLS] tea"],
]
noise = np.random.Generator(np.random.PCG64(20261121))


def main():
    expected = {
        "cross_encoder": cross_encoder(),
        "dpr": dpr(),
        "colbert": colbert(),
        "roberta": roberta(),
        "distilbert": distilbert(),
    }
    lines = ",\n".join(json.dumps(name) + ": " + json.dumps(value) for name, value in expected.items())
    (HERE / "expected.json").write_text("{\n" + lines + "\n}\n")
    n_bytes = sum(path.stat().st_size for path in HERE.rglob("*") if path.is_file())
    print(len(VOCABULARY), "word pieces;", n_bytes, "bytes in this folder")


def bert_shape(config_class, **more):
    return config_class(vocab_size=len(VOCABULARY), hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
                        intermediate_size=INNER, max_position_embeddings=POSITIONS, **more)


def cross_encoder():
    """BertForSequenceClassification over pairs, cut at 32 by tokenizer_config.json."""
    config = bert_shape(BertConfig, num_labels=1)
    model, folder = seeded(BertForSequenceClassification(config), config, "cross-encoder")
    word_piece_json(folder)
    write(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", "model_max_length": 32})
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]",
                                        model_max_length=32, model_input_names=["input_ids", "token_type_ids", "attention_mask"])
    rows = classified(model, tokenizer, PAIRS)
    peer = CrossEncoder(str(folder), device="cpu", activation_fn=torch.nn.Identity(),
                        model_kwargs={"dtype": torch.float32})
    theirs = peer.predict(PAIRS, batch_size=1, show_progress_bar=False)
    print("cross-encoder: largest difference to sentence-transformers' CrossEncoder",
          max(abs(a - row["logit"]) for a, row in zip(theirs, rows)))
    return rows


def classified(model, tokenizer, pairs):
    rows = []
    for first, second in pairs:
        batch = tokenizer([first], [second], truncation=True, return_tensors="pt")
        with torch.no_grad():
            logit = model(**batch).logits
        assert logit.shape == (1, 1)
        rows.append({"pair": [first, second], "tokens": batch["input_ids"].shape[1], "logit": rounded(logit[0])[0]})
    return rows


def dpr():
    """DPR's two encoders: titles and texts as pairs, every token of type 0."""
    sides = {}
    for name, model_class in [("question", DPRQuestionEncoder), ("passage", DPRContextEncoder)]:
        config = bert_shape(DPRConfig)
        model, folder = seeded(model_class(config), config, "dpr-" + name)
        word_piece_json(folder)
        write(folder / "tokenizer_config.json", {"model_max_length": POSITIONS})
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]")
        rows = []
        for title, text in TITLED if name == "passage" else [["", text] for text in TEXTS]:
            parts = ([title], [text]) if title else ([text],)
            batch = tokenizer(*parts, truncation=True, max_length=POSITIONS, return_tensors="pt")
            ids = batch["input_ids"]
            with torch.no_grad():
                vector = model(input_ids=ids, token_type_ids=torch.zeros_like(ids)).pooler_output[0]
            rows.append({"title": title, "text": text, "tokens": ids.shape[1], "vector": rounded(vector)})
        sides[name] = rows
    return sides


def colbert():
    """ColBERT (Khattab and Zaharia 2020) as colbert-ai 0.2.22 computes it, written out plainly."""
    query_maxlen, doc_maxlen, dim = 12, 24, 8
    config = bert_shape(BertConfig)
    bert = BertModel(config, add_pooling_layer=False)
    model = torch.nn.Module()
    model.bert, model.linear = bert, torch.nn.Linear(WIDTH, dim, bias=False)
    model, folder = seeded(model, config, "colbert")
    word_piece_json(folder)
    write(folder / "artifact.metadata", {
        "query_token_id": "[unused0]", "doc_token_id": "[unused1]", "query_token": "[Q]", "doc_token": "[D]", "dim": dim,
        "similarity": "cosine", "mask_punctuation": True, "attend_to_mask_tokens": False, "interaction": "colbert",
        "query_maxlen": query_maxlen, "doc_maxlen": doc_maxlen})
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cls, sep, mask, q, d = (tokenizer.token_to_id(t) for t in ["[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]"])
    skipped = {tokenizer.encode(symbol, add_special_tokens=False).ids[0] for symbol in string.punctuation}

    def states(ids, n_seen):
        seen = torch.tensor([[1] * n_seen + [0] * (len(ids) - n_seen)])
        with torch.no_grad():
            hidden = bert(input_ids=torch.tensor([ids]), attention_mask=seen).last_hidden_state[0]
            return torch.nn.functional.normalize(model.linear(hidden), p=2, dim=1)

    def bare(text):
        return tokenizer.encode(text, add_special_tokens=False).ids

    queries, attending, documents = [], [], []
    for text in TEXTS:
        ids = [cls, q, *bare(text)[: query_maxlen - 3], sep]
        n_seen = len(ids)
        ids += [mask] * (query_maxlen - n_seen)
        queries.append({"text": text, "rows": [rounded(row) for row in states(ids, n_seen)]})
        attending.append({"text": text, "rows": [rounded(row) for row in states(ids, len(ids))]})
    for text in TEXTS:
        ids = [cls, d, *bare(text)[: doc_maxlen - 3], sep]
        rows = states(ids, len(ids))
        documents.append({"text": text, "rows": [rounded(row) for row, i in zip(rows, ids) if i not in skipped]})
    return {"queries": queries, "attending": attending[:2], "documents": documents}


def roberta():
    """RobertaForSequenceClassification: pairs, and the mean over its transformer's states for single texts."""
    byte_tokenizer = Tokenizer(models.BPE())
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "e"), ("te", "a"), ("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e"), ("i", "n"), ("Ġ", "k"), ("in", "g"), ("e", "r")]
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, *(a + b for a, b in merges), "<mask>"]
    byte_tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(vocabulary)}, merges))
    byte_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_tokenizer.decoder = decoders.ByteLevel()
    byte_tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    byte_tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    config = RobertaConfig(vocab_size=len(vocabulary), hidden_size=WIDTH, num_hidden_layers=LAYERS,
                           num_attention_heads=HEADS, intermediate_size=INNER, max_position_embeddings=POSITIONS + 2,
                           type_vocab_size=1, num_labels=1, layer_norm_eps=1e-5)
    model, folder = seeded(RobertaForSequenceClassification(config), config, "roberta")
    (folder / "tokenizer.json").write_text(json.dumps(json.loads(byte_tokenizer.to_str()), ensure_ascii=False) + "\n")
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>",
                                        model_max_length=POSITIONS)
    return {"pairs": classified(model, tokenizer, PAIRS), "texts": averaged(model.roberta, tokenizer)}


def distilbert():
    """DistilBertForSequenceClassification: pairs, and the mean over its transformer's states for single texts."""
    config = DistilBertConfig(vocab_size=len(VOCABULARY), dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, hidden_dim=INNER,
                              max_position_embeddings=POSITIONS, num_labels=1)
    model, folder = seeded(DistilBertForSequenceClassification(config), config, "distilbert")
    word_piece_json(folder)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="[PAD]",
                                        model_max_length=POSITIONS, model_input_names=["input_ids", "attention_mask"])
    return {"pairs": classified(model, tokenizer, PAIRS), "texts": averaged(model.distilbert, tokenizer)}


def averaged(model, tokenizer):
    rows = []
    for text in TEXTS:
        batch = tokenizer(text, truncation=True, return_tensors="pt")
        with torch.no_grad():
            states = model(**batch).last_hidden_state[0]
        rows.append({"text": text, "tokens": states.shape[0], "vector": rounded(states.double().mean(0))})
    return rows


def seeded(model, config, name):
    """Fills a model with noise that float16 holds exactly, and saves it under its name."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    state = {}
    for key, tensor in sorted(model.state_dict().items()):
        if "position_ids" in key:
            continue
        norm = key.endswith("weight") and "norm" in key.lower()
        values = (1.0 if norm else 0.0) + 0.5 * noise.standard_normal(tuple(tensor.shape))
        state[key] = torch.from_numpy(values.astype(np.float16))
    model.load_state_dict({key: tensor.float() for key, tensor in state.items()}, strict=False)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    described = {key: value for key, value in config.to_dict().items() if key != "transformers_version"}
    write(folder / "config.json", described)
    return model.eval(), folder


def word_piece_json(folder):
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.add_special_tokens(SPECIALS)
    (folder / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str())) + "\n")


def rounded(vector):
    return [float(f"{x:.6g}") for x in vector.tolist()]


def write(path, value):
    path.write_text(json.dumps(value) + "\n")


main()
