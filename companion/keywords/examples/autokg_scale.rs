//! Measures the time of AutoKG's numerical steps on made-up vectors; `/usr/bin/time -v` shows their memory.
//!
//! Usage: `autokg_scale [CHUNKS [KEYWORDS]]`; by default 100,000 chunks and 2,000 keywords of 384 dimensions.

use pocketgraph_cluster::laplace::{
    AssociationOptions, Kernel, Learning, Threshold, approximate_neighbours, associate_chunks, chunk_graph,
    nearest_neighbours, shared_chunks,
};
use pocketgraph_cluster::{KMeansOptions, LaplacianKind, Panels, Random, kmeans, spectral_clusters};
use pocketgraph_keywords::autokg::cluster_count;
use std::collections::HashSet;
use std::time::Instant;

const DIM: usize = 384;
const K: usize = 30;

/// Mixes three of many topics with noise: groups overlap as in real text.
fn made_up(count: usize, noise: f64, topics: &[Vec<f32>], random: &mut Random) -> Vec<Vec<f32>> {
    (0..count)
        .map(|_| {
            let mut v = vec![0.0f32; DIM];
            for _ in 0..3 {
                let (topic, share) = (&topics[random.below(topics.len())], random.unit() as f32);
                v.iter_mut().zip(topic).for_each(|(v, t)| *v += share * t);
            }
            v.iter_mut().for_each(|x| *x += (noise * (random.unit() - 0.5)) as f32);
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter_mut().for_each(|x| *x /= norm);
            v
        })
        .collect()
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let clock = Instant::now();
    let out = work();
    println!("{what:<44} {:>8.2} s", clock.elapsed().as_secs_f64());
    out
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |at: usize, usual: usize| std::env::args().nth(at).map_or(Ok(usual), |n| n.parse::<usize>());
    let (n, m) = (number(1, 100_000)?, number(2, 2_000)?);
    let mut random = Random::new(1, 1);
    let topics: Vec<Vec<f32>> =
        (0..400).map(|_| (0..DIM).map(|_| random.unit() as f32 - 0.5).collect()).collect();
    let rows = Panels::pack(DIM, made_up(n, 1.0, &topics, &mut random).iter().map(Vec::as_slice));
    let keywords = Panels::pack(DIM, made_up(m, 0.3, &topics, &mut random).iter().map(Vec::as_slice));
    println!("N = {n}, d = {DIM}, M = {m}, K = {K}");
    let exact = timed("exact neighbours", || nearest_neighbours(&rows, K));
    let near = timed("approximate neighbours", || approximate_neighbours(&rows, K, 1));
    let sets: Vec<HashSet<u32>> = exact.iter().map(|l| l.iter().map(|x| x.row).collect()).collect();
    let hits: usize =
        near.iter().zip(&sets).map(|(l, s)| l.iter().filter(|x| s.contains(&x.row)).count()).sum();
    println!(
        "{:<44} {:>8.4}",
        "of the true neighbours the second finds",
        hits as f64 / (n * K.min(n)).max(1) as f64
    );
    drop((near, sets));
    let graph = timed("weights, and components joined", || chunk_graph(&rows, &exact, Kernel::Paper));
    drop(exact);
    println!("{:<44} {:>8}", "components before they were joined", graph.components);
    let settings = KMeansOptions { clusters: cluster_count(n, None), restarts: 5, rounds: 50, seed: 1 };
    println!("{:<44} {:>8}", "clusters a clustering", settings.clusters);
    timed("k-means, 5 restarts", || kmeans(&rows, &settings));
    for kind in [LaplacianKind::Combinatorial, LaplacianKind::RandomWalk, LaplacianKind::SymmetricNormalised]
    {
        timed(&format!("spectral clustering, {kind:?}"), || {
            spectral_clusters(&graph.weights, kind, &settings)
        });
    }
    let options = AssociationOptions {
        n1: 5,
        n2: 35,
        learning: Learning::Laplace,
        threshold: Threshold::MeanPlusTwoSd,
        cap: 0.25,
        tolerance: 1e-5,
        ranked: 64,
    };
    let found = timed("Laplace learning and associations", || {
        associate_chunks(&graph.weights, &rows, &keywords, &options)
    });
    let poisson = AssociationOptions { learning: Learning::Poisson, ..options };
    timed("the same by Poisson learning", || associate_chunks(&graph.weights, &rows, &keywords, &poisson));
    let edges = timed("keyword graph", || shared_chunks(&found));
    println!("{:<44} {:>8}", "edges of the keyword graph", edges.stored() / 2);
    Ok(())
}
