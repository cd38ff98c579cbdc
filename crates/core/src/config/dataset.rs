//! Layouts of data sets on disk.

use crate::closed_set::closed_set;

closed_set! {
    /// The layout of a data set's files; published ones first.
    Format {
        /// `HotpotQA` (Yang et al. 2018): the official JSON list or the Hugging Face dict form; the paragraphs of all
        /// questions are pooled into one corpus by title.
        Hotpotqa = "hotpotqa",
        /// `SQuAD` 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): one document per paragraph, with id `<article>/<number from 0>`.
        Squad = "squad",
        /// A BEIR folder (Thakur et al. 2021): `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
        Beir = "beir",
        /// A folder with CISI in the format of the SMART system.
        Smart = "smart",
        /// A file whose rows are questions with their documents, in any layout: see `dataset.fields`.
        Rows = "rows",
        /// Your own `corpus.jsonl` and `questions.jsonl`.
        Jsonl = "jsonl",
        /// Your own folder of files, with `questions.jsonl`.
        Files = "files",
    }
}

impl Format {
    /// Returns true for the formats of your own data: documents, and `questions.jsonl`.
    #[must_use]
    pub fn is_own(self) -> bool {
        matches!(self, Self::Jsonl | Self::Files)
    }
}
