//! The known data sets: their files and their publishers' addresses.

use std::path::{Path, PathBuf};

use super::hash::Hash;
use ragtriage_datasets::DatasetError;

/// A published data set and the files it needs, as globs relative to its folder.
pub(super) struct KnownSet {
    pub(super) name: &'static str,
    /// Each must match at least one file.
    pub(super) required: &'static [&'static str],
    /// Copied if present.
    pub(super) optional: &'static [&'static str],
    /// `None` if it can only be installed from a copy.
    pub(super) publisher: Option<Publisher>,
}

/// The source of a set.
pub(super) struct Publisher {
    /// Addresses of the same bytes, tried in order; without a hash there is one.
    pub(super) urls: &'static [&'static str],
    pub(super) packed: Archived,
    /// The published hash of the file, if there is one.
    pub(super) hash: Option<Hash>,
    /// Maximum size of the download.
    pub(super) most_bytes: u64,
    /// As the publisher states it.
    pub(super) licence: &'static str,
}

/// The form of the download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Archived {
    /// The single file of the set, with its name there.
    File(&'static str),
    /// A zip archive.
    Zip,
    /// A tar archive under gzip.
    TarGz,
}

impl KnownSet {
    /// Returns all patterns: licences and descriptions are included with every set.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &'static str> {
        const PAPERS: [&str; 2] = ["README*", "LICEN[CS]E*"];
        self.required.iter().chain(self.optional).chain(&PAPERS).copied()
    }
}

const MIB: u64 = 1 << 20;

/// Addresses: the `README` of hotpotqa/hotpot, the page of SQuAD-explorer and the repository that it is served from, the table of beir-cellar/beir, Glasgow's list of test
/// collections. Hashes: those of SQuAD and HotpotQA as pinned by several projects (tensorflow/datasets, `ParlAI`), SciFact's as
/// published by BEIR. HotpotQA has 44 MiB, the others 2 to 5.
static SETS: [KnownSet; 9] = [
    KnownSet {
        name: "hotpotqa",
        required: &["*.{json,jsonl}"],
        optional: &[],
        publisher: Some(Publisher {
            urls: &["http://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json"],
            packed: Archived::File("hotpot_dev_distractor_v1.json"),
            hash: Some(Hash::Sha256(
                "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
            )),
            most_bytes: 128 * MIB,
            licence: "CC BY-SA 4.0",
        }),
    },
    KnownSet {
        name: "squad",
        required: &["*.json"],
        optional: &[],
        publisher: Some(Publisher {
            urls: &[
                "https://rajpurkar.github.io/SQuAD-explorer/dataset/dev-v1.1.json",
                "https://raw.githubusercontent.com/rajpurkar/SQuAD-explorer/master/dataset/dev-v1.1.json",
            ],
            packed: Archived::File("dev-v1.1.json"),
            hash: Some(Hash::Sha256(
                "95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9",
            )),
            most_bytes: 32 * MIB,
            licence: "CC BY-SA 4.0",
        }),
    },
    KnownSet {
        name: "squad2",
        required: &["*.json"],
        optional: &[],
        publisher: Some(Publisher {
            urls: &[
                "https://rajpurkar.github.io/SQuAD-explorer/dataset/dev-v2.0.json",
                "https://raw.githubusercontent.com/rajpurkar/SQuAD-explorer/master/dataset/dev-v2.0.json",
            ],
            packed: Archived::File("dev-v2.0.json"),
            hash: Some(Hash::Sha256(
                "80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8",
            )),
            most_bytes: 32 * MIB,
            licence: "CC BY-SA 4.0",
        }),
    },
    KnownSet {
        name: "scifact",
        required: &["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"],
        optional: &["qrels/*.tsv"],
        publisher: Some(Publisher {
            urls: &[
                "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/scifact.zip",
            ],
            packed: Archived::Zip,
            hash: Some(Hash::Md5("5f7d1de60b170fc8027bb7898e2efca1")),
            most_bytes: 32 * MIB,
            licence: "see allenai/scifact",
        }),
    },
    KnownSet {
        name: "cisi",
        required: &["CISI.ALL", "CISI.QRY", "CISI.REL"],
        optional: &[],
        publisher: Some(Publisher {
            urls: &["http://ir.dcs.gla.ac.uk/resources/test_collections/cisi/cisi.tar.gz"],
            packed: Archived::TarGz,
            hash: None,
            most_bytes: 32 * MIB,
            licence: "none stated, for research",
        }),
    },
    // github.com/google-deepmind/xquad: one file a language.
    KnownSet { name: "xquad", required: &["xquad.*.json"], optional: &[], publisher: None },
    KnownSet {
        name: "chunking_eval",
        required: &["corpora/*.md", "questions_df.csv"],
        optional: &[],
        publisher: None,
    },
    KnownSet {
        name: "trec_eval",
        required: &["qrels.test", "results.test", "out.test"],
        optional: &["qrels.*", "results.*", "out.*", "COMMANDS.txt"],
        publisher: None,
    },
    KnownSet {
        name: "qa_scores",
        required: &["*gold*.json", "*predictions*.json"],
        optional: &[],
        publisher: None,
    },
];

/// Returns the set of that name.
pub(super) fn set(name: &str) -> Result<&'static KnownSet, DatasetError> {
    SETS.iter().find(|set| set.name == name).ok_or_else(|| DatasetError::UnknownSet {
        name: name.into(),
        known: SETS.iter().map(|set| set.name).collect(),
    })
}

/// Returns the location of the set under `root`; an existing one is an error without `force`.
pub(super) fn target(set: &KnownSet, root: &Path, force: bool) -> Result<PathBuf, DatasetError> {
    let target = root.join(set.name);
    if target.exists() && !force { Err(DatasetError::Exists { path: target }) } else { Ok(target) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_publisher_has_an_address_and_whole_hashes() {
        for publisher in SETS.iter().filter_map(|set| set.publisher.as_ref()) {
            // Without a hash, two sources could differ.
            assert!(publisher.urls.len() == 1 || publisher.hash.is_some());
            for url in publisher.urls {
                let url = ragtriage_http::address(url).expect("an address");
                let name = url.path_segments().and_then(Iterator::last).expect("a file");
                match publisher.packed {
                    Archived::File(file) => assert_eq!(name, file),
                    Archived::Zip => assert_eq!(name.rsplit('.').next(), Some("zip")),
                    Archived::TarGz => assert!(name.ends_with(".tar.gz")),
                }
            }
            // 4 bits per digit.
            let n_digits = publisher.hash.map(|hash| (hash.name(), hash.expected().len()));
            assert!(matches!(n_digits, None | Some(("sha256", 64) | ("md5", 32))), "{n_digits:?}");
        }
    }
}
