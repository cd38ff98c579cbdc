//! Tests of faults: damaged files, panics of the engine, full disks. What could end the process runs in a child, which is
//! this test binary, started again.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use walkdir::WalkDir;

use crate::edge::engine::{Engine, on};
use crate::edge::{
    CollectionSpec, EmbeddedStore, IndexError, Neighbour, Point, VectorSearch, VectorStore,
};
use crate::folder::CollectionFolder;
use crate::{SearchMode, Vector, VectorSpec};
use ragtriage_core::config::{Hnsw, Quantization, QuantizationKind};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::{Filter, Similarity};

/// Names the cache folder to a child process.
const CACHE: &str = "RAGTRIAGE_FAULTS_CACHE";

fn dense(dimension: usize, expected_points: usize) -> CollectionSpec {
    let similarity = Similarity::Dot;
    let vector = VectorSpec::Dense { dimension, similarity };
    CollectionSpec::new("ab".to_owned(), "dense", vector, expected_points)
}

/// Returns points whose vectors differ in each component, and every second of which a filter lets through.
fn points(spec: &CollectionSpec) -> Vec<Point> {
    let component = |number: u32, i: usize| ((number as usize * 31 + i * 17) % 101) as f32 + 1.0;
    let vector = |number: u32| match spec.vector {
        VectorSpec::Dense { dimension, .. } => {
            Vector::Dense((0..dimension).map(|i| component(number, i)).collect())
        }
        VectorSpec::Multi { dimension, .. } => {
            Vector::Multi((0..3 * dimension).map(|i| component(number, i)).collect())
        }
    };
    let even = |number: u32| BTreeMap::from([("even".to_owned(), number.is_multiple_of(2).into())]);
    let point = |number| Point {
        number,
        vector: vector(number),
        chunk_id: format!("d#{number}"),
        doc_id: "d".to_owned(),
        range: (0, 1),
        metadata: Arc::new(even(number)),
    };
    (0..spec.expected_points as u32).map(point).collect()
}

async fn open(cache: &Path, spec: &CollectionSpec) -> Result<EmbeddedStore, IndexError> {
    EmbeddedStore::open_or_create(cache, spec).await
}

/// Fills what is missing, as a run does.
async fn fill(store: &EmbeddedStore, points: &[Point]) -> Result<(), IndexError> {
    let missing = store.missing().await?;
    let missing: Vec<Point> = missing.iter().map(|&i| points[i as usize].clone()).collect();
    for window in missing.chunks(500) {
        store.upsert(window).await?;
    }
    Ok(())
}

/// Returns the neighbours of the fourth point: of all points, and of those that a filter lets through.
async fn found(store: &EmbeddedStore, points: &[Point]) -> Result<[Vec<Neighbour>; 2], IndexError> {
    let even: Filter = toml::from_str("even = true").expect("a filter");
    let search = |filter| VectorSearch {
        vector: &points[3].vector,
        limit: 20,
        mode: SearchMode::Exact,
        filter,
    };
    let all = store.search(search(None)).await?;
    let mut found = [all, store.search(search(Some(&even))).await?];
    // Equal scores come in any order.
    for list in &mut found {
        let order = |a: &Neighbour, b: &Neighbour| {
            b.score.total_cmp(&a.score).then(a.number.cmp(&b.number))
        };
        list.sort_by(order);
        let last = list.last().map(|near| near.score);
        list.retain(|near| Some(near.score) != last);
    }
    Ok(found)
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip,
    Zero,
    Truncate,
    Empty,
    Delete,
}

impl Damage {
    const ALL: [Self; 5] = [Self::Flip, Self::Zero, Self::Truncate, Self::Empty, Self::Delete];

