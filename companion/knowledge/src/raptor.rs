//! RAPTOR's tree (arXiv 2401.18059). Gaussian mixtures on principal components cluster the nodes softly. A
//! language model summarises each cluster if there is one; else the sentences nearest to its centre do.
//!
//! A summary that a model wrote is embedded and summarised again like a chunk. The sentences nearest to it
//! become its passages, since hits are passages.
//!
//! The original reduces vectors by UMAP; this uses principal components, which need no seed and exist for any
//! number of rows. Covariances are diagonal. A cluster that the mixture does not divide is cut by size, so
//! that building ends.

use crate::communities::find_sentence;
use crate::names::{Embed, FoundNames};
use crate::summaries::Writer;
use nalgebra::{DMatrix, SymmetricEigen};
use pocketgraph_bundle::Chunk;
use pocketgraph_cluster::Random;
use pocketgraph_cluster::gmm::best_mixture;
use pocketgraph_graph_retrieval::entities::{SentencePlace, Summary};
use pocketgraph_kernels::vector::dot_f32;
use pocketgraph_llm_client::asker::AskError;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Options of the tree; the defaults are the original's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaptorOptions {
    /// Maximum number of layers above the chunks.
    pub layers: u32,
    /// Number of principal components by which rows are clustered.
    pub dimensions: usize,
    /// Maximum number of components of a mixture.
    pub components: usize,
    /// A node belongs to every component with a posterior above this.
    pub belongs: f64,
    /// Maximum number of tokens of all texts of a cluster.
    pub cluster_tokens: usize,
    /// Maximum number of tokens of a summary.
    pub summary_tokens: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for RaptorOptions {
    fn default() -> Self {
        RaptorOptions {
            layers: 5,
            dimensions: 10,
            components: 50,
            belongs: 0.1,
            cluster_tokens: 3500,
            summary_tokens: 100,
            seed: 224,
        }
    }
}

/// Maximum number of rows to which mixtures are fitted; all rows are then assigned.
const FITTED: usize = 4000;
/// A sentence with a higher cosine to a chosen one repeats it.
const REPEATS: f32 = 0.9;
/// Maximum number of candidate sentences for a summary.
const CANDIDATES: usize = 400;

/// A tree under construction, with chunks numbered as given.
#[derive(Debug, Clone, Default)]
pub struct Summaries {
    /// Summaries, lower layers first. Children are chunks by number, and earlier summaries after them.
    pub nodes: Vec<Summary>,
    /// One vector for each summary.
    pub vectors: Vec<Vec<f32>>,
    /// Texts of the summaries if a model wrote them; else empty.
    pub texts: Vec<String>,
}

/// Node that is clustered: a chunk or a summary.
#[derive(Clone)]
struct Node<'a> {
    number: u32,
    text: Cow<'a, str>,
    vector: Vec<f32>,
    tokens: usize,
    sentences: Vec<SentencePlace>,
}

/// Projects the rows onto their first principal components, at most `dimensions` and fewer for few rows.
fn project_rows(rows: &[&[f32]], dimensions: usize) -> Vec<Vec<f64>> {
    let (n, d) = (rows.len(), rows.first().map_or(0, |r| r.len()));
    let kept = dimensions.min(n.saturating_sub(2)).min(d);
    if kept == 0 {
        return vec![vec![0.0]; n];
    }
    let mean: Vec<f64> =
        (0..d).map(|j| rows.iter().map(|r| f64::from(r[j])).sum::<f64>() / n as f64).collect();
    let centred = DMatrix::from_fn(n, d, |i, j| f64::from(rows[i][j]) - mean[j]);
    // The smaller of the two products has the same eigenvalues.
    let wide = n < d;
    let product = if wide { &centred * centred.transpose() } else { centred.transpose() * &centred };
    let eigen = SymmetricEigen::new(product);
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]).then(a.cmp(&b)));
    order.truncate(kept);
    let scores: Vec<Vec<f64>> = order
        .iter()
        .map(|&c| {
            let v = eigen.eigenvectors.column(c);
            if wide {
                (v * eigen.eigenvalues[c].max(0.0).sqrt()).iter().copied().collect()
            } else {
                (&centred * v).iter().copied().collect()
            }
        })
        .collect();
    (0..n).map(|i| scores.iter().map(|s| s[i]).collect()).collect()
}

