//! Speed of the kernels: scans of int8 vectors, and MiniLM's forward pass on every instruction set of this
//! machine.
//!
//! `cargo bench --bench kernels`. Weights are made up, which changes no timing.
#![allow(missing_docs)]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use pocketgraph::nn::{Encoder, Factors, Layer, LayerNorm, Linear, Scratch};
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector, Simd};

const DIM: usize = 384;

/// Bytes without pattern.
fn noise(n: usize) -> Vec<i8> {
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as i8
    };
    (0..n).map(|_| next()).collect()
}

/// Reads every byte once, eight at a time: no scan on this machine can be faster.
fn read_all(bytes: &[i8]) -> u64 {
    bytemuck::cast_slice::<i8, u8>(bytes).chunks_exact(64).fold([0u64; 8], |mut sums, chunk| {
        for (s, w) in sums.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *s = s.wrapping_add(u64::from_le_bytes(*w));
        }
        sums
    })[0]
}

/// Rows of a matrix that is scanned.
const ROWS: [usize; 2] = [10_000, 50_000];

fn matrix(rows: usize) -> QuantizedMatrix {
    QuantizedMatrix::new(DIM, noise(rows * DIM), vec![0.01; rows]).unwrap_or_default()
}

#[divan::bench(args = ROWS)]
fn only_reading_the_bytes(bencher: Bencher<'_, '_>, rows: usize) {
    let matrix = matrix(rows);
    bencher.counter(BytesCount::new(rows * DIM)).bench_local(|| read_all(black_box(matrix.parts().0)));
}

#[divan::bench(args = each_instruction_set(&ROWS))]
fn scan(bencher: Bencher<'_, '_>, case: &Case) {
    let matrix = matrix(case.size);
    let query = QuantizedVector { data: noise(DIM), scale: 0.01 };
    bencher
        .counter(BytesCount::new(case.size * DIM))
        .bench_local(|| matrix.scan_with(case.simd, black_box(&query)));
}

/// A size (rows or tokens) on one instruction set.
struct Case {
    simd: Simd,
    size: usize,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.size, self.simd.name())
    }
}

fn each_instruction_set(sizes: &[usize]) -> Vec<Case> {
    sizes
        .iter()
        .flat_map(|&size| Simd::available().into_iter().map(move |simd| Case { simd, size }))
        .collect()
}

fn linear(inputs: usize, outputs: usize) -> Option<Linear> {
    let factors =
        Factors { scales: vec![1e-3; outputs], columns: vec![1.0; inputs], bias: vec![0.1; outputs] };
    Linear::from_rows(inputs, outputs, &noise(inputs * outputs), factors).ok()
}

/// An encoder of MiniLM's size.
fn encoder() -> Option<Encoder> {
    let norm = || LayerNorm { weight: vec![1.0; DIM], bias: vec![0.0; DIM] };
    let layer = || {
        Some(Layer {
            qkv: linear(DIM, 3 * DIM)?,
            attended: linear(DIM, DIM)?,
            attention_norm: norm(),
            up: linear(DIM, 4 * DIM)?,
            down: linear(4 * DIM, DIM)?,
            output_norm: norm(),
        })
    };
    Encoder::new(DIM, 12, 1e-12, norm(), (0..6).map(|_| layer()).collect::<Option<_>>()?).ok()
}

/// MiniLM on one thread, by the number of tokens.
#[divan::bench(sample_count = 20, args = each_instruction_set(&[12, 128]))]
fn embed(bencher: Bencher<'_, '_>, case: &Case) {
    let Some(encoder) = encoder() else { return };
    let input: Vec<f32> = noise(case.size * DIM).into_iter().map(f32::from).collect();
    let (mut scratch, mut x, mut out) = (Scratch::default(), Vec::new(), Vec::new());
    bencher.counter(ItemsCount::new(1usize)).bench_local(|| {
        x.clone_from(&input);
        encoder.mean_vectors(case.simd, &mut x, &[case.size], &mut scratch, &mut out)
    });
}

/// Sentences of 128 tokens on all cores.
#[divan::bench(sample_count = 10)]
fn embed_on_all_cores(bencher: Bencher<'_, '_>) {
    const EACH: usize = 8;
    let Some(encoder) = encoder() else { return };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let input: Vec<f32> = noise(128 * DIM).into_iter().map(f32::from).collect();
    bencher.counter(ItemsCount::new(threads * EACH)).bench_local(|| {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
                    for _ in 0..EACH {
                        let mut x = input.clone();
                        let _ = black_box(encoder.mean_vectors(
                            Simd::detect(),
                            &mut x,
                            &[128],
                            &mut scratch,
                            &mut out,
                        ));
                    }
                });
            }
        });
    });
}

fn main() {
    divan::main();
}
