//! Encodes a file of texts with a checkpoint folder, as a run does, and says how fast and in how much memory.
//!
//! `cargo bench --bench encode -- MODEL_FOLDER TEXTS.jsonl [--precision bfloat16] [--texts N] [--passes N] [--vectors FILE]`:
//! a JSON string a line, cut at 256 word pieces, vectors of unit length. Words for people go to stderr, one line of JSON
//! to stdout, and with `--vectors` the vectors to FILE as little-endian `f32`. `benches/peers/encode.py` runs it in
//! turns with other encoders. `RAGTRIAGE_BENCH_INSTRUCTIONS=avx2` (or `avx512`, `scalar`) forces narrower vectors.
//! `--peak` instead prints the share of the processor's multiply-add peak that the products of MiniLM reach, for each
//! width. What is timed holds tokenising and pooling; reading the weights is timed on its own.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::inline_always,
    reason = "figures are a bench's output; only what is inlined into a dispatched function is compiled for its vectors"
)]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pulp::{Arch, Simd, WithSimd};
use ragtriage_clients::embed::{Encoder, Local, Role};
use ragtriage_clients::fetch::model::{Hub, ModelSource, locate};
use ragtriage_core::config::{DenseSettings, Precision};
use ragtriage_core::types::TitledText;
use ragtriage_encoder::bert::{Dense, Instructions, Kernel};

/// As sentence-transformers cuts all-MiniLM-L6-v2.
const MAX_TOKENS: usize = 256;
/// Texts encoded before the clock starts: the weights are read, the threads run.
const WARM_UP_TEXTS: usize = 16;

struct Arguments {
    model: PathBuf,
    texts: PathBuf,
    precision: Precision,
    n_texts: usize,
    n_passes: usize,
    vectors: Option<PathBuf>,
}

impl Arguments {
    fn parse() -> Self {
        let mut positional = Vec::new();
        let (mut precision, mut n_texts, mut n_passes, mut vectors) =
            (Precision::default(), usize::MAX, 1, None);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("`{word}` needs a value"));
            match word.as_str() {
                // cargo's own.
                "--bench" => {}
                "--precision" => {
                    let name = serde_json::Value::String(value());
                    precision = serde_json::from_value(name).expect("a precision");
                }
                "--texts" => n_texts = value().parse().expect("a number of texts"),
                "--passes" => n_passes = value().parse().expect("a number of passes"),
                "--vectors" => vectors = Some(value().into()),
                _ => positional.push(PathBuf::from(word)),
            }
        }
        let [model, texts] = positional.try_into().expect("a model's folder and a file of texts");
        Self { model, texts, precision, n_texts, n_passes, vectors }
    }
}

/// Loads, warms up, encodes, prints.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    if std::env::args().any(|word| word == "--peak") {
        return peak();
    }
    let given = Arguments::parse();
    let lines = std::fs::read_to_string(&given.texts).expect("a file of texts");
    let texts: Vec<String> = lines
        .lines()
        .take(given.n_texts)
        .map(|line| serde_json::from_str(line).expect("a JSON string a line"))
        .collect();
    let texts: Vec<TitledText<'_>> = texts.iter().map(|text| TitledText::untitled(text)).collect();

    let begun = Instant::now();
    let source = ModelSource { cache_dir: "unused".into(), hub: Hub::at(""), offline: true };
    let checkpoint = locate(".", &given.model, &source, &|_| ()).await.expect("a checkpoint");
    let options = DenseSettings {
        max_tokens: Some(MAX_TOKENS),
        precision: given.precision,
        ..DenseSettings::default()
    };
    let encoder =
        Local::open(checkpoint, &options, forced()).expect("a checkpoint that is computed here");
    let encode =
        async |texts| encoder.encode(texts, Role::Passage, &|_| ()).await.expect("vectors");
    encode(&texts[..WARM_UP_TEXTS.min(texts.len())]).await;
    let loading = begun.elapsed();

    let lengths = encoder
        .lengths(&texts, Role::Passage)
        .await
        .expect("lengths")
        .expect("a local encoder knows them");
    // `[CLS]` and `[SEP]` are work as well.
    let n_tokens: usize = lengths.iter().map(|length| length.n_read + 2).sum();
    let mut passes = Vec::new();
    let mut vectors = Vec::new();
    for _ in 0..given.n_passes {
        let begun = Instant::now();
        vectors = encode(&texts).await;
        passes.push(begun.elapsed());
    }
    if let Some(path) = &given.vectors {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        std::fs::write(path, bytes).expect("vectors written");
    }

    let mut seconds: Vec<f64> = passes.iter().map(Duration::as_secs_f64).collect();
    seconds.sort_by(f64::total_cmp);
    let tokens_per_second = n_tokens as f64 / seconds[seconds.len() / 2];
    let peak = peak_bytes();
    let mebibytes = peak.map_or_else(|| "unknown".to_owned(), |bytes| (bytes >> 20).to_string());
    eprintln!(
        "{:?}: {} texts, {n_tokens} tokens, {tokens_per_second:.0} tokens/s (median of {}), loaded in {:.2} s, peak {mebibytes} MiB",
        given.precision,
        texts.len(),
        seconds.len(),
        loading.as_secs_f64(),
    );
    let json = serde_json::json!({
        "precision": given.precision,
        "texts": texts.len(),
        "tokens": n_tokens,
        "seconds": seconds,
        "tokens_per_second": tokens_per_second,
        "loading_seconds": loading.as_secs_f64(),
        "peak_bytes": peak,
    });
    println!("{json}");
}

