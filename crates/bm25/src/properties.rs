//! Properties that hold for every corpus and every file: a limited search returns the head of the full one, a file is
//! searched like memory, the order of the input has no effect, and a damaged file is
//! rebuilt.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::image::{BLOCK, Header, WINDOW};
use super::words::{IndexedWords, TermsOf, split};
use super::{Bm25Parameters, IndexFileError, SparseIndex, Weighting};
use ragtriage_core::config::{Bm25Settings, Bm25Variant as Variant};
use ragtriage_core::notices::Notices;
use ragtriage_core::types::ChunkId;

/// Returns a weighting by its number.
fn weighting(number: usize) -> Weighting {
    match Variant::ALL.get(number) {
        Some(&variant) => Weighting::Bm25(Bm25Parameters::new(&Bm25Settings {
            variant,
            ..Bm25Settings::default()
        })),
        None => Weighting::Tfidf,
    }
}

fn n_weightings() -> usize {
    Variant::ALL.len() + 1
}

/// Returns documents of few words, so that many share some: word `n` is about half as frequent as word `n - 1`.
fn corpus() -> impl Strategy<Value = Vec<Vec<u32>>> {
    vec(vec(any::<u32>().prop_map(u32::trailing_zeros), 0..12), 0..200)
}

fn words(numbers: &[u32]) -> Vec<String> {
    numbers.iter().map(|number| format!("w{number}")).collect()
}

fn ids(n: usize) -> Vec<ChunkId> {
    (0..n).map(|n| ChunkId::from(format!("d{n:05}"))).collect()
}

fn build(weighting: &Weighting, corpus: &[Vec<u32>], ids: &[ChunkId]) -> SparseIndex {
    SparseIndex::build(
        weighting,
        ids.iter().cloned(),
        &TermsOf(|document, each| {
            for word in words(&corpus[document]) {
                each(&word);
            }
        }),
    )
}

/// Opens the index of the documents of [`ids`], or builds it.
fn open_or_build(
    folder: &Path,
    weighting: &Weighting,
    n_documents: usize,
    source: &dyn IndexedWords,
    notices: &Notices,
) -> Result<(SparseIndex, bool), IndexFileError> {
    let ids = ids(n_documents).into_iter();
    SparseIndex::open_or_build(folder, "0a", weighting, ids, source, notices)
}