/// Clusters the rows softly and returns their indexes; a row may be in several clusters.
fn soft_clusters(vectors: &[&[f32]], options: &RaptorOptions) -> Vec<Vec<usize>> {
    let n = vectors.len();
    if n <= options.dimensions + 1 {
        return vec![(0..n).collect()];
    }
    let rows = project_rows(vectors, options.dimensions);
    let fitted: Vec<Vec<f64>> = if n > FITTED {
        Random::new(options.seed, 0x7261_7074)
            .sample(n, FITTED)
            .into_iter()
            .map(|i| rows[i].clone())
            .collect()
    } else {
        rows.clone()
    };
    let Some(mixture) = best_mixture(&fitted, options.components.saturating_sub(1), options.seed) else {
        return Vec::new();
    };
    let mut out: Vec<Vec<usize>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let posterior = mixture.posterior(row);
        out.resize(out.len().max(posterior.len()), Vec::new());
        let best = posterior
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))
            .map_or(0, |x| x.0);
        for (c, &p) in posterior.iter().enumerate() {
            if p > options.belongs || c == best {
                out[c].push(i);
            }
        }
    }
    out.retain(|c| !c.is_empty());
    out
}

/// Clusters twice, and again while the texts of a cluster are too long.
fn cluster_nodes(nodes: &[Node<'_>], options: &RaptorOptions) -> Vec<Vec<usize>> {
    let vectors = |places: &[usize]| places.iter().map(|&i| nodes[i].vector.as_slice()).collect::<Vec<_>>();
    let every: Vec<usize> = (0..nodes.len()).collect();
    let mut out: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut waiting: Vec<(Vec<usize>, u32)> =
        soft_clusters(&vectors(&every), options).into_iter().map(|c| (c, 0)).collect();
    while let Some((cluster, depth)) = waiting.pop() {
        let tokens: usize = cluster.iter().map(|&i| nodes[i].tokens).sum();
        let small = cluster.len() <= options.dimensions + 1;
        if cluster.len() < 2 || (tokens <= options.cluster_tokens && (small || depth > 0)) {
            out.insert(cluster);
            continue;
        }
        let parts: Vec<Vec<usize>> =
            if small { Vec::new() } else { soft_clusters(&vectors(&cluster), options) };
        let divided = parts.len() > 1 && parts.iter().all(|p| p.len() < cluster.len());
        if divided && depth < 8 {
            waiting.extend(parts.iter().map(|p| (p.iter().map(|&i| cluster[i]).collect(), depth + 1)));
        } else if tokens <= options.cluster_tokens {
            out.insert(cluster);
        } else {
            let (a, b) = cluster.split_at(cluster.len() / 2);
            waiting.extend([(a.to_vec(), depth + 1), (b.to_vec(), depth + 1)]);
        }
    }
    out.into_iter().collect()
}

fn sum_vectors(members: &[&Node<'_>]) -> Vec<f32> {
    let dim = members.first().map_or(0, |m| m.vector.len());
    (0..dim).map(|j| members.iter().map(|m| m.vector[j]).sum()).collect()
}

/// Selects the sentences of a cluster nearest to `middle`, without repetition and with at most `tokens`
/// tokens together, but at least one if there is any.
fn nearest_sentences(
    members: &[&Node<'_>],
    middle: &[f32],
    chunks: &[Chunk],
    found: &FoundNames,
    count: &dyn Fn(&str) -> usize,
    tokens: usize,
) -> Vec<SentencePlace> {
    let places: BTreeSet<SentencePlace> = members.iter().flat_map(|m| m.sentences.iter().copied()).collect();
    let mut scored: Vec<(f32, SentencePlace, Vec<f32>)> = Vec::new();
    for &(chunk, place) in &places {
        let Some(m) = found.mentions.get(chunk as usize).filter(|m| (place as usize) < m.vectors.rows())
        else {
            continue;
        };
        let vector = m.vectors.row_f32(place as usize);
        scored.push((dot_f32(&vector, middle), (chunk, place), vector));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(CANDIDATES);
    let mut left = tokens;
    let mut taken: Vec<usize> = Vec::new();
    for (i, (_, place, vector)) in scored.iter().enumerate() {
        let n = count(find_sentence(chunks, *place));
        let repeats = taken.iter().any(|&j| dot_f32(vector, &scored[j].2) > REPEATS);
        if !repeats && (n <= left || taken.is_empty()) {
            left = left.saturating_sub(n);
            taken.push(i);
        }
    }
    taken.into_iter().map(|i| scored[i].1).collect()
}

/// Builds the tree over chunks with their unit vectors. `count` counts tokens, `embed` embeds the summaries,
/// and `writer` has a model write them. Fails if the model refuses or does not answer.
pub fn build_summaries(
    chunks: &[Chunk],
    vectors: &[Vec<f32>],
    found: &FoundNames,
    embed: &Embed<'_>,
    count: &dyn Fn(&str) -> usize,
    writer: Option<&Writer<'_>>,
    options: &RaptorOptions,
) -> Result<Summaries, AskError> {
    let mut out = Summaries::default();
    let sentences = |i: usize| found.mentions.get(i).map_or(0, |m| m.sentences.len() as u32);
    let mut layer: Vec<Node<'_>> = chunks
        .iter()
        .zip(vectors)
        .enumerate()
        .map(|(i, (c, v))| Node {
            number: i as u32,
            text: Cow::Borrowed(c.text.as_str()),
            vector: v.clone(),
            tokens: count(&c.text),
            sentences: (0..sentences(i)).map(|s| (i as u32, s)).collect(),
        })
        .collect();
    for height in 1..=options.layers {
        if layer.len() <= options.dimensions + 1 {
            break;
        }
        let found_clusters = cluster_nodes(&layer, options);
        // Without this the layers might never shrink, and building would not end.
        if found_clusters.len() >= layer.len() {
            break;
        }
        let members: Vec<Vec<&Node<'_>>> =
            found_clusters.iter().map(|c| c.iter().map(|&i| &layer[i]).collect()).collect();
        let written = match writer {
            Some(writer) => {
                let texts: Vec<Vec<&str>> =
                    members.iter().map(|m| m.iter().map(|n| n.text.as_ref()).collect()).collect();
                writer.summaries(&texts, options.summary_tokens)?
            }
            None => vec![None; members.len()],
        };
        let extract = |m: &[&Node<'_>], near: &[f32]| {
            nearest_sentences(m, near, chunks, found, count, options.summary_tokens)
        };
        let quoted =
            |p: &[SentencePlace]| p.iter().map(|&p| find_sentence(chunks, p)).collect::<Vec<_>>().join(" ");
        // For a summary that a model wrote, its sentences are found by its vector, below.
        let rows: Vec<(String, Option<Vec<SentencePlace>>)> = written
            .into_iter()
            .zip(&members)
            .map(|(text, m)| match text {
                Some(text) => (text, None),
                None => {
                    let places = extract(m, &sum_vectors(m));
                    (quoted(&places), Some(places))
                }
            })
            .collect();
        let (texts, places): (Vec<String>, Vec<Option<Vec<SentencePlace>>>) = rows.into_iter().unzip();
        let embedded = embed(&texts);
        let mut next: Vec<Node<'static>> = Vec::new();
        for (((text, vector), places), members) in texts.into_iter().zip(embedded).zip(places).zip(&members) {
            let sentences = places.unwrap_or_else(|| extract(members, &vector));
            let mut children: Vec<u32> = members.iter().map(|m| m.number).collect();
            children.sort_unstable();
            let number = (chunks.len() + out.nodes.len()) as u32;
            out.nodes.push(Summary { layer: height, children, sentences: sentences.clone() });
            out.vectors.push(vector.clone());
            if writer.is_some() {
                out.texts.push(text.clone());
            }
            next.push(Node { number, tokens: count(&text), text: Cow::Owned(text), vector, sentences });
        }
        layer = next;
    }
    Ok(out)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_bundle::Document;

    fn embed(texts: &[String]) -> Vec<Vec<f32>> {
        // Topics are the first letters of words.
        let unit = |t: &String| {
            let mut v = [0.01f32; 16];
            t.split_whitespace().for_each(|w| v[w.as_bytes()[0] as usize % 16] += 1.0);
            let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter().map(|x| x / length).collect()
        };
        texts.iter().map(unit).collect()
    }

    fn tree(texts: &[String], options: &RaptorOptions) -> (Summaries, Vec<Chunk>) {
        let chunk = |(i, t): (usize, &String)| Chunk {
            document: i as u32,
            heading_path: Vec::new(),
            fragment: String::new(),
            text: t.clone(),
            start: 0,
            end: 0,
        };
        let documents: Vec<Document> = texts
            .iter()
            .map(|_| Document {
                title: String::new(),
                url: String::new(),
                path: String::new(),
                language: String::new(),
            })
            .collect();
        let chunks: Vec<Chunk> = texts.iter().enumerate().map(chunk).collect();
        let found = crate::names::find_with(&documents, &chunks, &[], Some(&embed), true);
        let count = |t: &str| t.split_whitespace().count();
        (build_summaries(&chunks, &embed(texts), &found, &embed, &count, None, options).unwrap(), chunks)
    }

    fn check(out: &Summaries, chunks: usize, options: &RaptorOptions, texts: &[Chunk]) {
        assert_eq!(out.nodes.len(), out.vectors.len());
        for (i, node) in out.nodes.iter().enumerate() {
            assert!(!node.children.is_empty() && node.children.iter().all(|&c| (c as usize) < chunks + i));
            let tokens: usize =
                node.sentences.iter().map(|&p| find_sentence(texts, p).split_whitespace().count()).sum();
            assert!(node.sentences.len() == 1 || tokens <= options.summary_tokens);
        }
        let children: BTreeSet<u32> = out.nodes.iter().flat_map(|n| n.children.iter().copied()).collect();
        if !out.nodes.is_empty() {
            assert!((0..chunks as u32).all(|c| children.contains(&c)), "every chunk is summarised");
        }
    }

    #[test]
    fn two_topics_are_summarised_apart_by_their_own_sentences() {
        let texts: Vec<String> = (0..40)
            .map(|i| {
                let (a, b) = if i < 20 { ("apple", "acorn") } else { ("bread", "bacon") };
                format!(
                    "{a} {b} {}. {}",
                    "abc".repeat(i % 3 + 1),
                    if i < 20 { "Ants ate." } else { "Bees buzz." }
                )
            })
            .collect();
        let options = RaptorOptions { summary_tokens: 12, ..RaptorOptions::default() };
        let (out, chunks) = tree(&texts, &options);
        check(&out, 40, &options, &chunks);
        let first: Vec<&Summary> = out.nodes.iter().filter(|n| n.layer == 1).collect();
        assert!(first.len() >= 2);
        let pure = first
            .iter()
            .filter(|n| n.children.iter().all(|&c| c < 20) || n.children.iter().all(|&c| c >= 20))
            .count();
        assert!(pure * 10 >= first.len() * 8, "{pure} of {}", first.len());
        for n in first.iter().filter(|n| n.children.iter().all(|&c| c < 20)) {
            assert!(n.sentences.iter().all(|p| p.0 < 20));
        }
        assert_eq!(out.nodes, tree(&texts, &options).0.nodes, "the same seed builds the same tree");
    }

    #[test]
    fn clusters_of_long_texts_are_cut_and_equal_passages_come_to_an_end() {
        let long = vec!["word ".repeat(300); 30];
        let options = RaptorOptions { cluster_tokens: 1000, ..RaptorOptions::default() };
        let (out, chunks) = tree(&long, &options);
        check(&out, 30, &options, &chunks);
        assert!(
            out.nodes.iter().filter(|n| n.layer == 1).all(|n| n.children.len() <= 3),
            "three texts of 300 words fit into a thousand"
        );
    }

    #[test]
    fn few_passages_need_no_summaries() {
        for texts in [vec![], vec!["one".to_owned()], vec!["x".repeat(5000)], vec!["same".to_owned(); 11]] {
            assert!(tree(&texts, &RaptorOptions::default()).0.nodes.is_empty());
        }
    }
}
