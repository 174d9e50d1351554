//! Algorithm 1 of AutoKG: clusters, a selection of chunks from each, and the keywords in them.

use super::{AutoKgError, AutoKgOptions, Stage};
use crate::extract::{Extractor, Request, normalise_keyword};
use pocketgraph_base::csr::Csr;
use pocketgraph_cluster::{KMeansOptions, Panels, Random, compute_centre, kmeans, spectral_clusters};
use pocketgraph_kernels::vector::{Scored, top_k};
use std::collections::HashSet;

/// Returns the number of clusters for a corpus: 15 for 1,500 chunks, proportional to the square root.
pub fn cluster_count(chunks: usize, asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| (15.0 * (chunks as f64 / 1500.0).sqrt()).round() as usize).clamp(1, chunks.max(1))
}

/// Returns the clusters of both clusterings, as ascending lists of chunks, without empty and repeated ones.
pub(super) fn clusters_of(
    rows: &Panels,
    weights: &Csr<f32>,
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Vec<Vec<u32>> {
    if rows.rows() == 0 {
        return Vec::new();
    }
    let count = cluster_count(rows.rows(), options.clusters);
    let settings = KMeansOptions { clusters: count, restarts: 5, rounds: 50, seed: options.seed };
    let mut clusters = kmeans(rows, &settings).members();
    progress(Stage::Clusters, 1, 2);
    let assignment = spectral_clusters(weights, options.laplacian, &settings);
    let mut spectral: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (chunk, &c) in assignment.iter().enumerate() {
        if let Some(list) = spectral.get_mut(c as usize) {
            list.push(chunk as u32);
        }
    }
    progress(Stage::Clusters, 2, 2);
    clusters.extend(spectral);
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    // With one or two clusters both clusterings often agree; a second request then gives the next best
    // keywords.
    clusters.retain(|c| !c.is_empty() && (count <= 2 || seen.insert(c.clone())));
    clusters
}

/// Runs Algorithm 1: returns the refined keywords, and their number before. The extractor reads several
/// clusters at once, whose lists of terms to avoid have only the keywords from before them.
pub(super) fn extract_keywords(
    extractor: &mut dyn Extractor,
    rows: &Panels,
    clusters: &[Vec<u32>],
    options: &AutoKgOptions,
    progress: &dyn Fn(Stage, usize, usize),
) -> Result<(Vec<String>, usize), AutoKgError> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut random = Random::new(options.seed, 0x6b65_7977);
    progress(Stage::Keywords, 0, clusters.len());
    for (wave, some) in clusters.chunks(extractor.at_once().max(1)).enumerate() {
        let centres: Vec<Vec<f32>> = some.iter().map(|members| compute_centre(rows, members)).collect();
        let (mut shown, mut avoid) = (Vec::new(), Vec::new());
        for (members, centre) in some.iter().zip(&centres) {
            shown.push(shown_of(rows, members, centre, options.c, &mut random));
            let sample = random.sample(found.len(), options.m);
            avoid.push(sample.into_iter().filter_map(|i| found.get(i).cloned()).collect::<Vec<String>>());
        }
        let requests: Vec<Request<'_>> = (0..some.len())
            .map(|i| Request {
                shown: &shown[i],
                members: &some[i],
                centre: &centres[i],
                avoid: &avoid[i],
                keywords: options.l1,
                words: options.l2,
            })
            .collect();
        for keyword in
            extractor.extract_all(&requests)?.into_iter().flat_map(|list| list.into_iter().take(options.l1))
        {
            let keyword = keyword.trim().to_owned();
            let key = normalise_keyword(&keyword);
            if !key.is_empty() && seen.insert(key) {
                found.push(keyword);
            }
        }
        progress(Stage::Keywords, wave * extractor.at_once().max(1) + some.len(), clusters.len());
    }
    let extracted = found.len();
    let mut seen = HashSet::new();
    let mut refined = extractor.refine(found)?;
    refined.retain(|k| {
        let key = normalise_keyword(k);
        !key.is_empty() && seen.insert(key)
    });
    Ok((refined, extracted))
}

/// Selects the c chunks nearest to the centre and c random others of the cluster.
fn shown_of(rows: &Panels, members: &[u32], centre: &[f32], c: usize, random: &mut Random) -> Vec<u32> {
    let scored = members.iter().map(|&chunk| {
        let score = rows.row(chunk as usize).iter().zip(centre).fold(0.0, |sum, (x, y)| sum + x * y);
        Scored { index: chunk, score }
    });
    let mut shown: Vec<u32> = top_k(scored, c).into_iter().map(|s| s.index).collect();
    let nearest: HashSet<u32> = shown.iter().copied().collect();
    let rest: Vec<u32> = members.iter().copied().filter(|m| !nearest.contains(m)).collect();
    shown.extend(random.sample(rest.len(), c).into_iter().filter_map(|i| rest.get(i).copied()));
    shown
}