    /// Damages the file; returns true if that changed it.
    fn inflict(self, path: &Path) -> bool {
        let mut file = OpenOptions::new().read(true).write(true).open(path).expect("a file");
        let len = file.metadata().expect("a file").len();
        let mut text = Vec::new();
        (&mut file).take(1 << 20).read_to_end(&mut text).expect("read");
        let at = text.iter().position(|&byte| byte != 0).unwrap_or(0);
        let mut write = |at: usize, bytes: &[u8]| {
            file.seek(SeekFrom::Start(at as u64)).expect("sought");
            file.write_all(bytes).expect("written");
        };
        match self {
            Self::Flip if len > 0 => {
                write(len as usize / 2, &[text.get(len as usize / 2).unwrap_or(&0) ^ 4]);
            }
            Self::Zero => {
                let block = at / 4_096 * 4_096;
                let end = text.len().min(block + 4_096);
                write(block, &vec![0; end - block]);
                return text[block..end].iter().any(|&byte| byte != 0);
            }
            Self::Truncate => file.set_len(len / 2).expect("cut"),
            Self::Flip | Self::Empty => file.set_len(0).expect("emptied"),
            Self::Delete => {
                fs::remove_file(path).expect("deleted");
                return true;
            }
        }
        len > 0
    }
}

/// Lists the files of a collection in an order that does not depend on the random names of its segments.
fn files(collection: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(collection).into_iter().map(|entry| entry.expect("read"));
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let name = |path: &PathBuf| {
        let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        parts.filter(|part| part.len() != 36).collect::<Vec<_>>()
    };
    files.sort_by_key(name);
    files
}

async fn assert_no_damage_is_used(spec: CollectionSpec, damages: &[Damage]) {
    let cache = tempfile::tempdir().expect("a folder");
    let collection = cache.path().join(spec.name());
    let points = points(&spec);
    let store = open(cache.path(), &spec).await.expect("made");
    fill(&store, &points).await.expect("filled");
    let expected = found(&store, &points).await.expect("searched");
    assert!(expected.iter().all(|list| list.len() > 5), "{expected:?}");
    drop(store);
    let n_files = files(&collection).len();
    assert!(n_files > 20, "{n_files} files");
    for i in 0..n_files {
        for damage in damages {
            let path = files(&collection)[i].clone();
            let is_changed = damage.inflict(&path);
            let store = open(cache.path(), &spec).await.expect("opened");
            let is_lock = path.ends_with("lock");
            let case = format!("{damage:?} {}: {:?}", path.display(), store.notice());
            assert_eq!(store.notice().is_some(), is_changed && !is_lock, "{case}");
            fill(&store, &points).await.expect("filled");
            let now = found(&store, &points).await.expect("searched");
            assert_eq!(now, expected, "{case}");
            drop(store);
            assert_eq!(files(&collection).len(), n_files, "{case}");
        }
    }
}

#[tokio::test]
async fn no_damaged_file_of_dense_vectors_is_used() {
    assert_no_damage_is_used(dense(8, 100), &Damage::ALL).await;
}

#[tokio::test]
async fn no_damaged_file_of_a_graph_with_quantized_copies_is_used() {
    let spec = CollectionSpec {
        hnsw: Some(Hnsw { from_points: 1, ..Hnsw::default() }),
        quantization: Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() },
        ..dense(8, 100)
    };
    assert_no_damage_is_used(spec, &[Damage::Flip]).await;
}

#[tokio::test]
async fn no_damaged_file_of_multivectors_is_used() {
    let vector = VectorSpec::Multi { dimension: 8, similarity: Similarity::Dot };
    let spec = CollectionSpec { vector, ..dense(8, 100) };
    assert_no_damage_is_used(spec, &[Damage::Truncate]).await;
}

#[tokio::test]
async fn a_damaged_part_of_a_filling_is_not_continued() {
    let cache = tempfile::tempdir().expect("a folder");
    let spec = dense(8, 100);
    let points = points(&spec);
    let store = open(cache.path(), &spec).await.expect("made");
    store.upsert(&points[..60]).await.expect("stored");
    drop(store);
    let store = open(cache.path(), &spec).await.expect("opened");
    assert_eq!((store.count().await.expect("counted"), store.notice()), (60, None));
    drop(store);
    let collection = cache.path().join(spec.name());
    let vectors = files(&collection).into_iter().find(|path| path.ends_with("chunk_0.mmap"));
    Damage::Flip.inflict(&vectors.expect("a file of vectors"));
    let store = open(cache.path(), &spec).await.expect("opened");
    assert_eq!(store.count().await.expect("counted"), 0);
    let notice = store.notice().expect("a notice");
    let start = format!(
        "vector collection `{}` is rebuilt from the vector cache: its file `segments/",
        spec.name()
    );
    assert!(notice.starts_with(&start) && notice.ends_with("chunk_0.mmap` is damaged"), "{notice}");
}