proptest! {
    #[test]
    fn a_cut_or_filtered_search_is_the_whole_one_cut_or_filtered(
        corpus in corpus(), query in vec(0_u32..10, 1..6), limit in 1_usize..20, filter in any::<u64>(),
    ) {
        let (ids, query) = (ids(corpus.len()), words(&query));
        let allowed: Vec<bool> = (0..corpus.len()).map(|number| filter >> (number % 64) & 1 == 1).collect();
        for number in 0..n_weightings() {
            let index = build(&weighting(number), &corpus, &ids);
            let all = index.search(&query, corpus.len(), None);
            prop_assert_eq!(&index.search(&query, limit, None)[..], &all[..limit.min(all.len())]);
            let kept: Vec<_> = all.iter().copied().filter(|&(doc, _)| allowed[doc as usize]).take(limit).collect();
            prop_assert_eq!(index.search(&query, limit, Some(&allowed)), kept);
        }
    }

    #[test]
    fn the_shares_sum_to_the_score(corpus in corpus(), query in vec(0_u32..10, 1..6)) {
        let query = words(&query);
        for number in 0..n_weightings() {
            let index = build(&weighting(number), &corpus, &ids(corpus.len()));
            for (document, score) in index.search(&query, corpus.len(), None) {
                let sum: f64 = index.explain(&query, document).iter().map(|(_, share)| share).sum();
                prop_assert!((sum - score).abs() < 1e-4, "{sum} is not {score}");
            }
        }
    }

    #[test]
    fn the_order_of_documents_and_of_words_changes_no_score(
        (corpus, order) in corpus().prop_flat_map(|corpus| {
            let order: Vec<usize> = (0..corpus.len()).collect();
            (Just(corpus), Just(order).prop_shuffle())
        }),
        query in vec(0_u32..10, 1..6),
    ) {
        let all_ids = ids(corpus.len());
        let shuffled: Vec<Vec<u32>> = order.iter().map(|&n| corpus[n].iter().rev().copied().collect()).collect();
        let shuffled_ids: Vec<ChunkId> = order.iter().map(|&n| all_ids[n].clone()).collect();
        let (query, backwards) = (words(&query), words(&query.iter().rev().copied().collect::<Vec<_>>()));
        for number in 0..n_weightings() {
            let straight = build(&weighting(number), &corpus, &all_ids).search(&query, corpus.len(), None);
            let other = build(&weighting(number), &shuffled, &shuffled_ids).search(&backwards, corpus.len(), None);
            let by_id = |found: Vec<(u32, f64)>, ids: &[ChunkId]| -> BTreeMap<ChunkId, f64> {
                found.into_iter().map(|(document, score)| (ids[document as usize].clone(), score)).collect()
            };
            let (straight, other) = (by_id(straight, &all_ids), by_id(other, &shuffled_ids));
            prop_assert!(straight.keys().eq(other.keys()));
            // Sums over the corpus (okapi's mean idf, the norms of TF-IDF) run in another order, and so may those of
            // terms whose largest shares are equal.
            prop_assert!(straight.values().zip(other.values()).all(|(a, b)| (a - b).abs() < 1e-5));
        }
    }

    #[test]
    fn a_file_is_searched_like_memory(corpus in corpus(), query in vec(0_u32..10, 1..6), number in 0_usize..7) {
        let (folder, ids, query) = (tempfile::tempdir().expect("a folder"), ids(corpus.len()), words(&query));
        let memory = build(&weighting(number), &corpus, &ids);
        let open = |may_build: bool| {
            SparseIndex::open_or_build(folder.path(), "0a", &weighting(number), ids.iter().cloned(), &TermsOf(|document, each| {
                assert!(may_build, "built though the file is there");
                for word in words(&corpus[document]) {
                    each(&word);
                }
            }), &Notices::default())
        };
        for (mapped, built) in [open(true).expect("built"), open(false).expect("opened")].into_iter().zip([true, false]) {
            let (mapped, is_new) = mapped;
            prop_assert_eq!(is_new, built);
            prop_assert!(memory.image.bytes() == mapped.image.bytes());
            prop_assert_eq!(memory.search(&query, 10, None), mapped.search(&query, 10, None));
        }
    }
}

/// Returns three documents and the bytes of their index.
fn small() -> (Vec<ChunkId>, [&'static str; 3], Vec<u8>) {
    let (ids, texts) = (ids(3), ["a b a", "b c", "a d e"]);
    let source = split(&texts);
    let index = SparseIndex::build(&Weighting::default(), ids.iter().cloned(), &source);
    let bytes = index.image.bytes().to_vec();
    (ids, texts, bytes)
}

/// Opens the file `bytes` as the index of [`small`]; returns the notice if it was rebuilt.
fn reopen(bytes: &[u8]) -> (SparseIndex, Option<String>) {
    let (ids, texts, whole) = small();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("0a.sparse");
    fs::write(&path, bytes).expect("written");
    let built = std::sync::atomic::AtomicBool::new(false);
    let notices = Notices::default();
    let index = SparseIndex::open_or_build(
        folder.path(),
        "0a",
        &Weighting::default(),
        ids.iter().cloned(),
        &TermsOf(|n, each| {
            built.store(true, std::sync::atomic::Ordering::Relaxed);
            texts[n].split_whitespace().for_each(each);
        }),
        &notices,
    );
    let (index, is_new) = index.expect("opened or built");
    let built = built.into_inner();
    assert_eq!(is_new, built);
    if built {
        assert!(
            fs::read(&path).expect("there") == whole,
            "what was rebuilt was not left for the next time"
        );
    }
    assert_eq!(
        fs::read_dir(folder.path()).expect("a folder").count(),
        1,
        "a partial file was left"
    );
    let mut shown = notices.shown();
    assert_eq!(shown.len(), usize::from(built), "{shown:?}");
    (index, shown.pop())
}

fn ask(index: &SparseIndex) -> Vec<(u32, f64)> {
    for term in ["a", "b", "c", "d", "e", "f"] {
        let _ = index.explain(&[term], 1);
        let _ = index.explain(&[term], u32::MAX);
    }
    index.search(&["a", "b", "c", "d", "e", "f"], 2, None)
}

#[test]
fn a_file_cut_at_any_length_is_built_again() {
    let (.., whole) = small();
    let expected = ask(&reopen(&whole).0);
    for length in 0..whole.len() {
        let (index, notice) = reopen(&whole[..length]);
        let place = if length < size_of::<Header>() {
            "header".to_owned()
        } else {
            format!("{length} of {} bytes", whole.len())
        };
        let expected_notice = format!("the cached sparse index was damaged ({place}); rebuilt");
        assert_eq!(notice, Some(expected_notice));
        assert_eq!(ask(&index), expected);
    }
    assert_eq!(reopen(&whole).1, None);
    assert!(
        reopen(&[&whole[..], &[0; 8]].concat()).1.is_some(),
        "trusted with bytes after its end"
    );
}

#[test]
fn a_file_with_a_bit_of_any_byte_changed_is_built_again() {
    let (.., whole) = small();
    let expected = ask(&reopen(&whole).0);
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        let (index, notice) = reopen(&damaged);
        assert!(notice.is_some(), "trusted with byte {at} changed");
        assert_eq!(ask(&index), expected);
    }
}

