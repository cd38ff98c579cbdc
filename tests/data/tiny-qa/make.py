"""Makes the seeded tiny question-answering checkpoints of this folder, and what transformers' own pipeline answers with them.

usage: python make.py        (made with torch 2.9.1, transformers 4.57.3, tokenizers 0.22.2; transformers 5 has no such pipeline)
Writes a folder for each of bert, roberta, distilbert and electra, and expected.json. The weights are noise stored as float16: the
folders test arithmetic and bookkeeping (windows, masks, words, merged answers, null scores), not meaning. Lengths are cut at 64 by
tokenizer_config.json, so that a passage of a few lines needs several windows. electra has embeddings narrower than its states.
"""
import json
import string
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoModelForQuestionAnswering, BertConfig, DistilBertConfig, ElectraConfig, PreTrainedTokenizerFast, RobertaConfig, pipeline,
)

HERE = Path(__file__).resolve().parent
WIDTH, HEADS, INNER, LAYERS, POSITIONS, LENGTH = 12, 4, 28, 2, 72, 64
WORDS = """the of and in to is was for it what who when where river city king year tea cup red blue large small old new
first ##ed ##ing ##er ##ly""".split()
SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = [*SPECIALS, *string.ascii_lowercase, *("##" + c for c in string.ascii_lowercase), *string.digits,
              *string.punctuation, *WORDS]
LONG = "the old king of the river city was in the new year a large cup of red tea, and it is blue; "
ASKED = [
    ["what is tea", "Tea is red, in a cup."],
    ["who was the king?", "The river is blue. The river is blue. The River is old."],
    ["where", LONG * 3],
    ["what is the first year?", LONG * 2 + "It was 1998 (the year of tea); 3.5 kings drank."],
    ["when was it", "Café teas: in the naïve old city, 日本 was 42% red — “the first”."],
    ["who [SEP] king", "cup [MASK] of [CLS] tea"],
    ["", "the"],
    ["what", "tea tea tea tea tea tea tea"],
    ["where is the cup", "\n\n  In the\tcity.\n\nOr in the kingdom of unrivered teacupping kings, year in, year out, redly.\n" + LONG],
]
noise = np.random.Generator(np.random.PCG64(20261123))


def main():
    shape = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER}
    words = {"vocab_size": len(VOCABULARY), "max_position_embeddings": POSITIONS}
    tokenizer, n_bytes = byte_level()
    expected = {
        "bert": answered("bert", BertConfig(**shape, **words), word_pieces()),
        "roberta": answered("roberta", RobertaConfig(
            **shape, vocab_size=n_bytes, max_position_embeddings=POSITIONS + 2, type_vocab_size=1, layer_norm_eps=1e-5),
            tokenizer, cls="<s>", sep="</s>", pad="<pad>", unk="<unk>", typed=False),
        "distilbert": answered("distilbert", DistilBertConfig(
            **words, dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, hidden_dim=INNER), word_pieces(), typed=False),
        "electra": answered("electra", ElectraConfig(**shape, **words, embedding_size=8), word_pieces()),
    }
    lines = ",\n".join(json.dumps(name) + ": [\n" + ",\n".join(map(json.dumps, rows)) + "]" for name, rows in expected.items())
    (HERE / "expected.json").write_text("{\n" + lines + "\n}\n")


def answered(name, config, tokenizer, cls="[CLS]", sep="[SEP]", pad="[PAD]", unk="[UNK]", typed=True):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    model = seeded(AutoModelForQuestionAnswering.from_config(config), config, folder)
    (folder / "tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False) + "\n")
    write(folder / "tokenizer_config.json", {"model_max_length": LENGTH})
    names = ["input_ids", "token_type_ids", "attention_mask"] if typed else ["input_ids", "attention_mask"]
    fast = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), cls_token=cls, sep_token=sep, pad_token=pad,
                                   unk_token=unk, model_max_length=LENGTH, model_input_names=names)
    ask = pipeline("question-answering", model=model, tokenizer=fast, device="cpu")
    rows = []
    for question, context in ASKED:
        # The pipeline refuses an empty question; its later steps do not.
        fields = {"question": question or " ", "context": context}
        best = ask(**fields)
        null = ask(**fields, handle_impossible_answer=True, top_k=1000)
        null = next(answer["score"] for answer in null if answer["start"] == answer["end"] == 0 and not answer["answer"])
        possible = ask(**fields, handle_impossible_answer=True)
        rows.append({**fields, "answer": best["answer"], "score": best["score"], "null": null,
                     "or_none": possible["answer"]})
        assert possible["score"] == max(null, best["score"])
    return rows


def seeded(model, config, folder):
    """Fills a model with noise that float16 holds exactly, and saves it."""
    state = {}
    for key, tensor in sorted(model.state_dict().items()):
        if "position_ids" in key:
            continue
        norm = key.endswith("weight") and "norm" in key.lower()
        values = (1.0 if norm else 0.0) + 0.5 * noise.standard_normal(tuple(tensor.shape))
        state[key] = torch.from_numpy(values.astype(np.float16))
    model.load_state_dict({key: tensor.float() for key, tensor in state.items()}, strict=False)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    write(folder / "config.json", {k: v for k, v in config.to_dict().items() if k != "transformers_version"})
    return model.eval()


def word_pieces():
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.add_special_tokens(SPECIALS)
    return tokenizer


def byte_level():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "e"), ("te", "a"), ("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e"), ("i", "n"), ("Ġ", "k"), ("in", "g"), ("e", "r")]
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *alphabet, *(a + b for a, b in merges), "<mask>"]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(vocabulary)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    return tokenizer, len(vocabulary)


def write(path, value):
    path.write_text(json.dumps(value) + "\n")


main()