#[tokio::test]
async fn after_a_panic_every_call_fails_and_the_next_opening_heals() {
    let cache = tempfile::tempdir().expect("a folder");
    let spec = dense(8, 100);
    let points = points(&spec);
    let store = open(cache.path(), &spec).await.expect("made");
    fill(&store, &points).await.expect("filled");
    let panics = |_: &Engine| -> Result<(), IndexError> { panic!("index out of bounds\nand more") };
    let error = on(&store.engine, "search", panics).await.expect_err("a panic");
    let path = cache.path().join(spec.name()).join("engine");
    let expected = format!(
        "the embedded Qdrant failed to search in `{}`: index out of bounds",
        path.display()
    );
    assert_eq!(with_causes(&error), expected);
    let again = found(&store, &points).await.expect_err("still failed");
    assert_eq!(with_causes(&again), expected);
    drop(store);
    let store = open(cache.path(), &spec).await.expect("opened");
    assert!(
        store.notice().is_some_and(|notice| notice.ends_with("an earlier run did not finish it"))
    );
    fill(&store, &points).await.expect("filled");
    found(&store, &points).await.expect("searched");
}

/// Not a test: fills a collection, opens it again and asks it, in a child process. Ends with 2 and an error, as the
/// program does.
#[tokio::test]
#[ignore = "run as a child process"]
async fn fills() {
    report(fill_and_ask(|_| ()).await);
}

/// Not a test: as above, on a disk that another program fills after the first window.
#[tokio::test]
#[ignore = "run as a child process"]
async fn fills_while_others_do() {
    let take_all = |cache: &Path| {
        let mut file = File::create(cache.join("taken")).expect("made");
        while file.write_all(&[1; 4_096]).is_ok() {}
    };
    report(fill_and_ask(take_all).await);
}

/// Not a test: asks a collection one of whose files was emptied after its seal was compared.
#[tokio::test]
#[ignore = "run as a child process"]
async fn asks() {
    let (spec, cache) = (dense(8, 100), cache());
    let asked = async {
        let store = open(&cache, &spec).await?;
        found(&store, &points(&spec)).await
    };
    report(asked.await.map(|_| ()));
}

fn cache() -> PathBuf {
    env::var_os(CACHE).expect("set by the parent").into()
}

async fn fill_and_ask(after_first: impl FnOnce(&Path)) -> Result<(), IndexError> {
    let (spec, cache) = (dense(384, 3_000), cache());
    let points = points(&spec);
    let store = open(&cache, &spec).await?;
    store.upsert(&points[..500]).await?;
    after_first(&cache);
    fill(&store, &points).await?;
    found(&store, &points).await?;
    drop(store);
    let _ = fs::remove_file(cache.join("taken"));
    let store = open(&cache, &spec).await?;
    assert_eq!((store.missing().await?, store.notice()), (Vec::new(), None));
    found(&store, &points).await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn report(done: Result<(), IndexError>) {
    match done {
        Ok(()) => println!("all is well"),
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            println!("error: {}\nhint: {hint}", with_causes(&error));
            std::process::exit(2);
        }
    }
}

/// Runs `script` with the child test `name` as `$FILL` and `cache` as its folder, as the root of a user namespace if
/// this machine has them.
fn child(script: &str, name: &str, cache: &Path) -> Output {
    let binary = env::current_exe().expect("this binary");
    let fill =
        format!("{} --exact edge::tests::faults::{name} --ignored --nocapture", binary.display());
    let namespace: &[&str] = if can_mount() { &["unshare", "-rm"] } else { &["env"] };
    Command::new(namespace[0])
        .args(&namespace[1..])
        .args(["bash", "-c", script])
        .env(CACHE, cache)
        .env("FILL", fill)
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}

fn can_mount() -> bool {
    let script = ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"];
    Command::new("unshare").args(script).output().is_ok_and(|done| done.status.success())
}