/// Opens an index of [`BLOCK`]s in `folder`, or builds it: 300,000 documents of two terms.
fn open_large(folder: &Path, notices: &Notices) -> SparseIndex {
    let source = TermsOf(|n, each| {
        each(["a", "b", "c"][n % 3]);
        each(["d", "e"][n % 2]);
    });
    open_or_build(folder, &Weighting::default(), 300_000, &source, notices)
        .expect("opened or built")
        .0
}

/// Changes the bytes of a file.
type Damage = Box<dyn Fn(&mut [u8])>;

#[test]
fn a_bit_or_a_block_of_a_large_file_that_changed_is_named_and_built_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("0a.sparse");
    let search = |index: &SparseIndex| index.search(&["a", "e"], 20, None);
    let expected = search(&open_large(folder.path(), &Notices::default()));
    let whole = fs::read(&path).expect("written");
    // 600,000 postings of 2 and 4 bytes: 3.6 MB and the order of 300,000 documents, 1.2 MB.
    assert!(whole.len() > 4 * BLOCK, "{} bytes", whole.len());
    let header = size_of::<Header>();
    let flip = |at: usize| move |bytes: &mut [u8]| bytes[at] ^= 4;
    let zero = |at: usize| move |bytes: &mut [u8]| bytes[at..at + (64 << 10)].fill(0);
    let damages: [(Damage, &str); 7] = [
        (Box::new(flip(20)), "header"),
        (Box::new(flip(header)), "block 0"),
        (Box::new(flip(header + BLOCK - 1)), "block 0"),
        (Box::new(flip(header + BLOCK)), "block 1"),
        (Box::new(zero(header + 3 * BLOCK)), "block 3"),
        (Box::new(zero(header + 2 * BLOCK - 10)), "block 1"),
        (Box::new(flip(whole.len() - 1)), "checksums"),
    ];
    for (damage, place) in damages {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        // Another file under the name, as the index that is open may not change.
        fs::remove_file(&path).expect("there");
        fs::write(&path, &bytes).expect("written");
        let notices = Notices::default();
        assert_eq!(search(&open_large(folder.path(), &notices)), expected);
        let notice = format!("the cached sparse index was damaged ({place}); rebuilt");
        assert_eq!(notices.shown(), [notice]);
        assert!(fs::read(&path).expect("there") == whole, "not rebuilt: {place}");
    }
}

