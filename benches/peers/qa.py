"""Fine-tunes a small encoder to answer questions, and writes what transformers' own pipeline answers with it.

usage: python qa.py MODEL_FOLDER SQUAD.json OUT [--examples 1500] [--threads 1]     (needs: requirements-qa.txt)
       cargo test -p ragtriage-encoder trained_model -- --ignored
MODEL_FOLDER is a BERT-family checkpoint such as all-MiniLM-L6-v2, SQUAD.json a file of SQuAD v1.1, OUT the folder of the result:
datasets/fetched/qa-minilm for the test. One epoch over --examples questions of all articles but the last quarter. 100 questions of
those are then asked of the pipeline, each over five paragraphs of its article joined, so that there are several windows; their
answers, scores and null scores go to OUT/expected.json. Prints EM and the test's command. Seeded, but other versions or thread
counts train other weights: the checkpoint is not part of the project.
"""
import argparse
import json
import random
import time
from pathlib import Path

import torch
from transformers import AutoModelForQuestionAnswering, AutoTokenizer, pipeline

LENGTH, BATCH, RATE, N_TEST, SEED = 192, 8, 1e-4, 100, 20261123


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("squad")
    parser.add_argument("out", type=Path)
    parser.add_argument("--examples", type=int, default=1500)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    chance = random.Random(SEED)
    articles = json.loads(Path(options.squad).read_text())["data"]
    n_test = max(1, len(articles) // 4)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    # A sentence encoder's tokenizer may carry a shorter limit and padding.
    tokenizer.model_max_length = 512
    model = AutoModelForQuestionAnswering.from_pretrained(options.model, dtype=torch.float32)
    train(model, tokenizer, examples(articles[:-n_test], chance)[: options.examples])
    options.out.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(options.out)
    tokenizer.save_pretrained(options.out)
    rows = asked(model.eval(), tokenizer, tests(articles[-n_test:], chance))
    right = sum(row["answer"].lower() in row.pop("gold") for row in rows)
    (options.out / "expected.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
    print(f"{len(rows)} questions, EM {right / len(rows):.2f}")


def examples(articles, chance):
    found = [
        (qa["question"], paragraph["context"], qa["answers"][0])
        for article in articles for paragraph in article["paragraphs"] for qa in paragraph["qas"]
    ]
    chance.shuffle(found)
    return found


def train(model, tokenizer, found):
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    n_steps = len(found) // BATCH
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 10, 1 - step / n_steps))
    model.train()
    began = time.monotonic()
    for step in range(n_steps):
        questions, contexts, answers = zip(*found[step * BATCH : (step + 1) * BATCH])
        batch = tokenizer(list(questions), list(contexts), truncation="only_second", max_length=LENGTH, padding=True,
                          return_tensors="pt")
        places = [place(batch, at, answer) for at, answer in enumerate(answers)]
        starts, ends = (torch.tensor(side) for side in zip(*places))
        loss = model(**batch, start_positions=starts, end_positions=ends).loss
        loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 10 == 0:
            print(f"step {step} of {n_steps}, loss {loss.item():.2f}, {time.monotonic() - began:.0f} s", flush=True)


def place(batch, at, answer):
    """First and last token of the answer; [CLS] where truncation cut it off."""
    start = answer["answer_start"]
    tokens = [batch.char_to_token(at, char, 1) for char in (start, start + len(answer["text"]) - 1)]
    return (0, 0) if None in tokens else tokens


def tests(articles, chance):
    """Questions with five neighbouring paragraphs of their article."""
    found = []
    for article in articles:
        contexts = [paragraph["context"] for paragraph in article["paragraphs"]]
        for at, paragraph in enumerate(article["paragraphs"]):
            first = max(0, min(at - 2, len(contexts) - 5))
            joined = "\n\n".join(contexts[first : first + 5])
            found += [(qa["question"], joined, {answer["text"].lower() for answer in qa["answers"]}) for qa in paragraph["qas"]]
    chance.shuffle(found)
    return found[:N_TEST]


def asked(model, tokenizer, questions):
    ask = pipeline("question-answering", model=model, tokenizer=tokenizer, device="cpu")
    rows = []
    for question, context, gold in questions:
        fields = {"question": question, "context": context}
        best = ask(**fields)
        every = ask(**fields, handle_impossible_answer=True, top_k=1000)
        null = next(answer["score"] for answer in every if not answer["answer"])
        or_none = "" if null > best["score"] else best["answer"]
        rows.append({**fields, "answer": best["answer"], "score": best["score"], "null": null, "or_none": or_none, "gold": gold})
    return rows


main()