/// The instructions that the environment allows.
fn forced() -> Instructions {
    match std::env::var("RAGTRIAGE_BENCH_INSTRUCTIONS").as_deref() {
        Err(_) => Instructions::All,
        Ok("avx512") => Instructions::Avx512,
        Ok("avx2") => Instructions::Avx2,
        Ok("scalar") => Instructions::Scalar,
        Ok(other) => panic!("unknown instructions `{other}`"),
    }
}

/// Rows of a product: about a batch of the encoder, and no multiple of a tile's height.
const PEAK_ROWS: usize = 500;
/// Inner dimension and width of MiniLM's products: attention's output, queries with keys and values, both of the
/// feed-forward layer.
const PEAK_SHAPES: [(usize, usize); 4] = [(384, 384), (384, 1152), (384, 1536), (1536, 384)];
/// Measurements, of which the fastest counts: other work on the machine only slows.
const PEAK_TRIES: usize = 50;

/// Prints, for each width, the peak and what the products reach on one core.
fn peak() {
    let mut widths = vec![("all", Instructions::All, Arch::new())];
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        widths.push(("avx2", Instructions::Avx2, Arch::V3(v3)));
    }
    for (name, instructions, arch) in widths {
        let operations = arch.dispatch(MultiplyAdds { n_steps: 1 });
        let n_steps = 20_000;
        let seconds = fastest(|| {
            black_box(arch.dispatch(MultiplyAdds { n_steps }));
        });
        let peak = (operations * n_steps) as f64 / seconds / 1e9;
        println!("{name}: peak {peak:.1} GFLOP/s in float32");
        for precision in [Precision::Float32, Precision::Bfloat16] {
            let kernel = Kernel::new(precision, instructions);
            for (depth, width) in PEAK_SHAPES {
                let layer = Dense::new(&vec![0.25; depth * width], Vec::new(), depth, kernel);
                let rows = vec![0.5; PEAK_ROWS * depth];
                let mut out = vec![0.0; PEAK_ROWS * width];
                let seconds = fastest(|| layer.apply_into(black_box(&rows), &mut out));
                let reached = (2 * PEAK_ROWS * depth * width) as f64 / seconds / 1e9;
                println!(
                    "  {}, {depth} x {width}: {reached:.1} GFLOP/s, {:.0}%",
                    kernel.name(),
                    100.0 * reached / peak
                );
            }
        }
    }
}

/// Returns the least number of seconds that `work` takes.
fn fastest(mut work: impl FnMut()) -> f64 {
    let tries = (0..PEAK_TRIES).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    });
    tries.fold(f64::MAX, f64::min)
}

/// Independent chains of multiply-adds in registers; returns the number of operations of all steps.
struct MultiplyAdds {
    n_steps: usize,
}

impl WithSimd for MultiplyAdds {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        // More than two units with a latency of four or five cycles need, and few enough for sixteen registers.
        const CHAINS: usize = 12;
        let factor = simd.splat_f32s(black_box(0.999));
        let term = simd.splat_f32s(black_box(0.001));
        let mut chains = [simd.splat_f32s(0.0); CHAINS];
        for _ in 0..self.n_steps {
            for chain in &mut chains {
                *chain = simd.mul_add_e_f32s(*chain, factor, term);
            }
        }
        black_box(chains);
        2 * CHAINS * S::F32_LANES * self.n_steps
    }
}

/// The process's high-water mark, where the system says: Linux.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes << 10)
}
