//! Speed of the kernels: scans of int8 vectors, and MiniLM's forward pass on every instruction set of this machine.
//!
//! `cargo bench --bench kernels`. Weights are made up, which changes no timing.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pocketgraph::nn::{Encoder, Factors, Layer, LayerNorm, Linear, Scratch};
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector, Simd};
use std::hint::black_box;

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

/// What no scan can beat on this machine: every byte is read once, eight at a time.
fn read_all(bytes: &[i8]) -> u64 {
    bytemuck::cast_slice::<i8, u8>(bytes).chunks_exact(64).fold([0u64; 8], |mut sums, chunk| {
        for (s, w) in sums.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *s = s.wrapping_add(u64::from_le_bytes(*w));
        }
        sums
    })[0]
}

fn scans(c: &mut Criterion) {
    for rows in [10_000usize, 50_000] {
        let matrix = QuantizedMatrix::new(DIM, noise(rows * DIM), vec![0.01; rows]).unwrap_or_default();
        let query = QuantizedVector { data: noise(DIM), scale: 0.01 };
        let mut group = c.benchmark_group(format!("scan {rows} x {DIM}"));
        group.throughput(Throughput::Bytes((rows * DIM) as u64));
        group.bench_function("only reading the bytes", |b| b.iter(|| read_all(black_box(matrix.parts().0))));
        for simd in Simd::available() {
            group.bench_function(simd.name(), |b| b.iter(|| matrix.scan_with(simd, black_box(&query))));
        }
        group.finish();
    }
}

fn linear(inputs: usize, outputs: usize) -> Option<Linear> {
    let factors = Factors { scales: vec![1e-3; outputs], columns: vec![1.0; inputs], bias: vec![0.1; outputs] };
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

fn embeddings(c: &mut Criterion) {
    let Some(encoder) = encoder() else { return };
    let mut group = c.benchmark_group("MiniLM, one thread");
    group.sample_size(20);
    for tokens in [12usize, 128] {
        let input: Vec<f32> = noise(tokens * DIM).into_iter().map(f32::from).collect();
        group.throughput(Throughput::Elements(1));
        for simd in Simd::available() {
            let (mut scratch, mut x, mut out) = (Scratch::default(), Vec::new(), Vec::new());
            group.bench_function(BenchmarkId::new(simd.name(), format!("{tokens} tokens")), |b| {
                b.iter(|| {
                    x.clone_from(&input);
                    encoder.mean_vectors(simd, &mut x, &[tokens], &mut scratch, &mut out)
                });
            });
        }
    }
    group.finish();
}

/// Sentences of 128 tokens on all cores.
fn bulk(c: &mut Criterion) {
    let Some(encoder) = encoder() else { return };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    const EACH: usize = 8;
    let input: Vec<f32> = noise(128 * DIM).into_iter().map(f32::from).collect();
    let mut group = c.benchmark_group(format!("MiniLM, {threads} threads"));
    group.sample_size(10);
    group.throughput(Throughput::Elements((threads * EACH) as u64));
    group.bench_function("sentences of 128 tokens", |b| {
        b.iter(|| {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
                        for _ in 0..EACH {
                            let mut x = input.clone();
                            let _ = black_box(encoder.mean_vectors(Simd::detect(), &mut x, &[128], &mut scratch, &mut out));
                        }
                    });
                }
            });
        });
    });
    group.finish();
}

criterion_group!(benches, scans, embeddings, bulk);
criterion_main!(benches);
