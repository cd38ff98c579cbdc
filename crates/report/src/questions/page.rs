//! The questions of a run with everything that an HTML report shows of them, and the blocks that hold them in the file.
//!
//! A block is JSON in gzip (RFC 1952), which a browser unpacks by itself, in base64, which has no character that could end an HTML
//! element. Named `rx-index`, `rx-q<block>` and `rx-p<block>`.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use libdeflater::{CompressionLvl, Compressor};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use serde_json::{Value, json};

use super::detail::{Detail, DetailContext};
use super::marks::Searchables;
use super::passages::{PassageTable, PassageText};
use super::{Evaluated, index};

/// Details in a block: few enough to be opened at once, enough to be compressed well.
const DETAILS_PER_BLOCK: usize = 64;
/// Bytes of passages' texts in a block, at least, but for the last: more would take longer to open, less would be compressed worse.
const PASSAGE_BYTES_PER_BLOCK: usize = 256 * 1024;
/// The level of compression: the page is 8% larger than by the default one, 6, in a third of the time, which would be a fifth of a
/// report's.
const LEVEL: i32 = 1;

/// The content of an HTML report's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageScope {
    /// Hits shown per ranking.
    pub depth: usize,
    /// True if the run holds the text of corpus, gold answers and answers.
    pub has_text: bool,
}

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageBlock {
    /// Its element's id.
    pub id: String,
    /// Its content.
    pub text: String,
}

/// The questions of an HTML report.
pub struct Questions<'a> {
    run: Evaluated<'a>,
    scope: PageScope,
    passages: PassageTable<'a>,
    searchables: Searchables,
}

impl<'a> Questions<'a> {
    /// Collects the questions of a run.
    #[must_use]
    pub fn new(run: Evaluated<'a>, scope: PageScope) -> Self {
        let passages = PassageTable::new(run.run, scope.depth);
        let searchables = Searchables::new(passages.list());
        Self { run, scope, passages, searchables }
    }

    /// All blocks, the index first.
    #[must_use]
    pub fn blocks(&self) -> Vec<PageBlock> {
        let passages = self.passage_blocks();
        let index = block("rx-index".to_owned(), &self.index(&passages));
        let n_details = self.run.run.traces.len().div_ceil(DETAILS_PER_BLOCK);
        let details =
            (0..n_details).into_par_iter().map(|at| block(format!("rx-q{at}"), &self.details(at)));
        let passages = passages.into_par_iter().enumerate().map(|(at, numbers)| {
            let list = self.passages.list()[numbers].iter();
            let texts: Vec<PassageText> = list.map(|passage| PassageText::from(*passage)).collect();
            block(format!("rx-p{at}"), &texts)
        });
        let rest: Vec<PageBlock> = details.chain(passages).collect();
        std::iter::once(index).chain(rest).collect()
    }

    /// The page's first block. A block `n` of details begins with question `n * details_per_block`; `passage_blocks` has
    /// the number of the first passage of each block.
    fn index(&self, passages: &[Range<usize>]) -> Value {
        json!({
            "run": index::run(self.run),
            "depth": self.scope.depth,
            "has_text": self.scope.has_text,
            "details_per_block": DETAILS_PER_BLOCK,
            "passage_blocks": passages.iter().map(|block| block.start).collect::<Vec<_>>(),
        })
    }

    fn details(&self, block: usize) -> Vec<Detail> {
        let Evaluated { run, evaluation, .. } = self.run;
        let context = DetailContext {
            depth: self.scope.depth,
            passages: &self.passages,
            searchables: &self.searchables,
        };
        let questions = run.traces.iter().zip(&evaluation.outcomes);
        let questions = questions.skip(block * DETAILS_PER_BLOCK).take(DETAILS_PER_BLOCK);
        questions.map(|(trace, outcome)| context.detail(trace, outcome)).collect()
    }

    /// The numbers of the passages in each block, ascending, none left out.
    fn passage_blocks(&self) -> Vec<Range<usize>> {
        let list = self.passages.list();
        let (mut blocks, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (number, passage) in list.iter().enumerate() {
            bytes += passage.text.len();
            if bytes >= PASSAGE_BYTES_PER_BLOCK || number + 1 == list.len() {
                blocks.push(start..number + 1);
                (start, bytes) = (number + 1, 0);
            }
        }
        blocks
    }
}

fn block(id: String, content: &impl Serialize) -> PageBlock {
    let json = serde_json::to_vec(content).expect("plain data is JSON");
    let level = CompressionLvl::new(LEVEL).expect("a level of libdeflate");
    let mut compressor = Compressor::new(level);
    let mut gzip = vec![0; compressor.gzip_compress_bound(json.len())];
    let n_bytes = compressor.gzip_compress(&json, &mut gzip).expect("the bound is enough");
    PageBlock { id, text: STANDARD.encode(&gzip[..n_bytes]) }
}