#[test]
fn files_and_folders_are_their_owners_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let indexes = folder.path().join("cache/indexes");
    let source = TermsOf(|_, each| each("x"));
    let notices = Notices::default();
    open_or_build(&indexes, &Weighting::default(), 1, &source, &notices).expect("built");
    for (path, expected) in
        [("cache", 0o700), ("cache/indexes", 0o700), ("cache/indexes/0a.sparse", 0o600)]
    {
        let mode = fs::metadata(folder.path().join(path)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, expected, "{path}");
    }
}

#[test]
fn numbers_that_point_nowhere_find_nothing() {
    // Content with a valid checksum is not trusted either: here all of the tables and postings hold the largest number.
    let (_, _, whole) = small();
    let image = super::image::tests::with_tables(&whole, 0xff);
    let index = SparseIndex::new(image);
    assert_eq!(ask(&index), []);
    let image = super::image::tests::with_postings(&whole, 0xff);
    let index = SparseIndex::new(image);
    assert!(ask(&index).iter().all(|&(document, _)| (document as usize) < WINDOW.min(3)));
}

#[test]
fn a_file_of_another_weighting_or_of_other_documents_is_built_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = |weighting: &Weighting, n: usize| {
        let source = TermsOf(|_, each| each("x"));
        let notices = Notices::default();
        open_or_build(folder.path(), weighting, n, &source, &notices).expect("opened").0
    };
    assert_eq!(open(&Weighting::default(), 3).n_documents(), 3);
    assert_eq!(open(&Weighting::default(), 4).n_documents(), 4);
    assert!(!open(&Weighting::default(), 4).image.is_tfidf());
    assert!(open(&Weighting::Tfidf, 4).image.is_tfidf());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let source = TermsOf(|_, each| each("x"));
    let notices = Notices::default();
    let error = open_or_build(&file, &Weighting::default(), 1, &source, &notices);
    let message = error.err().expect("refused").to_string();
    assert!(message.contains(&file.display().to_string()), "{message}");
}

#[test]
fn several_processes_worth_of_threads_build_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let all: Vec<Vec<(u32, f64)>> = std::thread::scope(|scope| {
        let build = || {
            let source = TermsOf(|_, each| each("x"));
            let index = open_or_build(
                folder.path(),
                &Weighting::default(),
                50,
                &source,
                &Notices::default(),
            );
            index.expect("built or opened").0.search(&["x"], 3, None)
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(build)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(all.iter().all(|found| *found == all[0] && found.len() == 3));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn terms_that_are_looked_up_give_the_scores_that_adding_them_gives() {
    // Word `n` in about one document of 3^n, up to four times; two windows, so that the second starts with a bar. Frequent
    // words are worth too little to bring a document among the best ten, and are looked up there.
    let mix = |n: usize| (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29;
    let n_documents = WINDOW + 20_000;
    let ids = ids(n_documents);
    for number in 0..n_weightings() {
        let index = SparseIndex::build(
            &weighting(number),
            ids.iter().cloned(),
            &TermsOf(|document, each| {
                for word in (0..9_usize)
                    .filter(|&word| mix(document * 9 + word) % 3_u64.pow(word as u32) == 0)
                {
                    for _ in 0..=mix(document + word) % 4 {
                        each(&format!("w{word}"));
                    }
                }
            }),
        );
        let even: Vec<bool> = (0..n_documents).map(|number| number % 2 == 0).collect();
        for query in [
            &["w8", "w1"][..],
            &["w1", "w7", "w2", "w7"],
            &["w8", "w7", "w6", "w2", "w1"],
            &["w0", "w8"],
        ] {
            // All documents are wanted, so nothing is pruned.
            let all = index.search(query, n_documents, None);
            let allowed: Vec<_> =
                all.iter().copied().filter(|&(document, _)| document % 2 == 0).collect();
            for limit in [1, 10, 100] {
                let head = |whole: &[(u32, f64)]| whole[..limit.min(whole.len())].to_vec();
                assert_eq!(
                    index.search(query, limit, None),
                    head(&all),
                    "{number} {query:?} {limit}"
                );
                assert_eq!(
                    index.search(query, limit, Some(&even)),
                    head(&allowed),
                    "{number} {query:?} {limit}"
                );
            }
        }
    }
}
