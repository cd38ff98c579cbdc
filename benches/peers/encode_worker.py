"""One peer as a process: encode_worker.py TOOL MODEL_FOLDER TEXTS.jsonl N_TEXTS VECTORS.npy

Loads, encodes a few texts, prints a line of JSON; then encodes all texts for each line read and prints a line of JSON each time. The vectors of the
last time are in VECTORS.npy.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

MAX_TOKENS = 256
BATCH = 32
WARM_UP_TEXTS = 16


def by_torch(model, dtype):
    """sentence-transformers: tokenizing, sorting by length, padding and pooling are its own."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(model, device="cpu", model_kwargs={"dtype": dtype})
    encoder.max_seq_length = MAX_TOKENS
    return lambda texts: encoder.encode(texts, batch_size=BATCH, convert_to_tensor=True).float().numpy()


def by_onnxruntime(model, quantized):
    """ONNX Runtime on the exported graph, sorted by length, padded to the batch's longest, mean pooling in numpy."""
    import onnxruntime
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    bert = AutoModel.from_pretrained(model, attn_implementation="eager").eval()

    class States(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = bert

        def forward(self, ids, mask):
            return self.bert(input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids)).last_hidden_state

    example = tokenizer(["a text", "a text of some more words"], return_tensors="pt", padding=True)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model.onnx"))
        axes = {name: {0: "texts", 1: "tokens"} for name in ("ids", "mask", "states")}
        inputs = (example["input_ids"], example["attention_mask"])
        torch.onnx.export(States(), inputs, path, input_names=["ids", "mask"], output_names=["states"], dynamic_axes=axes, opset_version=17, dynamo=False)
        if quantized:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            whole, path = path, str(Path(folder, "int8.onnx"))
            quantize_dynamic(whole, path, weight_type=QuantType.QInt8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def encode(texts):
        encoded = tokenizer(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]
        order = sorted(range(len(texts)), key=lambda i: -len(encoded[i]))
        vectors = np.zeros((len(texts), bert.config.hidden_size), np.float32)
        for start in range(0, len(order), BATCH):
            members = order[start : start + BATCH]
            longest = max(len(encoded[i]) for i in members)
            ids, mask = np.zeros((len(members), longest), np.int64), np.zeros((len(members), longest), np.int64)
            for row, i in enumerate(members):
                ids[row, : len(encoded[i])] = encoded[i]
                mask[row, : len(encoded[i])] = 1
            states = session.run(None, {"ids": ids, "mask": mask})[0]
            vectors[members] = (states * mask[..., None]).sum(1) / mask.sum(1)[:, None]
        return vectors

    return encode


def main():
    tool, model, texts_file, n_texts, vectors_file = sys.argv[1:6]
    with open(texts_file, encoding="utf-8") as file:
        texts = [json.loads(line) for line in file][: int(n_texts)]
    kinds = {
        "torch float32": lambda: by_torch(model, torch.float32),
        "torch bfloat16": lambda: by_torch(model, torch.bfloat16),
        "onnxruntime float32": lambda: by_onnxruntime(model, quantized=False),
        "onnxruntime int8": lambda: by_onnxruntime(model, quantized=True),
    }
    from transformers import AutoTokenizer

    n_tokens = sum(map(len, AutoTokenizer.from_pretrained(model)(texts, truncation=True, max_length=MAX_TOKENS)["input_ids"]))
    encode = kinds[tool]()
    encode(texts[:WARM_UP_TEXTS])
    print(json.dumps({"tool": tool}), flush=True)
    for _ in sys.stdin:
        begun = time.perf_counter()
        vectors = encode(texts)
        seconds = time.perf_counter() - begun
        np.save(vectors_file, vectors)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        answer = {"texts": len(texts), "tokens": n_tokens, "seconds": seconds, "tokens_per_second": n_tokens / seconds, "peak_bytes": peak}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
