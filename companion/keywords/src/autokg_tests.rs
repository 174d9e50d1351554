//! The whole build on small corpora.

#![allow(clippy::unwrap_used)]

use super::*;
use pocketgraph_cluster::Random;
use pocketgraph_cluster::laplace::{Kernel, Learning, Threshold};
use proptest::prelude::*;
use std::collections::HashSet;

/// Words hashed to directions: texts that share words are near each other.
fn embed(texts: &[String]) -> Vec<Vec<f32>> {
    texts
        .iter()
        .map(|text| {
            let mut v = vec![0.0f32; 32];
            for (term, _) in pocketgraph_text::terms(text) {
                let seed = term.bytes().fold(7u64, |h, b| h.wrapping_mul(131).wrapping_add(u64::from(b)));
                let mut random = Random::new(seed, 9);
                v.iter_mut().for_each(|x| *x += random.unit() as f32 - 0.5);
            }
            let norm = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            if norm > 0.0 {
                v.iter_mut().for_each(|x| *x /= norm);
            }
            v
        })
        .collect()
}

fn graph_of(texts: &[&str], options: &AutoKgOptions) -> (KeywordGraph, AutoKgReport) {
    let views: Vec<ChunkView<'_>> =
        texts.iter().map(|text| ChunkView { text, title: "Notes", headings: &[], language: "" }).collect();
    let owned: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
    build_keyword_graph(&views, &embed(&owned), &embed, options, &|_, _, _| {}).unwrap()
}

/// Four topics, twelve chunks each.
fn topics() -> Vec<String> {
    let make = |i: usize, a: &str, b: &str, rest: [&str; 4]| {
        format!(
            "The {a} stands near the {b}. A {a} and the {b} share the {}; every {b} shows its {}.",
            rest[i % 4],
            rest[(i + 1) % 4]
        )
    };
    let mut texts = Vec::new();
    for i in 0..12 {
        texts.push(make(i, "steam engine", "night train", ["coal tender", "station", "boiler", "signal"]));
        texts.push(make(i, "tomato plant", "greenhouse", ["watering can", "compost", "seedling", "frost"]));
        texts.push(make(i, "harbour pilot", "cargo ship", ["lighthouse", "anchor", "crane", "tide"]));
        texts.push(make(i, "violin", "string quartet", ["concert hall", "viola", "melody", "composer"]));
    }
    texts
}

#[test]
fn each_topic_gives_its_keywords_and_they_share_chunks_within_it() {
    let texts = topics();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (graph, report) = graph_of(&texts, &AutoKgOptions { clusters: Some(4), ..Default::default() });
    let at = |label: &str| {
        graph
            .labels
            .iter()
            .position(|l| l == label)
            .unwrap_or_else(|| panic!("{label} is not in {:?}", graph.labels))
    };
    let (engine, train) = (at("steam engine"), at("night train"));
    let (plant, violin) = (at("tomato plant"), at("violin"));
    assert!(graph.weights.get(engine, train as u32).unwrap_or(0) > 0);
    assert_eq!(graph.weights.get(engine, violin as u32), None);
    for &chunk in graph.chunks_by_u[plant].iter().take(5) {
        assert!(texts[chunk as usize].contains("tomato"), "chunk {chunk}");
    }
    assert_eq!((report.keywords, report.chunks), (graph.labels.len(), 48));
    assert_eq!(
        (graph.vectors.rows(), graph.weights.rows(), graph.associated.len()),
        (report.keywords, report.keywords, report.keywords)
    );
}

#[test]
fn the_graph_does_not_depend_on_threads_and_does_on_the_seed_alone() {
    let texts = topics();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let with = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| graph_of(&texts, &AutoKgOptions { seed, c: 3, ..Default::default() }).0)
    };
    let (one, two) = (with(1, 5), with(2, 5));
    assert_eq!(one.labels, two.labels);
    assert_eq!(one.weights, two.weights);
    assert_eq!(one.vectors, two.vectors);
    assert_eq!(one.chunks_by_u, two.chunks_by_u);
    assert_eq!(one.chunks_by_angle, two.chunks_by_angle);
}

