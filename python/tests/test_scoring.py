"""Scores, compared with ir_measures and the arithmetic of the SQuAD script."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import datasets
import ir_measures
import pandas
import polars
import pyarrow
import pytest
import pytrec_eval

import ragtriage
from ragtriage import score, score_answers

METRICS = ["nDCG@10", "nDCG", "AP", "AP@10", "RR", "P@5", "R@10"]
NAMES = {"R@10": "Recall@10"}

RUN = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 1.0}}
QRELS = {"q1": {"b": 1}, "q2": {"b": 1, "c": 1}}


def seeded(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """A run and qrels with tied scores, missing queries, and graded, zero and negative judgments.

    Every query has a grade of 0 or more: pytrec_eval does not return from one whose grades are all negative.
    """
    random_ = random.Random(seed)
    documents = [f"d{n}" for n in range(40)]
    qrels = {
        f"q{n}": {
            document: random_.choice([-1, 0, 0, 1, 1, 2, 3] if at else [0, 1])
            for at, document in enumerate(random_.sample(documents, random_.randint(1, 15)))
        }
        for n in range(random_.randint(1, 8))
    }
    run = {
        query: {document: random_.choice([0.0, 0.5, 1.0, random_.random()]) for document in random_.sample(documents, random_.randint(1, 30))}
        for query in [*qrels, "unjudged"]
        if query == "q0" or random_.random() < 0.8
    }
    return run, qrels


def test_scores_are_those_of_ir_measures() -> None:
    parsed = [ir_measures.parse_measure(name) for name in METRICS]
    for seed in range(200):
        run, qrels = seeded(seed)
        ours = score(run, qrels, [NAMES.get(name, name) for name in METRICS])
        theirs = {(found.query_id, str(found.measure)): found.value for found in ir_measures.iter_calc(parsed, qrels, run)}
        for (query, metric), value in theirs.items():
            assert ours.per_query()[query][NAMES.get(metric, metric)] == pytest.approx(value, abs=1e-9), (seed, query, metric)
        means = ir_measures.calc_aggregate(parsed, qrels, run)
        for metric, value in means.items():
            assert ours[NAMES.get(str(metric), str(metric))] == pytest.approx(value, abs=1e-9), (seed, metric)


def forms(tmp_path: Path) -> list[tuple[Any, Any]]:
    (tmp_path / "run").write_text("q1 Q0 a 0 3 t\nq1 Q0 b 0 2 t\nq2 Q0 b 0 1 t\n")
    (tmp_path / "qrels").write_text("q1 0 b 1\nq2 0 b 1\nq2 0 c 1\n")
    scored = [(query, document, value) for query, found in RUN.items() for document, value in found.items()]
    judged = [(query, document, grade) for query, found in QRELS.items() for document, grade in found.items()]
    columns = {name: [row[at] for row in scored] for at, name in enumerate(("query_id", "doc_id", "score"))}
    labels = {name: [row[at] for row in judged] for at, name in enumerate(("query_id", "doc_id", "relevance"))}
    return [
        (RUN, QRELS),
        (tmp_path / "run", str(tmp_path / "qrels")),
        (scored, judged),
        ([ir_measures.ScoredDoc(*row) for row in scored], [ir_measures.Qrel(*row) for row in judged]),
        (pandas.DataFrame(columns), pandas.DataFrame(labels)),
        (polars.DataFrame(columns), polars.DataFrame(labels)),
    ]


def test_every_form_of_run_and_qrels_has_the_same_scores(tmp_path: Path) -> None:
    for run, qrels in forms(tmp_path):
        found = score(run, qrels, ["RR", "Recall@10"])
        # q1: b is second, RR 1/2, and all of 1 found. q2: b is first, and 1 of 2 found.
        assert found.per_query() == {"q1": {"RR": 0.5, "Recall@10": 1.0}, "q2": {"RR": 1.0, "Recall@10": 0.5}}
        assert found.mean == {"RR": 0.75, "Recall@10": 0.75}
        assert found.n == {"RR": 2, "Recall@10": 2}


def test_any_value_is_an_id_and_ties_are_those_of_trec_eval() -> None:
    # The greater id is first in a tie, by bytes; so it is in pytrec_eval.
    run = {"how long?": {"a b": 1.0, "a": 1.0, "é": 0.5}, "#": {"a": 1.0}}
    qrels = {"how long?": {"a": 1}, "#": {"a": 1}}
    found = score(run, qrels, ["RR"]).per_query()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    assert {query: values["RR"] for query, values in found.items()} == {query: values["recip_rank"] for query, values in theirs.items()}
    numbers = score({1: {7: 0.5, 8: 0.9}, (1, 2): {7: 1.0}}, {1: {"7": 1}, (1, 2): {"7": 1}}, ["RR"])
    assert numbers.per_query() == {1: {"RR": 0.5}, (1, 2): {"RR": 1.0}}
    with pytest.raises(ragtriage.RagtriageError, match="the id 'a b' cannot be in a TREC file"):
        score("run.trec", {"q": {"a b": 1}}, ["RR"])


@pytest.mark.parametrize("table", [pandas.DataFrame, polars.DataFrame, pyarrow.table, datasets.Dataset.from_dict])
def test_tables_have_the_columns_of_beir(table: Any) -> None:
    run = table({"query-id": [1, 1], "corpus-id": [7, 8], "score": [0.5, 0.9]})
    qrels = table({"query-id": [1], "corpus-id": [7], "score": [1.0]})
    assert score(run, qrels, ["RR"]).mean == {"RR": 0.5}


def test_a_query_for_which_nothing_was_found_scores_zero() -> None:
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}}
    assert score({"q1": {}, "q2": {"d": 1.0}}, qrels, ["RR"]).mean == {"RR": 0.5}
    nothing = score({"q1": {}, "q2": {}}, qrels, ["RR", "nDCG@10"])
    assert (nothing.mean, nothing.n["RR"]) == ({"RR": 0.0, "nDCG@10": 0.0}, 2)
    with pytest.raises(ragtriage.RagtriageError, match="grade"):
        score({"q1": {"d": 1.0}}, {"q1": {"d": 0.5}}, ["RR"])


def test_values_by_query_are_a_table() -> None:
    found = score(RUN, QRELS, ["RR"])
    assert found.per_query("pandas").to_dict("list") == {"query_id": ["q1", "q2"], "RR": [0.5, 1.0]}
    assert found.per_query("polars").to_dict(as_series=False) == {"query_id": ["q1", "q2"], "RR": [0.5, 1.0]}


@pytest.mark.parametrize(
    ("run", "metrics", "message"),
    [
        (RUN, ["nDCC@10"], "unknown metric"),
        (3, ["RR"], "`rankings` is of type int"),
        ({"q1": ["a"]}, ["RR"], "the documents of query `q1` have no numbers"),
        (RUN, "RR", "`metrics` is one text"),
        ({"q1": {"a": float("inf")}}, ["RR"], "the number of `a` for `q1` is inf"),
        ({"q1": {"a": "1 x"}}, ["RR"], "the number of `a` for `q1` is '1 x'"),
        ({"q1": {"a": 10**400}}, ["RR"], "the number of `a` for `q1` is 1000"),
        ([("q1", "a")], ["RR"], "not a line of a ranking"),
        ({"other": {"a": 1.0}}, ["RR"], "no query in common"),
        ({"q1": {1: 1.0, "1": 0.5}}, ["RR"], "the ids 1 and '1' are one text"),
        ({"q1": {None: 1.0}}, ["RR"], "an id is None"),
        ([("q1", "a", 1.0), ("q1", "a", 2.0)], ["RR"], "duplicate document `a` for query `q1`"),
        (pandas.DataFrame({"a": [1]}), ["RR"], "the data frame has no column `query_id`"),
    ],
)
def test_bad_input_is_an_error_with_a_hint(run: Any, metrics: Any, message: str) -> None:
    with pytest.raises(ragtriage.RagtriageError, match=message) as raised:
        score(run, QRELS, metrics)
    assert raised.value.hint


@pytest.mark.parametrize("scorer", ["squad", "hotpotqa"])
def test_answers_are_scored_as_the_official_scripts_do(scorer: Any) -> None:
    predictions = {"q1": "The 6 minutes.", "q2": "about 4 hours"}
    gold = {"q1": "6 minutes", "q2": "4 hours"}
    found = score_answers(predictions, gold, scorer=scorer)
    # q1 is equal without article and full stop. q2 has precision 2/3 and recall 1, so F1 = 4/5.
    assert found.mean["AnswerEM"] == pytest.approx(0.5, abs=1e-12)
    assert found.mean["AnswerF1"] == pytest.approx(0.9, abs=1e-12)
    assert found.per_query()["q2"]["AnswerF1"] == pytest.approx(0.8, abs=1e-12)


def test_the_best_of_several_gold_answers_counts() -> None:
    found = score_answers({"q1": "4 h"}, {"q1": ["4 hours", "4 h"]})
    assert found.mean == {"AnswerEM": 1.0, "AnswerF1": 1.0}
    with pytest.raises(ragtriage.RagtriageError, match="`predictions` is of type list"):
        ragtriage.score_answers(["six"], {"q1": "six"})  # type: ignore[arg-type]
    with pytest.raises(ragtriage.RagtriageError, match="not exactly one gold answer"):
        score_answers({"q1": "4 h"}, {"q1": ["4 hours", "4 h"]}, scorer="hotpotqa")


def test_an_unanswerable_question_wants_no_answer() -> None:
    found = score_answers({"q1": "", "q2": "x"}, {"q1": [], "q2": []}, scorer="squad2")
    assert found.per_query()["q1"]["AnswerEM"] == 1.0
    assert found.per_query()["q2"]["AnswerEM"] == 0.0