/// Asserts that it ended as it should, or with 2 and an error of one line and a hint.
fn assert_well_or_error(output: &Output, error: &str, case: &str) {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let case = format!("{case}: {:?}\n{out}{err}", output.status);
    assert!(!err.contains("panicked"), "{case}");
    match output.status.code() {
        Some(0) => assert!(out.contains("all is well"), "{case}"),
        Some(2) => assert!(out.contains(error) && out.contains("\nhint: "), "{case}"),
        _ => panic!("{case}"),
    }
}

/// 3,000 vectors of 384 floats take 4.6 MB, and as much in the log; in memory the file of vectors takes 32 MiB
/// when it is read.
#[test]
fn a_disk_that_is_too_small_is_an_error_and_never_a_signal() {
    if !can_mount() {
        return a_file_limit_is_an_error_and_never_a_signal();
    }
    let cache = tempfile::tempdir().expect("a folder");
    for (size, code) in [(1, 2), (3, 2), (26, 2), (30, 2), (34, 2), (40, 2), (96, 0)] {
        let script =
            format!("mount -t tmpfs -o size={size}m tmpfs $RAGTRIAGE_FAULTS_CACHE && exec $FILL");
        let output = child(&script, "fills", cache.path());
        assert_well_or_error(
            &output,
            "error: a vector collection needs about ",
            &format!("{size} MB"),
        );
        assert_eq!(output.status.code(), Some(code), "{size} MB");
    }
}

#[test]
fn a_filling_that_found_no_space_is_completed_once_there_is_some() {
    if !can_mount() {
        return a_file_limit_is_an_error_and_never_a_signal();
    }
    let cache = tempfile::tempdir().expect("a folder");
    let script = "cd $RAGTRIAGE_FAULTS_CACHE && mount -t tmpfs -o size=26m tmpfs . && $FILL; [ $? = 2 ] || exit 1; \
                  mount -o remount,size=96m . && exec $FILL";
    let output = child(script, "fills", cache.path());
    assert_well_or_error(&output, "", "larger");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_disk_that_others_fill_has_room_for_what_was_reserved() {
    if !can_mount() {
        return a_file_limit_is_an_error_and_never_a_signal();
    }
    let cache = tempfile::tempdir().expect("a folder");
    let script = "mount -t tmpfs -o size=96m tmpfs $RAGTRIAGE_FAULTS_CACHE && exec $FILL";
    let output = child(script, "fills_while_others_do", cache.path());
    assert_well_or_error(&output, "", "96 MB");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_file_limit_is_an_error_and_never_a_signal() {
    let cache = tempfile::tempdir().expect("a folder");
    for (limit, code) in [(1, 2), (10_000, 2), (100_000, 0)] {
        let output = child(&format!("ulimit -f {limit}; exec $FILL"), "fills", cache.path());
        let error = "error: a vector collection in `";
        assert_well_or_error(&output, error, &format!("{limit} KiB"));
        assert_eq!(output.status.code(), Some(code), "{limit} KiB");
    }
}

/// The seal is written again after the damage, so that the engine meets it.
#[tokio::test]
async fn a_panic_of_the_engine_prints_nothing() {
    let cache = tempfile::tempdir().expect("a folder");
    let spec = dense(8, 100);
    let points = points(&spec);
    let mut n_errors = 0;
    for i in 0.. {
        let store = open(cache.path(), &spec).await.expect("made");
        fill(&store, &points).await.expect("filled");
        drop(store);
        let folder = CollectionFolder::open(&cache.path().join(spec.name())).expect("closed");
        let files = files(&folder.engine());
        let Some(path) = files.get(i) else {
            break;
        };
        Damage::Empty.inflict(path);
        folder.seal(&spec.layout(), true).expect("sealed");
        drop(folder);
        let output = child("exec $FILL", "asks", cache.path());
        assert_well_or_error(&output, "error: the embedded Qdrant ", &path.display().to_string());
        n_errors += usize::from(output.status.code() == Some(2));
        fs::remove_dir_all(cache.path().join(spec.name())).expect("removed");
    }
    assert!(n_errors > 5, "{n_errors} errors");
}