#[test]
fn weights_count_the_chunks_that_two_keywords_share() {
    let texts = topics();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // With at most 64 chunks ranked and sets cut at the best tenth, the sets are the heads of the rankings.
    let options = AutoKgOptions { threshold: Threshold::Quantile(0.2), ..Default::default() };
    let (graph, _) = graph_of(&texts, &options);
    let set =
        |k: usize| graph.chunks_by_u[k].iter().take(graph.associated[k] as usize).collect::<HashSet<_>>();
    assert!(graph.labels.len() > 3);
    for i in 0..graph.labels.len() {
        for j in 0..graph.labels.len() {
            let shared = if i == j { 0 } else { set(i).intersection(&set(j)).count() };
            assert_eq!(graph.weights.get(i, j as u32).unwrap_or(0) as usize, shared);
        }
    }
}

#[test]
fn poor_corpora_give_poor_graphs_and_no_panic() {
    for texts in [
        &[][..],
        &[""][..],
        &["", "", ""][..],
        &["One lone chunk about the steam engine."][..],
        &["the same words"; 70][..],
        &["機械学習の研究", "機械学習と統計"][..],
    ] {
        for options in [
            AutoKgOptions::default(),
            AutoKgOptions {
                threshold: Threshold::Paper,
                learning: Learning::Poisson,
                kernel: Kernel::Gaussian,
                ..Default::default()
            },
        ] {
            let (graph, report) = graph_of(texts, &options);
            assert_eq!(report.chunks, texts.len());
            assert!(graph.chunks_by_u.iter().flatten().all(|&c| (c as usize) < texts.len()));
        }
    }
    let (graph, _) = graph_of(&["One lone chunk about the steam engine."], &AutoKgOptions::default());
    assert!(graph.labels.contains(&"steam engine".to_owned()), "{:?}", graph.labels);
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let views = [ChunkView { text: "a", title: "", headings: &[], language: "" }; 2];
    let run = |vectors: &[Vec<f32>]| {
        build_keyword_graph(&views, vectors, &embed, &AutoKgOptions::default(), &|_, _, _| {}).err()
    };
    assert_eq!(run(&[vec![1.0]]), Some(AutoKgError::Count { chunks: 2, vectors: 1 }));
    assert_eq!(run(&[vec![1.0], vec![]]), Some(AutoKgError::Dimension { row: 1, found: 0, expected: 1 }));
}

#[test]
fn extremes_are_warned_of() {
    let sizes = |median: f32| SetSizes { median, max: 1.0, ..Default::default() };
    assert_eq!(warn_of_sizes(sizes(0.005), 1000, 5), Some(AutoKgWarning::Collapsed(5)));
    assert_eq!(warn_of_sizes(sizes(0.6), 1000, 5), Some(AutoKgWarning::Flooded));
    assert_eq!(warn_of_sizes(sizes(0.02), 1000, 5), None);
    assert_eq!(
        SetSizes::of(&[4, 1, 2, 3, 10], 10),
        SetSizes { min: 0.1, lower_quartile: 0.2, median: 0.3, upper_quartile: 0.4, max: 1.0 }
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_texts_and_vectors_give_a_graph(
        texts in prop::collection::vec(".{0,60}", 0..12),
        values in prop::collection::vec(prop::num::f32::ANY, 36),
    ) {
        let views: Vec<ChunkView<'_>> =
            texts.iter().map(|text| ChunkView { text, title: text, headings: &[], language: "" }).collect();
        let vectors: Vec<Vec<f32>> = (0..texts.len()).map(|i| values[3 * i..3 * i + 3].to_vec()).collect();
        let any = |phrases: &[String]| {
            phrases.iter().map(|p| vec![p.len() as f32, f32::NAN, 0.0]).collect::<Vec<_>>()
        };
        let (graph, _) = build_keyword_graph(&views, &vectors, &any, &AutoKgOptions::default(), &|_, _, _| {}).unwrap();
        prop_assert_eq!(graph.weights.rows(), graph.labels.len());
    }
}
