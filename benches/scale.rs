//! A store at sizes up to millions of vectors: time to fill it, disk, memory, latency.
//!
//! `cargo bench --bench scale -- POINTS [QUERIES]`: one collection of POINTS x 384 vectors and 200 queries, asked one after the other for the
//! best 10.
//!
//! The store is the embedded engine, or the Qdrant server that `RAGTRIAGE_QDRANT_URL` names. On a server the collection stays: the next run
//! stores only what is missing. CPU and memory are those of this process, without the server's.
//!
//! Vectors are made as they are stored and are never all in memory. They imitate those of an encoder: a seeded Gaussian of 32 dimensions
//! around one of 1,000 centres, mapped into 384 by a random matrix, with noise of up to a tenth of a component's size.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ragtriage_core::types::{Similarity, VectorShape};
use ragtriage_vectors::{CollectionSpec, Point, Server, VectorPlace, VectorSearch, open_or_create};

const DIMENSION: usize = 384;
const LATENT: usize = 32;
const CENTRES: u64 = 1_000;
const NOISE: f32 = 0.1;
/// Points a call, as the pipeline stores them.
const WINDOW: usize = 2_048;
const LIMIT: usize = 10;

/// Numbers from a linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    /// About Gaussian: the sum of 12 uniform numbers less 6 has mean 0 and variance 1.
    fn gaussian(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }

    fn gaussians(seed: u64, n: usize) -> Vec<f32> {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        (0..n).map(|_| random.gaussian()).collect()
    }
}

/// Makes the vector of any number.
struct Source {
    map: Vec<f32>,
}

impl Source {
    fn new() -> Self {
        Self { map: Random::gaussians(1, LATENT * DIMENSION) }
    }

    fn vector(&self, number: u64) -> Vec<f32> {
        let centre = Random::gaussians(2 + number % CENTRES, LATENT);
        let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 3);
        let latent: Vec<f32> = centre.iter().map(|at| at + random.gaussian()).collect();
        let size = (2 * LATENT) as f32;
        let mut row = vec![0.0; DIMENSION];
        for (share, map) in latent.iter().zip(self.map.chunks(DIMENSION)) {
            for (sum, weight) in row.iter_mut().zip(map) {
                *sum += share * weight;
            }
        }
        for component in &mut row {
            *component += NOISE * size.sqrt() * (2.0 * random.uniform() - 1.0);
        }
        row
    }
}

#[tokio::main]
async fn main() {
    let numbers = env::args().skip(1).filter_map(|text| text.parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    let n_points = numbers.first().copied().unwrap_or(100_000);
    let n_queries = numbers.get(1).copied().unwrap_or(200);
    println!("{n_points} x {DIMENSION}, {n_queries} queries, best {LIMIT}");
    println!(
        "| Fill, s | CPU, s | Disk, MB | Peak memory, MB | of it own, MB | Query, ms (median) | 95% |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    measure(n_points, u64::from(n_queries)).await;
}

/// Returns the server that the environment names, or the embedded engine in `folder`.
fn place(folder: &Path) -> VectorPlace {
    let Ok(url) = env::var("RAGTRIAGE_QDRANT_URL") else {
        return VectorPlace::Embedded(folder.to_owned());
    };
    VectorPlace::Server(Server {
        url,
        settings: "vector_store",
        api_key: None,
        timeout: Duration::from_mins(1),
    })
}

async fn measure(n_points: u32, n_queries: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Source::new();
    let vector = VectorShape { dimension: DIMENSION, similarity: Similarity::Cosine, many: false };
    let spec = CollectionSpec::new("00".to_owned(), "dense", vector, n_points as usize);
    let store = open_or_create(&place(folder.path()), &spec).await.expect("made");
    let point = |number: u32| Point { number, vector: source.vector(u64::from(number)) };
    let (mut cpu, mut storing) = (0.0, 0.0);
    for window in store.missing().await.expect("listed").chunks(WINDOW) {
        let points: Vec<Point> = window.iter().copied().map(point).collect();
        let (clock, before) = (Instant::now(), cpu_seconds());
        store.upsert(&points).await.expect("stored");
        storing += clock.elapsed().as_secs_f64();
        cpu += cpu_seconds() - before;
    }
    let mut times = Vec::new();
    for number in 0..n_queries {
        let vector = source.vector(1 << 40 | number);
        let search = VectorSearch { vector: &vector, limit: LIMIT, allowed: None };
        let clock = Instant::now();
        let found = store.search(search).await.expect("searched");
        times.push(clock.elapsed().as_secs_f64() * 1e3);
        assert_eq!(found.len(), LIMIT);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "| {storing:.1} | {cpu:.1} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |",
        size(folder.path()) as f64 / 1e6,
        memory("VmHWM:") / 1e3,
        memory("RssAnon:") / 1e3,
        times[times.len() / 2],
        times[times.len() * 95 / 100],
    );
}

/// Returns a value of the process's status, in kB.
fn memory(key: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number.and_then(|number| number.parse().ok()).expect("a number")
}

/// Returns the user and system time of this process; a tick of Linux is 10 ms.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in brackets");
    let ticks =
        fields.split(' ').skip(11).take(2).map(|field| field.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .map(|entry| {
            let meta = entry.metadata().expect("a file");
            if meta.is_dir() {
                return size(&entry.path());
            }
            meta.blocks() * 512
        })
        .sum()
}
