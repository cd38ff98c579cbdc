//! The main job's stages, one by one, on HotpotQA where it was fetched, else on the shipped runbooks.
//!
//! `cargo bench --bench main_job`; whole runs are timed from outside: see evals/README.md.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::borrow::Cow;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use ragtriage_bm25::{Analysed, SparseIndex, Weighting};
use ragtriage_core::chunk::{ChunkSpec, Strategy, chunk_documents};
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::config::Format;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::text::answers::Searchable;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::Corpus;

fn spec() -> DatasetSettings {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let hotpotqa = root.join("fetched/hotpotqa");
    let (format, path) = if hotpotqa.is_dir() {
        (Format::Hotpotqa, hotpotqa)
    } else {
        (Format::Files, root.join("runbooks"))
    };
    DatasetSettings::new(format, &path)
}

fn stages(c: &mut Criterion) {
    let dataset = ragtriage_data::dataset::load(&spec()).expect("the data set is there");
    let counter = tokens::counter(Tokenizer::Cl100kBase, None).expect("built in");
    let chunking =
        ChunkSpec::new(Strategy::Recursive, 200, 40, Tokenizer::Cl100kBase).expect("in range");
    let chunks = chunk_documents(&dataset.documents, &chunking, counter.as_ref())
        .expect("nothing made elsewhere");
    let analyzer = Analyzer::default();
    let corpus = Corpus::new(dataset.documents.clone(), chunks);
    let build = || {
        let source = Analysed {
            analyzer: &analyzer,
            text_of: |number| Cow::Borrowed(corpus.chunk_text(number).0),
        };
        SparseIndex::build(&Weighting::default(), corpus.chunk_ids(), &source)
    };
    let index = build();
    let questions: Vec<Vec<String>> =
        dataset.questions.iter().map(|question| analyzer.term_list(&question.text)).collect();

    c.bench_function("load", |b| {
        b.iter(|| ragtriage_data::dataset::load(black_box(&spec())));
    });
    c.bench_function("chunk", |b| {
        b.iter(|| chunk_documents(&dataset.documents, &chunking, counter.as_ref()).expect("split"));
    });
    c.bench_function("bm25 build", |b| b.iter(build));
    c.bench_function("bm25 search, all questions, top 100", |b| {
        b.iter(|| {
            questions.iter().map(|terms| index.search(terms, 100, None).len()).sum::<usize>()
        });
    });
    c.bench_function("normalise all chunks", |b| {
        b.iter(|| {
            (0..corpus.chunks().len())
                .map(|number| Searchable::new(corpus.chunk_text(number).0))
                .collect::<Vec<_>>()
        });
    });
    for width in [1, 4, 30] {
        let column = |c| (0..7405).map(|i| Some(f64::from((i * 7 + c) % 11) / 10.0)).collect();
        let columns: Vec<Vec<Option<f64>>> = (0..width).map(column).collect();
        c.bench_function(
            &format!("bootstrap, 10,000 resamples of 7,405 questions, {width} columns"),
            |b| {
                b.iter(|| Bootstrap::new((0..7405).collect(), 10_000, 0).intervals(&columns));
            },
        );
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
