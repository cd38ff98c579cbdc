//! Collections in a folder, and faults: damaged files, panics of the engine, full disks. What could end the process runs in a
//! child, which is this test binary, started again.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use walkdir::WalkDir;

use super::*;
use ragtriage_core::hint::Hint;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::{Similarity, VectorShape};

fn dense(dimension: usize, expected_points: usize) -> CollectionSpec {
    let vector = VectorShape { dimension, similarity: Similarity::Dot, many: false };
    CollectionSpec::new("ab".to_owned(), "dense", vector, expected_points)
}

#[tokio::test]
async fn the_log_is_kept_short() {
    let cache = tempfile::tempdir().expect("a folder");
    let spec = dense(512, 20_000);
    let store = open(cache.path(), &spec).await.expect("made");
    for window in points(&spec).chunks(4_000) {
        store.upsert(window).await.expect("stored");
    }
    let log = fs::read_dir(store.engine.path().join("wal")).expect("a log").flatten();
    let bytes: u64 = log.map(|file| file.metadata().expect("a file").len()).sum();
    // The vectors are 39 MiB.
    assert!(bytes <= 3 * (8 << 20), "{bytes} bytes");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let cache = tempfile::tempdir().expect("a folder");
    let file = cache.path().join("file");
    fs::write(&file, "").expect("written");
    let Err(error) = EmbeddedStore::open_or_create(&file, &dense(2, 1)).await else {
        panic!("a file is in the way")
    };
    let path = file.join(dense(2, 1).name());
    assert_eq!(error.to_string(), format!("cannot read or write the index `{}`", path.display()));
}

/// Names the cache folder to a child process.
const CACHE: &str = "RAGTRIAGE_FAULTS_CACHE";

/// Returns points whose vectors differ in each component.
fn points(spec: &CollectionSpec) -> Vec<Point> {
    let component = |number: u32, i: usize| ((number as usize * 31 + i * 17) % 101) as f32 + 1.0;
    let row = |number| (0..spec.vector.dimension).map(|i| component(number, i)).collect();
    (0..spec.expected_points as u32).map(|number| Point { number, vector: row(number) }).collect()
}

async fn open(cache: &Path, spec: &CollectionSpec) -> Result<EmbeddedStore, Error> {
    EmbeddedStore::open_or_create(cache, spec).await
}

/// Fills what is missing, as a run does.
async fn fill(store: &EmbeddedStore, points: &[Point]) -> Result<(), Error> {
    let missing = store.missing().await?;
    let missing: Vec<Point> = missing.iter().map(|&i| points[i as usize].clone()).collect();
    for window in missing.chunks(500) {
        store.upsert(window).await?;
    }
    Ok(())
}

/// Returns the neighbours of the fourth point.
async fn found(store: &EmbeddedStore, points: &[Point]) -> Result<Vec<Neighbour>, Error> {
    let vector = &points[3].vector;
    let search = VectorSearch { vector, limit: 20, allowed: None };
    let mut found = store.search(search).await?;
    // Equal scores come in any order.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
    let last = found.last().map(|near| near.score);
    found.retain(|near| Some(near.score) != last);
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
    assert!(expected.len() > 5, "{expected:?}");
    drop(store);
    let n_files = files(&collection).len();
    assert!(n_files > 15, "{n_files} files");
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
async fn after_a_panic_every_call_fails_and_the_next_opening_heals() {
    let cache = tempfile::tempdir().expect("a folder");
    let spec = dense(8, 100);
    let points = points(&spec);
    let store = open(cache.path(), &spec).await.expect("made");
    fill(&store, &points).await.expect("filled");
    let panics = |_: &Engine| -> Result<(), Error> { panic!("index out of bounds\nand more") };
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
    fill(&store, &points).await.expect("filled");
    found(&store, &points).await.expect("searched");
}

/// Not a test: fills a collection, opens it again and asks it, in a child process. Ends with 2 and an error, as the
/// program does.
#[tokio::test]
#[ignore = "run as a child process"]
async fn fills() {
    report(fill_and_ask().await);
}

fn cache() -> PathBuf {
    env::var_os(CACHE).expect("set by the parent").into()
}

async fn fill_and_ask() -> Result<(), Error> {
    let (spec, cache) = (dense(384, 3_000), cache());
    let points = points(&spec);
    let store = open(&cache, &spec).await?;
    fill(&store, &points).await?;
    found(&store, &points).await?;
    drop(store);
    let store = open(&cache, &spec).await?;
    assert_eq!((store.missing().await?, store.notice()), (Vec::new(), None));
    found(&store, &points).await?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn report(done: Result<(), Error>) {
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
    let fill = format!("{} --exact edge::tests::{name} --ignored --nocapture", binary.display());
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
        return;
    }
    let cache = tempfile::tempdir().expect("a folder");
    for (size, code) in [(1, 2), (30, 2), (50, 2), (160, 0)] {
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
