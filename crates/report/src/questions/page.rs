//! The questions of one run, or of a run and its baseline, with everything that an HTML report shows of them.

use std::ops::Range;

use super::columns::measures;
use super::counterparts::Counterparts;
use super::detail::{Detail, DetailContext};
use super::evaluated::Evaluated;
use super::index::{self, Index};
use super::marks::Searchables;
use super::passages::{PassageTable, PassageText};

/// Details in a block: few enough to be opened at once, enough to be compressed well.
const DETAILS_PER_BLOCK: usize = 64;
/// Bytes of passages' texts in a block, at least, but for the last: more would take longer to open, less would be compressed worse.
const PASSAGE_BYTES_PER_BLOCK: usize = 256 * 1024;

/// The content of an HTML report's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageScope {
    /// Hits shown per ranking.
    pub depth: usize,
    /// True if the runs hold the text of corpus, gold answers and answers.
    pub has_text: bool,
}

/// The questions of an HTML report.
pub struct Questions<'a> {
    runs: Vec<Evaluated<'a>>,
    counterparts: Option<&'a Counterparts>,
    scope: PageScope,
    passages: PassageTable<'a>,
    searchables: Searchables,
}

impl<'a> Questions<'a> {
    /// Collects the questions of one run, or of a run and its baseline.
    #[must_use]
    pub fn new(
        run: Evaluated<'a>,
        baseline: Option<(Evaluated<'a>, &'a Counterparts)>,
        scope: PageScope,
    ) -> Self {
        let runs: Vec<Evaluated<'a>> =
            std::iter::once(run).chain(baseline.map(|(baseline, _)| baseline)).collect();
        let passages = PassageTable::new(
            &runs.iter().map(|subject| subject.run).collect::<Vec<_>>(),
            scope.depth,
        );
        let searchables = Searchables::new(passages.list());
        Self {
            runs,
            counterparts: baseline.map(|(_, counterparts)| counterparts),
            scope,
            passages,
            searchables,
        }
    }

    /// The page's first block.
    #[must_use]
    pub fn index(&self) -> Index {
        let [own, theirs] =
            self.counterparts.map_or([&[][..]; 2], |pairs| [&pairs.of_run[..], &pairs.of_baseline]);
        let labels = if self.counterparts.is_some() { ["B", "A"] } else { ["", ""] };
        let runs = self.runs.iter().zip(labels).zip([own, theirs]);
        let columns = measures(&self.runs);
        Index {
            runs: runs
                .map(|((run, label), others)| index::run(*run, label, &columns, others))
                .collect(),
            depth: self.scope.depth,
            has_text: self.scope.has_text,
            details_per_block: DETAILS_PER_BLOCK,
            passage_blocks: self.passage_blocks().iter().map(|block| block.start).collect(),
        }
    }

    /// Returns the number of blocks of details of each run.
    #[must_use]
    pub fn detail_blocks(&self) -> Vec<usize> {
        self.runs
            .iter()
            .map(|subject| subject.run.traces.len().div_ceil(DETAILS_PER_BLOCK))
            .collect()
    }

    /// A block of a run's details.
    #[must_use]
    pub fn details(&self, run: usize, block: usize) -> Vec<Detail> {
        let subject = self.runs[run];
        let context = DetailContext {
            run,
            depth: self.scope.depth,
            passages: &self.passages,
            searchables: &self.searchables,
        };
        let questions = subject.run.traces.iter().zip(&subject.evaluation.outcomes);
        let questions = questions.skip(block * DETAILS_PER_BLOCK).take(DETAILS_PER_BLOCK);
        questions.map(|(trace, outcome)| context.detail(trace, outcome)).collect()
    }

    /// The numbers of the passages in each block, ascending, none left out.
    #[must_use]
    pub fn passage_blocks(&self) -> Vec<Range<usize>> {
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

    /// A block of passages.
    #[must_use]
    pub fn passages(&self, numbers: Range<usize>) -> Vec<PassageText<'a>> {
        self.passages.list()[numbers].iter().map(|passage| PassageText::from(*passage)).collect()
    }
}
